"""Ambiguous or broken framing is answered 400 and closed; nothing of it reaches an engine."""

import pytest

from support.check import is_error, served_by
from support.client import Client, complete
from support.timing import stays

BODY = b'{"model":"m","prompt":"hi"}'
HIDDEN = b"GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


def sized(*lines, body=BODY):
    """A completion with extra header lines, exactly as written, and a hidden request behind its body."""
    return POST + b"".join(line + b"\r\n" for line in lines) + b"\r\n" + body + HIDDEN


LENGTH = b"Content-Length: %d" % len(BODY)
CHUNKED = b"Transfer-Encoding: chunked"
ONE_CHUNK = b"%x\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY)
HEX = b"%x" % len(BODY)

AMBIGUOUS = {
    # the cases of the public list
    "length_and_chunked": sized(LENGTH, CHUNKED, body=ONE_CHUNK),
    "chunked_and_length": sized(CHUNKED, LENGTH, body=ONE_CHUNK),
    "two_different_lengths": sized(LENGTH, b"Content-Length: 0"),
    "blank_before_the_colon_of_encoding": sized(b"Transfer-Encoding : chunked", body=ONE_CHUNK),
    "unknown_coding": sized(b"Transfer-Encoding: xchunked", body=ONE_CHUNK),
    "signed_length": sized(b"Content-Length: +%d" % len(BODY)),
    "hex_length": sized(b"Content-Length: 0x%x" % len(BODY)),
    "bare_lf_in_a_chunk_line": sized(CHUNKED, body=ONE_CHUNK.replace(b"\r\n", b"\n", 1)),
    "nul_in_a_header": sized(LENGTH, b"X-A: a\0b"),
    "folded_header": sized(LENGTH, b"X-A: a\r\n b"),
    # their relatives
    "folded_encoding": sized(b"Transfer-Encoding:\r\n chunked", body=ONE_CHUNK),
    "two_equal_lengths": sized(LENGTH, LENGTH),
    "length_as_a_list": sized(b"Content-Length: %d, %d" % (len(BODY), len(BODY))),
    "negative_length": sized(b"Content-Length: -1"),
    "empty_length": sized(b"Content-Length:"),
    "length_with_blank_inside": sized(b"Content-Length: 2 7"),
    "length_over_64_bit": sized(b"Content-Length: 18446744073709551643"),
    "length_and_blank_before_colon": sized(b"Content-Length : %d" % len(BODY)),
    "identity_coding": sized(b"Transfer-Encoding: identity"),
    "gzip_then_chunked": sized(b"Transfer-Encoding: gzip, chunked", body=ONE_CHUNK),
    "chunked_then_identity": sized(b"Transfer-Encoding: chunked, identity", body=ONE_CHUNK),
    "chunked_twice": sized(CHUNKED, CHUNKED, body=ONE_CHUNK),
    "chunked_in_a_list_twice": sized(b"Transfer-Encoding: chunked, chunked", body=ONE_CHUNK),
    "quoted_coding": sized(b'Transfer-Encoding: "chunked"', body=ONE_CHUNK),
    "coding_with_vertical_tab": sized(b"Transfer-Encoding: \x0bchunked", body=ONE_CHUNK),
    "empty_coding": sized(b"Transfer-Encoding:", body=ONE_CHUNK),
    "chunked_in_http_1_0": sized(CHUNKED, body=ONE_CHUNK).replace(b"HTTP/1.1", b"HTTP/1.0", 1),
    "no_host": sized(LENGTH).replace(b"Host: x\r\n", b"", 1),
    "two_hosts": sized(b"Host: y", LENGTH),
    "bare_lf_line_end": sized(b"X-A: a\nX-B: b", LENGTH),
    "bare_cr_in_a_value": sized(b"X-A: a\rContent-Length: 0", LENGTH),
    "bare_lf_everywhere": sized(LENGTH).replace(b"\r\n", b"\n"),
    "no_colon": sized(b"X-A", LENGTH),
    "empty_name": sized(b": a", LENGTH),
    "blank_in_a_name": sized(b"X A: a", LENGTH),
    "folded_first_line": sized(LENGTH).replace(b"Host:", b" X: y\r\nHost:", 1),
    "blank_in_the_target": sized(LENGTH).replace(b"/v1/completions", b"/v1/completions x", 1),
    "two_blanks_before_target": sized(LENGTH).replace(b"POST ", b"POST  ", 1),
    "unknown_version": sized(LENGTH).replace(b"HTTP/1.1", b"HTTP/1.2", 1),
    "http_0_9": b"GET /v1/models\r\n\r\n" + HIDDEN,
    "method_is_no_token": sized(LENGTH).replace(b"POST", b"PO(ST", 1),
    "chunk_size_signed": sized(CHUNKED, body=b"+" + ONE_CHUNK),
    "chunk_size_negative": sized(CHUNKED, body=b"-" + ONE_CHUNK),
    "chunk_size_0x": sized(CHUNKED, body=b"0x" + ONE_CHUNK),
    "chunk_size_leading_blank": sized(CHUNKED, body=b" " + ONE_CHUNK),
    "chunk_size_empty": sized(CHUNKED, body=ONE_CHUNK[len(HEX) :]),
    "chunk_size_over_64_bit": sized(CHUNKED, body=b"1" + b"0" * 15 + HEX + ONE_CHUNK[len(HEX) :]),
    "chunk_longer_than_told": sized(CHUNKED, body=b"1\r\n" + BODY + b"\r\n0\r\n\r\n"),
    "bare_lf_after_chunk_data": sized(CHUNKED, body=ONE_CHUNK.replace(BODY + b"\r\n", BODY + b"\n", 1)),
    "bare_lf_after_last_chunk": sized(CHUNKED, body=ONE_CHUNK.replace(b"0\r\n\r\n", b"0\n\n", 1)),
    "bare_lf_in_chunk_extension": sized(CHUNKED, body=HEX + b";a\n" + ONE_CHUNK[len(HEX) :]),
    "nul_in_chunk_line": sized(CHUNKED, body=HEX + b"\0" + ONE_CHUNK[len(HEX) :]),
}


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_case_15_ambiguous_framing_is_refused_and_closed(shared, b1, name):
    before = len(b1.requests)
    with Client(shared.port) as client:
        client.send(AMBIGUOUS[name])
        is_error(client.read_response(), 400)
        assert client.closed() == "fin", "the connection must be closed, without a reset"
    assert len(b1.requests) == before, f"reached the engine: {b1.requests[-1].raw!r}"
    assert served_by(complete(shared.port)) == "B1"
    assert len(b1.requests) == before + 1


