"""Responses come back as the engine gave them."""

import gzip
import json
import zlib

import pytest

from support.check import served_by
from support.client import Client, post
from support.engine import echo_head, response, say
from support.http_message import LAST_CHUNK, chunk, encode_head

PLAIN = {"model": "m", "prompt": "hi"}
CHAT = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}


OWN_FIELDS = {"x-request-id", "connection", "keep-alive"}


def engine_fields(answered):
    return [field for field in answered.fields if field[0].lower() not in OWN_FIELDS]


@pytest.mark.parametrize("status", [200, 201, 202, 400, 401, 403, 404, 409, 418, 422, 429, 500, 501, 529, 599])
def test_status_headers_and_body_of_the_engine_are_untouched(shared, b1, status):
    fields = [
        ("Server", "uvicorn"),
        ("set-cookie", "a=1"),
        ("X-Odd", ""),
        ("Set-Cookie", "b=2"),
        ("date", "Mon, 30 Nov 2026"),
        ("ETag", '"x"'),
        ("set-cookie", "c=3"),
        ("X-Bytes", "é".encode().decode("latin-1")),
        ("Vary", "Origin"),
        ("content-length", "7"),
        ("content-type", "text/x-odd"),
    ]
    b1.script = lambda _, conn: conn.send(encode_head(f"HTTP/1.1 {status} Odd Reason!", fields) + b"\x00\xff{bad\n")
    answered = post(shared.port, "/v1/completions", PLAIN)
    assert (answered.status, answered.reason, answered.body) == (status, "Odd Reason!", b"\x00\xff{bad\n")
    assert engine_fields(answered) == fields


def test_hop_by_hop_headers_of_the_engine_are_dropped(shared, b1):
    fields = {
        "Connection": "keep-alive, X-Private",
        "Keep-Alive": "timeout=5",
        "X-Private": "1",
        "Proxy-Authenticate": "Basic",
    }
    b1.script = lambda _, conn: conn.send(response(b"{}", fields=fields))
    answered = post(shared.port, "/v1/completions", PLAIN)
    assert answered.status == 200
    names = {name.lower() for name, _ in answered.fields}
    assert not names & {"keep-alive", "x-private", "proxy-authenticate"}


def test_chunks_extensions_and_trailers_pass_unaltered(shared, b1):
    raw = b'5;name="v"\r\nhello\r\n1\r\n!\r\n0\r\nX-Sum: abc\r\nX-Sum: def\r\n\r\n'
    b1.script = say(encode_head("HTTP/1.1 200 OK", {"Trailer": "X-Sum", "transfer-encoding": "chunked"}), raw)
    answered = post(shared.port, "/v1/completions", PLAIN)
    assert answered.body == b"hello!" and answered.complete
    assert answered.trailers == [("X-Sum", "abc"), ("X-Sum", "def")]
    assert answered.chunks == [b"hello", b"!"]


def test_a_body_that_ends_with_the_connection_reaches_the_client_whole(shared, b1):
    data = b"x" * 300_000
    b1.script = say(encode_head("HTTP/1.1 200 OK", {"content-type": "text/plain"}), data, "close")
    answered = post(shared.port, "/v1/completions", PLAIN)
    assert answered.body == data and answered.complete
    b1.script = say(encode_head("HTTP/1.0 200 OK", {"content-type": "text/plain"}), data, "close")
    answered = post(shared.port, "/v1/completions", PLAIN)
    assert answered.body == data and answered.complete


def test_interim_answers_of_an_engine_are_swallowed(shared, b1):
    b1.script = say(
        b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 0.02, b"HTTP/1.1 102 Processing\r\n\r\n", response({"ok": 1})
    )
    answered = post(shared.port, "/v1/completions", PLAIN)
    assert (answered.interim, answered.json()) == ([], {"ok": 1})


def test_a_large_sized_body_arrives_as_it_was(shared, b1):
    data = bytes(range(256)) * 40_000
    b1.script = lambda _, conn: conn.send(response(data, content_type="application/octet-stream"))
    assert post(shared.port, "/v1/audio/speech", PLAIN).body == data


@pytest.mark.parametrize(
    "accept,stream", [(accept, stream) for accept in ("gzip", "identity", None) for stream in (False, True)]
)
def test_case_13_compressed_stays_compressed_and_labelled(shared, b1, connect, accept, stream):
    """The engine gzips when it may; header and bytes agree, and a compressed stream stays incremental."""
    text = json.dumps({"text": "héllo " * 50}).encode()

    def script(request, conn):
        if "gzip" not in request.head.get("accept-encoding", ""):
            conn.send(
                response(text)
                if not stream
                else encode_head("HTTP/1.1 200 OK", {"transfer-encoding": "chunked"}) + chunk(text) + LAST_CHUNK
            )
        elif not stream:
            conn.send(response(gzip.compress(text), fields={"content-encoding": "gzip"}))
        else:
            packer = zlib.compressobj(wbits=31)
            conn.send(encode_head("HTTP/1.1 200 OK", {"content-encoding": "gzip", "transfer-encoding": "chunked"}))
            conn.send(chunk(packer.compress(text[:100]) + packer.flush(zlib.Z_SYNC_FLUSH)))
            conn.pause(0.3)
            conn.send(chunk(packer.compress(text[100:]) + packer.flush()) + LAST_CHUNK)

    b1.script = script
    client = connect(shared)
    client.send(
        client.encode(
            "POST", "/v1/completions", {**PLAIN, "stream": stream}, {"Accept-Encoding": accept} if accept else {}
        )
    )
    answered = client.read_head()
    packed = accept == "gzip"
    assert answered.get("content-encoding") == ("gzip" if packed else None)
    if packed and stream:
        while not answered.body:
            client.more(answered)
        assert zlib.decompressobj(wbits=31).decompress(answered.body) == text[:100], "the first part came by itself"
    body = client.finish(answered).body
    assert (gzip.decompress(body) if packed else body) == text


def test_an_answer_before_the_body_was_sent_whole_is_passed_on(make_gate, engine, connect):
    """An engine that refuses a large upload early: its answer reaches the client."""

    def refuse(head, conn):
        if not head.start.startswith("POST"):
            return False
        conn.send(response({"error": "too large"}, status=413, fields=[("connection", "close")]))
        conn.pause(0.2)
        conn.close()
        return True

    gate = make_gate(engine)
    engine.on_head = refuse
    answered = post(gate.port, "/v1/completions", {**PLAIN, "pad": "x" * 8_000_000})
    assert answered.status in (413, 502), answered


def test_cut_requests_reach_the_engine_whole(shared, b1):
    for seed in range(10):
        with Client(shared.port) as client:
            body = {**PLAIN, "pad": "y" * (seed * 977)}
            client.send_cut(client.encode("POST", "/v1/completions", body), seed=seed)
            assert served_by(client.read_response()) == "B1"
        assert b1.requests[-1].json() == body


def test_the_engine_sees_the_request_as_it_was_asked(shared, b1):
    b1.script = echo_head
    got = post(shared.port, "/v1/chat/completions?x=1", CHAT).json()
    assert got["start"] == "POST /v1/chat/completions?x=1 HTTP/1.1"
    names = [name.lower() for name, _ in got["fields"]]
    assert len(names) == len(set(names)), f"a field twice: {names}"
