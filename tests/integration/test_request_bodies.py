"""Request bodies go out byte for byte; routing only reads them."""

import gzip
import json
import zlib

import pytest

from support.check import is_error, served_by
from support.client import post

PLAIN = {"model": "m", "prompt": "hi"}


# request bodies ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        b'{"model":"m","model":"m"}',
        b'{"model":"m","model":"other"}',
        b'{"model":"m","prompt":"a","prompt":"b"}',
        b'{"model":"m","mod\\u0065l":"other"}',
        b'{"model":"m","stream":true,"stream":false}',
        b'{"model":"m","\\u0073tream":true,"stream":false}',
        b'{"model":"m","max_tokens":1,"max_tokens":2}',
    ],
    ids=lambda body: body.decode()[12:40],
)
def test_a_repeated_key_that_routing_reads_is_400(shared, b1, body):
    before = len(b1.requests)
    is_error(post(shared.port, "/v1/completions", body), 400)
    assert len(b1.requests) == before


def test_a_repeated_key_that_routing_does_not_read_goes_on(shared, b1):
    body = b'{"model":"m","prompt":"x","seed":1,"seed":2,"nested":{"model":"a","model":"b"}}'
    assert served_by(post(shared.port, "/v1/completions", body)) == "B1"
    assert b1.requests[-1].body == body


def test_a_repeated_messages_key_is_400(shared):
    is_error(post(shared.port, "/v1/chat/completions", b'{"model":"m","messages":[],"messages":[]}'), 400)


@pytest.mark.parametrize(
    "body",
    [
        b'{"model":"m","prompt":' + b"[" * 50_000 + b"]" * 50_000 + b"}",
        b'{"prompt":' + b'{"a":' * 50_000 + b"1" + b"}" * 50_000 + b',"model":"m"}',
        b'{"model":"m","n":1e999999,"k":-0,"big":' + b"9" * 100_000 + b"}",
        b'{"model":"m","prompt":"' + b"\\u0041" * 200_000 + b'"}',
        b'{"model":"m"' + b"".join(b',"k%d":%d' % (i, i) for i in range(50_000)) + b"}",
    ],
    ids=["deep_arrays", "deep_objects", "numbers", "escapes", "many_keys"],
)
def test_nesting_size_and_number_tricks_never_hurt(shared, b1, body):
    answered = post(shared.port, "/v1/completions", body)
    assert answered.status in (200, 400), answered
    if answered.status == 200:
        assert b1.requests[-1].body == body


def test_routing_keys_are_found_in_any_order_and_spacing(shared, b1):
    for body in (
        b'{"prompt":"x","stream":false,"model":"m"}',
        b' \r\n\t{ "mod\\u0065l" \n:\t"m" , "prompt":"x" } \n',
        b'{"a":{"model":"zz"},"model":"m"}',
        b'{"prompt":"\\"model\\":\\"zz\\"","model":"\\u006d"}',
    ):
        assert served_by(post(shared.port, "/v1/completions", body)) == "B1"
        assert b1.requests[-1].body == body


# multipart --------------------------------------------------------------------------------------------------


def form(model, extra=b"", boundary=b"XX"):
    part = b"--" + boundary + b"\r\nContent-Disposition: form-data; "
    models = b"".join(
        part + b'name="model"\r\n\r\n' + value + b"\r\n" for value in ([model] if isinstance(model, bytes) else model)
    )
    file = (
        part
        + b'name="file"; filename="a \\"model\\".wav"\r\nContent-Type: audio/wav\r\n\r\n'
        + b'\x00\xff--X\r\n--XY\r\n\r\n"model"\r\n'
    )
    return file + extra + models + b"--" + boundary + b"--\r\n"


AUDIO = "/v1/audio/transcriptions"


@pytest.mark.parametrize(
    "content_type",
    [
        "multipart/form-data; boundary=XX",
        'multipart/form-data; boundary="XX"',
        "Multipart/Form-Data; charset=utf-8; Boundary=XX",
    ],
)
def test_model_is_found_in_a_form_and_the_body_untouched(make_gate, make_engine, content_type):
    one, other = make_engine("B1", models=["whisper"]), make_engine("B2", models=["m"])
    gate = make_gate(one, other)
    for name, engine in ((b"whisper", one), (b"m", other)):
        body = form(name)
        assert served_by(post(gate.port, AUDIO, body, content_type=content_type)) == engine.name
        assert engine.requests[-1].body == body
        assert engine.requests[-1].head.get("content-type") == content_type


@pytest.mark.parametrize("models,status", [([b"nope"], 404), ([b"m", b"m"], 400), ([b""], 400)])
def test_a_forms_model_is_judged_like_one_in_json(shared, b1, models, status):
    before = len(b1.requests)
    is_error(post(shared.port, AUDIO, form(models), content_type="multipart/form-data; boundary=XX"), status)
    assert len(b1.requests) == before


def test_a_form_without_model_goes_to_the_one_base_model(shared):
    assert served_by(post(shared.port, AUDIO, form([]), content_type="multipart/form-data; boundary=XX")) == "B1"


@pytest.mark.parametrize(
    "content_type,body",
    [
        ("multipart/form-data", form(b"m")),
        ("multipart/form-data; boundary=", form(b"m")),
        ("multipart/form-data; boundary=XX", b"no form at all"),
        ("multipart/form-data; boundary=XX", form(b"m")[:-40]),
        ("multipart/form-data; boundary=" + "b" * 300, b"x"),
    ],
)
def test_a_broken_form_never_hurts(shared, content_type, body):
    assert post(shared.port, AUDIO, body, content_type=content_type).status in (200, 400)


# content encoding of requests -------------------------------------------------------------------------------


def test_an_encoded_request_is_415_by_default(shared, b1):
    before = len(b1.requests)
    is_error(
        post(shared.port, "/v1/completions", gzip.compress(json.dumps(PLAIN).encode()), {"Content-Encoding": "gzip"}),
        415,
    )
    assert len(b1.requests) == before


@pytest.mark.parametrize("coding", ["gzip", "deflate", "identity"])
def test_an_encoded_request_is_decoded_for_routing_only(make_gate, make_engine, coding):
    engines = [make_engine("B1", models=["a"]), make_engine("B2", models=["b"])]
    gate = make_gate(*engines, config={"http": {"decode_requests": True}})
    encode = {"gzip": gzip.compress, "deflate": zlib.compress, "identity": bytes}[coding]
    for engine, model in zip(engines, "ab"):
        body = encode(json.dumps({"model": model, "prompt": "hi" * 1000}).encode())
        assert served_by(post(gate.port, "/v1/completions", body, {"Content-Encoding": coding})) == engine.name
        assert engine.requests[-1].body == body
        assert engine.requests[-1].head.get("content-encoding") == coding


def test_a_decompression_bomb_is_refused(make_gate, engine):
    gate = make_gate(engine, config={"http": {"decode_requests": True, "max_body": "1MiB"}})
    bomb = gzip.compress(b'{"model":"m","p":"' + b"x" * 200_000_000 + b'"}', 9)
    before = gate.rss()
    assert post(gate.port, "/v1/completions", bomb, {"Content-Encoding": "gzip"}).status in (400, 413)
    assert gate.rss() - before < 100_000_000
    assert post(gate.port, "/v1/completions", b"\x1f\x8bnot gzip", {"Content-Encoding": "gzip"}).status == 400
    assert post(gate.port, "/v1/completions", bomb[:500], {"Content-Encoding": "gzip"}).status in (400, 413)
    assert post(gate.port, "/v1/completions", b"{}", {"Content-Encoding": "br"}).status == 415
    assert not engine.requests