def test_case_15_optional_whitespace_behind_chunked_is_one_request(shared, b1):
    """RFC 9110 allows a tab there: refused, or sent on as one request in the gate's own framing."""
    before = len(b1.requests)
    with Client(shared.port) as client:
        client.send(sized(b"Transfer-Encoding: chunked\t", body=ONE_CHUNK))
        first = client.read_response()
        if first.status == 200:
            assert client.read_response("GET").status == 404
            assert [request.body for request in b1.requests[before:]] == [BODY]
        else:
            is_error(first, 400)
    assert all(request.path != "/hidden" for request in b1.requests)


def test_case_15_a_cut_off_head_or_body_never_reaches_the_engine(shared, b1):
    before = len(b1.requests)
    for data in (
        sized(LENGTH)[:30],
        sized(LENGTH)[: -len(HIDDEN) - 3],
        sized(CHUNKED, body=ONE_CHUNK[:-2])[: -len(HIDDEN)],
    ):
        with Client(shared.port) as client:
            client.send(data)
            client.half_close()
            client.closed()
    stays(lambda: len(b1.requests) == before, 0.1)


def test_case_12_chunked_request_body_goes_on_in_one_framing(shared, b1):
    """1-byte chunks with an extension and a trailer field: the engine gets the bytes with a Content-Length."""
    body = BODY + b" " * 40
    pieces = b"".join(b'1;ext="v"\r\n' + body[i : i + 1] + b"\r\n" for i in range(len(body)))
    with Client(shared.port, timeout=1) as client:
        client.send(POST + CHUNKED + b"\r\nTrailer: X-Sum\r\n\r\n" + pieces + b"0\r\nX-Sum: abc\r\n\r\n")
        assert served_by(client.read_response()) == "B1"
        got = b1.requests[-1]
        assert got.body == body
        assert got.head.all("content-length") == [str(len(body))]
        assert "transfer-encoding" not in got.head and "x-sum" not in got.head and not got.trailers
        assert served_by(client.post("/v1/completions", BODY)) == "B1", "the connection can be used again"


@pytest.mark.parametrize("size", [1, 2, 3, 5, 16, 4096])
def test_a_chunked_body_in_any_cut_arrives_as_it_was(shared, b1, size):
    body = BODY[:-1] + b',"pad":"' + b"x" * 5000 + b'"}'
    with Client(shared.port) as client:
        client.send_cut(client.encode("POST", "/v1/completions", body, chunks=size), seed=size)
        assert served_by(client.read_response()) == "B1"
    assert b1.requests[-1].body == body


def test_an_empty_chunked_body_is_an_empty_body(shared, b1):
    with Client(shared.port) as client:
        client.send(POST + CHUNKED + b"\r\n\r\n0\r\n\r\n")
        is_error(client.read_response(), 400)
        assert served_by(client.post("/v1/completions", BODY)) == "B1", "an empty body is no framing error"
