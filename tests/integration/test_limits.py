"""Sizes and times of requests, and Expect: 100-continue."""

import json

import pytest

from support.check import is_error, served_by
from support.client import Closed, complete, post
from support.engine import answer, response, say
from support.http_message import encode_head
from support.timing import Stopwatch, eventually, scaled

PLAIN = {"model": "m", "prompt": "hi"}
POST = b"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


# limits -----------------------------------------------------------------------------------------------------


def test_a_head_over_the_limit_is_431(gate, engine, connect):
    client = connect(gate)
    try:
        client.send(POST + b"X-Long: " + b"a" * 40_000 + b"\r\nContent-Length: 0\r\n\r\n")
    except OSError:
        pass
    is_error(client.read_response(), 431)
    assert client.closed() == "fin"
    assert not engine.requests


def test_a_head_that_never_ends_is_431(gate, connect):
    client = connect(gate)
    client.send(b"GET /" + b"a" * 33_000)
    is_error(client.read_response(), 431)
    assert client.closed() == "fin"


def test_a_head_of_too_many_fields_is_431(gate, engine, connect):
    """256 fields pass, however small they are; one more is too large, not malformed."""
    few = {f"X-{n}": "y" for n in range(253)}  # and Host, Content-Type, Content-Length
    assert served_by(connect(gate).post("/v1/completions", PLAIN, few)) == "B1"
    client = connect(gate)
    client.send(client.encode("POST", "/v1/completions", PLAIN, {**few, "X-More": "y"}))
    is_error(client.read_response(), 431)
    assert client.closed() == "fin"
    assert len(engine.requests) == 1


def test_a_head_just_below_the_limit_is_taken(gate, engine, connect):
    long = "a" * 31_000
    assert served_by(connect(gate).post("/v1/completions", PLAIN, {"X-Long": long})) == "B1"
    assert engine.requests[-1].head.get("x-long") == long


def test_a_body_over_the_limit_is_413_before_it_is_read(make_gate, engine, connect):
    gate = make_gate(engine, config={"http": {"max_body": "64KiB"}})
    client = connect(gate)
    client.send(POST + b"Content-Length: 70000\r\n\r\n")
    is_error(client.read_response(), 413)
    assert client.closed() == "fin"
    assert not engine.requests


@pytest.mark.parametrize("chunks", [None, 4096])
def test_a_client_still_sending_sees_the_413_and_no_reset(make_gate, engine, connect, chunks):
    gate = make_gate(engine, config={"http": {"max_body": "64KiB"}})
    client = connect(gate)
    client.send(client.encode("POST", "/v1/completions", b'{"model":"m","p":"' + b"x" * 800_000 + b'"}', chunks=chunks))
    is_error(client.read_response(), 413)
    assert client.closed() == "fin"
    assert not engine.requests
    assert served_by(complete(gate.port)) == "B1"


def test_a_body_exactly_at_the_limit_is_taken(make_gate, engine, connect):
    gate = make_gate(engine, config={"http": {"max_body": "64KiB"}})
    body = json.dumps({**PLAIN, "pad": ""}).encode()
    body = body.replace(b'"pad": ""', b'"pad": "%b"' % (b"x" * (65536 - len(body))))
    assert len(body) == 65536
    assert served_by(post(gate.port, "/v1/completions", body)) == "B1"
    assert served_by(post(gate.port, "/v1/completions", body, chunks=1000)) == "B1"
    is_error(post(gate.port, "/v1/completions", body + b" ", chunks=1000), 413)


def test_a_slow_head_is_408(make_gate, engine, connect):
    gate = make_gate(engine, config={"http": {"head_timeout": "300ms"}})
    client = connect(gate)
    watch = Stopwatch()
    client.send(b"POST /v1/completions HTTP/1.1\r\nHost:")
    is_error(client.read_response(), 408)
    assert 0.2 < watch.elapsed < scaled(2)
    assert client.closed() == "fin"


def test_a_head_that_trickles_is_408_all_the_same(make_gate, engine, connect):
    """The limit is for the whole head, not for the gap between its bytes."""
    gate = make_gate(engine, config={"http": {"head_timeout": "400ms"}})
    client = connect(gate)
    client.send(b"POST /v1/completions HTTP/1.1\r\n")
    watch = Stopwatch()

    def trickled():
        if client.readable(0.05):
            return True
        client.send(b"X: y\r\n")
        return False

    eventually(trickled, 3)
    is_error(client.read_response(), 408)
    assert watch.elapsed < scaled(2)


