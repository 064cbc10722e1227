"""Request headers on their way to the engine, and request ids."""

import json
import re

import pytest

from support.check import is_error
from support.client import post
from support.engine import response

PLAIN = {"model": "m", "prompt": "hi"}


# request headers --------------------------------------------------------------------------------------------


def sent_fields(gate, engine, fields, **options):
    """The fields that the engine got for a completion with these."""
    assert post(gate.port, "/v1/completions", PLAIN, fields, **options).status == 200
    return engine.requests[-1].head


def test_case_16_host_is_the_engines_own(make_gate, make_engine):
    def only_own_host(request, conn):
        own = request.head.all("host") == [conn.engine.authority]
        conn.send(response({"ok": own}, status=200 if own else 404))

    engine = make_engine("B1", script=only_own_host)
    gate = make_gate(engine, config={"http": {"trusted_proxies": ["127.0.0.1"]}})
    head = sent_fields(
        gate, engine, [("X-Forwarded-For", "1.2.3.4"), ("X-Forwarded-Proto", "https")], host="public.example"
    )
    assert head.all("x-forwarded-for") == ["1.2.3.4, 127.0.0.1"]
    assert [value.split(",")[0].strip() for value in head.all("x-forwarded-proto")] == ["https"]


def test_case_16_forwarded_for_of_a_stranger_is_replaced(shared, b1):
    head = sent_fields(
        shared, b1, [("X-Forwarded-For", "1.2.3.4"), ("X-Forwarded-For", "5.6.7.8"), ("X-Forwarded-Proto", "https")]
    )
    assert head.all("x-forwarded-for") == ["127.0.0.1"]
    assert head.all("x-forwarded-proto") == ["http"]


def test_trusted_proxies_may_be_a_block(make_gate, engine):
    gate = make_gate(engine, config={"http": {"trusted_proxies": ["10.0.0.0/8", "127.0.0.0/8"]}})
    assert sent_fields(gate, engine, {"X-Forwarded-For": "1.2.3.4"}).get("x-forwarded-for") == "1.2.3.4, 127.0.0.1"


def test_hop_by_hop_headers_are_dropped_others_kept(shared, b1):
    hop = [
        ("Connection", "keep-alive, X-Private, close2"),
        ("Keep-Alive", "timeout=5"),
        ("X-Private", "1"),
        ("TE", "trailers"),
        ("Proxy-Authorization", "Basic eA=="),
        ("Proxy-Connection", "keep-alive"),
        ("Trailer", "X-T"),
        ("Upgrade", "websocket"),
    ]
    kept = [
        ("X-One", "a"),
        ("x-ONE", "b"),
        ("Accept", "*/*"),
        ("Cookie", "c=1"),
        ("traceparent", "00-ab-cd-01"),
        ("X-data-parallel-rank", "0"),
        ("X-Empty", ""),
        ("User-Agent", "test/1 (é)"),
        ("Accept-Encoding", "gzip, br"),
    ]
    head = sent_fields(shared, b1, hop + kept)
    names = {name.lower() for name, _ in hop} - {"connection"}
    assert not names & {name.lower() for name, _ in head.fields}
    got = [field for field in head.fields if field[0] in dict(kept)]
    assert got == kept, "kept as they were, in their order"


def test_a_header_named_in_connection_cannot_strip_what_the_gate_sets(shared, b1):
    head = sent_fields(shared, b1, {"Connection": "close, Host, Content-Length, X-Request-Id, X-Forwarded-For"})
    assert head.get("content-length") == str(len(json.dumps(PLAIN)))
    assert head.get("x-request-id") and head.get("x-forwarded-for") == "127.0.0.1"


def test_client_authorization_goes_on_when_the_engine_has_no_key(shared, b1):
    assert sent_fields(shared, b1, {"Authorization": "Bearer client"}).all("authorization") == ["Bearer client"]
    assert sent_fields(shared, b1, {}).all("authorization") == []


def test_an_engines_key_replaces_the_clients(make_gate, engine):
    gate = make_gate((engine, {"key": "engine-key"}))
    assert sent_fields(gate, engine, {"Authorization": "Bearer client"}).all("authorization") == ["Bearer engine-key"]
    assert sent_fields(gate, engine, {}).all("authorization") == ["Bearer engine-key"]
    assert {probe.head.get("authorization") for probe in engine.probes} == {"Bearer engine-key"}
    assert {probe.path for probe in engine.probes} >= {"/health", "/v1/models"}


# request ids ------------------------------------------------------------------------------------------------


def test_case_20_a_good_request_id_is_kept_everywhere(make_gate, engine):
    gate = make_gate(engine, flags=["--access-log"])
    for own in ("0b54ad6e-3e2f-4b4c-9d5a-6f0c1f9f3a11", "a", "x" * 128, "weird:/but+printable!"):
        answered = post(gate.port, "/v1/completions", PLAIN, {"X-Request-Id": own})
        assert answered.head.all("x-request-id") == [own]
        assert engine.requests[-1].head.all("x-request-id") == [own]
        gate.wait_line(re.escape(own))


@pytest.mark.parametrize(
    "own",
    ["x" * 129, "a\x0bb", "\x1b[31m", "\xff", 'a"} {"b', "", "a b", "a\tb", "x" * 20_000],
    ids=lambda own: repr(own)[:20],
)
def test_case_20_an_odd_request_id_is_replaced_and_forges_no_log_line(make_gate, engine, own):
    gate = make_gate(engine, flags=["--access-log"], config={"log": {"format": "json"}})
    answered = post(gate.port, "/v1/completions", PLAIN, {"X-Request-Id": own})
    if answered.status == 200:
        given = answered.head.all("x-request-id")
        assert engine.requests[-1].head.all("x-request-id") == given
        assert given and all(0x20 <= ord(char) < 0x7F for char in given[0]) and len(given[0]) <= 128
        gate.wait_line(re.escape(json.dumps(given[0])[1:-1]))
    else:
        is_error(answered, 400)  # control characters: no HTTP at all
    for line in gate.logs:
        json.loads(line)


def test_case_20_a_huge_request_id_is_431_and_missing_ones_are_unique(shared, b1):
    is_error(post(shared.port, "/v1/completions", PLAIN, {"X-Request-Id": "a" * 65536}), 431)
    ids = [post(shared.port, "/v1/completions", PLAIN).get("x-request-id") for _ in range(50)]
    assert len(set(ids)) == 50 and ids[-1] == b1.requests[-1].head.get("x-request-id")


def test_two_request_id_headers_end_as_one(shared, b1):
    answered = post(shared.port, "/v1/completions", PLAIN, [("X-Request-Id", "one"), ("X-Request-Id", "two")])
    assert answered.status == 200
    assert len(answered.head.all("x-request-id")) == 1 and b1.requests[-1].head.all(
        "x-request-id"
    ) == answered.head.all("x-request-id")
