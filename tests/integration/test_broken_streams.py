"""A stream that breaks never looks like one that ended."""

import json

import pytest

from support.check import aborted, is_error, no_invented_end, served_by
from support.client import post
from support.engine import delta, say, stream_head
from support.http_message import DONE, chunk, encode_head, event
from support.prometheus import total
from support.timing import eventually

PLAIN = {"model": "m", "prompt": "hi"}
STREAM = {**PLAIN, "stream": True}
CHAT = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": True}
NO_RETRY = {"retry": {"after_send": 0}}


def begin(client, body=STREAM, target="/v1/completions", fields=(), **options):
    client.send(client.encode("POST", target, body, fields, **options))


EVENTS = {0: [], 1: [chunk(delta("one"))], 100: [chunk(delta(f" w{n}")) for n in range(100)]}
ENDS = {
    "reset": ["reset"],
    "fin_in_a_chunk": [b'ff\r\ndata: {"half', "close"],
    "fin_after_a_chunk": ["close"],
    "fin_in_a_chunk_line": [b"f", "close"],
    "no_chunk_at_all": [b"zz\r\n", "close"],
}


@pytest.mark.parametrize("count", EVENTS)
@pytest.mark.parametrize("end", ENDS)
def test_case_33_a_broken_stream_is_never_finished_off_as_a_success(make_gate, engine, count, end):
    engine.script = say(stream_head(), *EVENTS[count], 0.02, *ENDS[end])
    gate = make_gate(engine, config=NO_RETRY)
    answered = post(gate.port, "/v1/chat/completions", CHAT)
    assert no_invented_end(answered)
    if count == 0:
        assert answered.status == 502 or aborted(answered), answered
        if end in ("reset", "fin_after_a_chunk"):
            is_error(answered, 502)
    else:
        assert answered.status == 200 and aborted(answered), "the client must be able to tell"
        sent = b"".join(data.partition(b"\r\n")[2][:-2] for data in EVENTS[count])
        assert answered.body.startswith(sent), "what came is passed on as it was"
        rest = answered.body[len(sent) :]
        if end in ("reset", "fin_after_a_chunk"):
            assert rest.startswith(b"data: ") and "error" in json.loads(rest[6:])
    errors = lambda: total(gate.metrics(), "vllm:request_errors_total", server=engine.url)
    assert eventually(errors, 2) >= 1, "counted against the engine"


def test_case_33_a_stream_that_stalls_beyond_its_limit_ends_as_broken(make_gate, engine):
    engine.script = say(stream_head(), chunk(delta("one")), "hold")
    gate = make_gate(engine, config={"proxy": {"timeouts": {"between_bytes": "300ms"}}})
    answered = post(gate.port, "/v1/chat/completions", CHAT)
    assert aborted(answered) and no_invented_end(answered) and "error" in json.loads(answered.events[-1][1])
    eventually(lambda: not engine.busy_connections(), 2)


def test_case_33_a_body_shorter_than_its_length_is_cut_as_well(make_gate, engine):
    engine.script = say(encode_head("HTTP/1.1 200 OK", {"content-length": 100}), b'{"half":', 0.05, "close")
    gate = make_gate(engine, config=NO_RETRY)
    answered = post(gate.port, "/v1/completions", PLAIN)
    assert (answered.status, answered.body, answered.complete) == (200, b'{"half":', False)


def test_case_33_with_another_engine_and_no_event_yet_the_request_moves_on(make_gate, engines):
    one, two = engines
    one.script = say(stream_head(), 0.02, "close")
    gate = make_gate(one, two)
    assert {served_by(post(gate.port, "/v1/completions", {**STREAM, "n": n})) for n in range(4)} == {"B2"}


SHAPES = {
    "/v1/completions": (STREAM, None),
    "/v1/chat/completions": (CHAT, None),
    "/v1/messages": ({**CHAT, "max_tokens": 4}, "error"),
    "/v1/responses": ({"model": "m", "input": "x", "stream": True}, "error"),
}


@pytest.mark.parametrize("target", SHAPES)
def test_a_lost_engine_is_told_in_the_apis_own_shape(make_gate, engine, target):
    body, name = SHAPES[target]
    first = chunk(event({"type": "ping"}, name="ping" if name else None))
    engine.script = say(stream_head(), first, 0.05, "reset")
    gate = make_gate(engine)
    answered = post(gate.port, target, body)
    assert aborted(answered)
    got_name, data = answered.events[-1]
    told = json.loads(data)
    assert got_name == name
    if target == "/v1/messages":
        assert told["type"] == "error" and told["error"]["type"] and told["error"]["message"]
    elif target == "/v1/responses":
        assert told["type"] == "error" and (told.get("message") or told["error"]["message"])
    else:
        assert {"message", "type", "param", "code"} <= set(told["error"])
    assert len(answered.events) == 2, "one error event, once"


@pytest.mark.parametrize(
    "part",
    [
        pytest.param([chunk(b'data: {"half": ')], id="inside_an_event"),
        pytest.param([b'40\r\ndata: {"x": 1}\n\n'], id="inside_a_chunk"),
    ],
)
def test_no_error_event_is_put_inside_something_half_sent(make_gate, engine, part):
    engine.script = say(stream_head(), chunk(delta("one")), *part, 0.05, "reset")
    gate = make_gate(engine)
    answered = post(gate.port, "/v1/chat/completions", CHAT)
    assert aborted(answered) and b"error" not in answered.raw_body


def test_no_error_event_is_put_into_a_compressed_stream(make_gate, engine):
    engine.script = say(stream_head([("content-encoding", "gzip")]), chunk(b"\x1f\x8b\x08half\n\n"), 0.05, "reset")
    gate = make_gate(engine)
    answered = post(gate.port, "/v1/chat/completions", CHAT)
    assert aborted(answered) and answered.body == b"\x1f\x8b\x08half\n\n"


def test_no_error_event_is_put_into_what_is_no_event_stream(make_gate, engine):
    engine.script = say(stream_head(content_type="application/json"), chunk(b'{"a":1}\n\n'), 0.05, "reset")
    gate = make_gate(engine)
    answered = post(gate.port, "/v1/completions", PLAIN)
    assert aborted(answered) and answered.body == b'{"a":1}\n\n'


def test_a_stream_that_has_said_done_but_not_ended_is_still_no_clean_end(make_gate, engine):
    engine.script = say(stream_head(), chunk(delta("one")), chunk(DONE), 0.05, "reset")
    gate = make_gate(engine)
    answered = post(gate.port, "/v1/chat/completions", CHAT)
    assert aborted(answered) and answered.body.count(b"[DONE]") == 1


def test_http_1_0_client_of_a_broken_stream_gets_an_abnormal_end_or_the_error(make_gate, engine, connect):
    """Without chunks a plain close looks like an end: the error event (and a reset, where it arrives first) tells."""
    engine.script = say(stream_head(), chunk(delta("one")), 0.05, "reset")
    gate = make_gate(engine)
    client = connect(gate)
    begin(client, CHAT, "/v1/chat/completions", version="HTTP/1.0")
    answered = client.read_response()
    assert no_invented_end(answered) and (answered.closed == "rst" or "error" in json.loads(answered.events[-1][1]))