def test_a_body_that_stalls_is_408(make_gate, engine, connect):
    gate = make_gate(engine, config={"http": {"body_timeout": "300ms"}})
    client = connect(gate)
    client.send(POST + b"Content-Length: 100\r\n\r\n{")
    is_error(client.read_response(), 408)
    assert client.closed() == "fin"
    assert not engine.requests


def test_an_idle_connection_is_closed_without_a_word(make_gate, engine, connect):
    gate = make_gate(engine, config={"http": {"idle_timeout": "300ms"}})
    fresh, used = connect(gate), connect(gate)
    used.post("/v1/completions", PLAIN)
    for client in (fresh, used):
        with pytest.raises(Closed) as closed:
            client.read_response()
        assert (closed.value.how, closed.value.data) == ("fin", b"")


def test_the_idle_limit_does_not_end_a_waiting_request(make_gate, engine, connect):
    gate = make_gate(
        engine, config={"http": {"idle_timeout": "200ms", "head_timeout": "200ms", "body_timeout": "200ms"}}
    )
    engine.script = say(0.8, response({"late": 1}))
    assert connect(gate).post("/v1/completions", PLAIN).json() == {"late": 1}


# Expect: 100-continue ---------------------------------------------------------------------------------------

MULTIPART = {"Content-Type": "multipart/form-data; boundary=XX", "Expect": "100-continue"}


def form(size, model=b"m"):
    return (
        b'--XX\r\nContent-Disposition: form-data; name="model"\r\n\r\n' + model + b"\r\n"
        b'--XX\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n'
        + b"\x01\xff" * (size // 2)
        + b"\r\n--XX--\r\n"
    )


def begin_upload(client, size, fields, target="/v1/audio/transcriptions"):
    client.send(encode_head(f"POST {target} HTTP/1.1", {"Host": "x", **fields, "Content-Length": size}))


@pytest.mark.parametrize("engine_sends_100", [False, True])
def test_case_14_expect_continue_is_answered_once_and_at_once(gate, engine, connect, engine_sends_100):
    interim = b"HTTP/1.1 100 Continue\r\n\r\n" if engine_sends_100 else b""
    engine.script = lambda request, conn: conn.send(interim + response({"bytes": len(request.body)}))
    body, client = form(20_000_000), connect(gate)
    watch = Stopwatch()
    begin_upload(client, len(body), MULTIPART)
    assert client.read_interim() == 100
    assert watch.elapsed < scaled(0.5)
    client.send(body)
    final = client.read_response()
    assert (final.status, final.interim, final.json()) == (200, [], {"bytes": len(body)})
    assert engine.requests[-1].body == body


def test_case_14_a_refused_upload_is_never_asked_for(make_gate, engine, connect):
    """The gate refuses by path, size or declared coding: a final answer without 100, and nothing at the engine."""
    gate = make_gate(engine, config={"http": {"max_body": "1MiB"}})
    for fields, target, size, status in (
        (MULTIPART, "/sleep", 1000, 404),
        (MULTIPART, "/v1/audio/transcriptions", 20_000_000, 413),
        ({**MULTIPART, "Content-Encoding": "gzip"}, "/v1/audio/transcriptions", 1000, 415),
    ):
        client = connect(gate)
        begin_upload(client, size, fields, target)
        final = client.read_response()
        assert final.interim == []
        is_error(final, status)
    assert not engine.requests


def test_case_14_the_engines_401_comes_through(gate, engine, connect):
    engine.script = answer({"error": "Unauthorized"}, status=401)
    body, client = form(100_000), connect(gate)
    begin_upload(client, len(body), {**MULTIPART, "Authorization": "Bearer bad"})
    assert client.read_interim() == 100
    client.send(body)
    final = client.read_response()
    assert (final.status, final.json()) == (401, {"error": "Unauthorized"})


def test_case_14_a_client_that_does_not_wait_for_100_is_served(gate, engine, connect):
    body, client = form(1000), connect(gate)
    begin_upload(client, len(body), MULTIPART)
    client.send(body)
    assert client.read_response().status == 200
    assert engine.requests[-1].body == body
