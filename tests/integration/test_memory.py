"""What is buffered is bounded and given back."""

import pytest

from support.check import is_error
from support.client import complete, post
from support.engine import answer, delta, say, silent, stream_head
from support.http_message import chunk, encode_head
from support.prometheus import select, total
from support.timing import SANITIZED, Stopwatch, eventually, scaled, stays

PLAIN = {"model": "m", "prompt": "hi"}


def test_buffered_bodies_are_bounded_by_limits_memory(make_gate, engine, connect):
    """Over the limit reading pauses, then the request is refused with 503; what fits is served."""
    gate = make_gate(engine, config={"limits": {"memory": "16MiB"}, "http": {"body_timeout": "3s"}})
    head = lambda size: encode_head("POST /v1/completions HTTP/1.1", {"Host": "x", "Content-Length": size})
    holders = [connect(gate) for _ in range(6)]
    for client in holders:
        client.sock.settimeout(0.2)
        try:
            client.send(head(8_000_000) + b'{"model":"m","prompt":"' + b"x" * 6_000_000)
        except TimeoutError:
            pass  # the gate has stopped reading
    assert total(gate.metrics(), "kvgate_memory_used_bytes") <= 16 << 20
    statuses = [client.read_response().status for client in holders]
    assert set(statuses) <= {408, 503} and 503 in statuses, statuses
    eventually(lambda: total(gate.metrics(), "kvgate_request_body_buffered_bytes") == 0)
    assert complete(gate.port, pad="x" * 2_000_000).status == 200  # its parser takes memory as well


def test_the_request_body_is_freed_once_the_answer_has_begun(make_gate, engine, connect):
    engine.script = say(stream_head(), chunk(delta("one")), "hold")
    gate = make_gate(engine)
    client = connect(gate)
    client.send(client.encode("POST", "/v1/completions", {**PLAIN, "stream": True, "pad": "x" * 4_000_000}))
    client.read_until(client.read_head(), b"one")
    eventually(
        lambda: total(gate.metrics(), "kvgate_request_body_buffered_bytes") < 100_000,
        2,
        lambda: select(gate.metrics(), "kvgate_request_body_buffered_bytes"),
    )


def hold_memory(client, size):
    """Half an upload: its buffer counts against limits.memory while the rest is awaited."""
    client.send(encode_head("POST /v1/completions HTTP/1.1", {"Host": "x", "Content-Length": size}))
    client.send(b'{"model":"m","prompt":"' + b"x" * (size * 7 // 8))


def test_reading_a_body_waits_for_memory_as_receiving_it_does(make_gate, engine, connect):
    gate = make_gate(engine, config={"limits": {"memory": "16MiB"}})
    holder, client = connect(gate), connect(gate)
    hold_memory(holder, 8_000_000)
    eventually(lambda: total(gate.metrics(), "kvgate_memory_used_bytes") >= 7_000_000)
    client.send(client.encode("POST", "/v1/completions", {**PLAIN, "pad": "x" * 1_500_000}))
    stays(lambda: not client.readable(), 0.3)  # there is room for the body, not for its parser
    holder.close()
    assert client.read_response().status == 200


def test_reading_a_body_waits_only_so_long_for_memory(make_gate, engine, connect):
    gate = make_gate(engine, config={"limits": {"memory": "16MiB"}, "http": {"body_timeout": "4s"}})
    holder, client = connect(gate), connect(gate)
    hold_memory(holder, 8_000_000)
    eventually(lambda: total(gate.metrics(), "kvgate_memory_used_bytes") >= 7_000_000)
    watch = Stopwatch()
    refused = client.post("/v1/completions", {**PLAIN, "pad": "x" * 1_500_000})
    is_error(refused, 503)
    assert refused.get("retry-after") and 1 < watch.elapsed < scaled(3.5)
    assert not engine.requests
    assert client.post("/v1/completions", PLAIN).status == 200, "the connection goes on"


def test_a_client_that_leaves_while_its_body_waits_for_memory_is_forgotten(make_gate, engine, connect):
    gate = make_gate(engine, config={"limits": {"memory": "16MiB"}})
    holder, client = connect(gate), connect(gate)
    hold_memory(holder, 8_000_000)
    eventually(lambda: total(gate.metrics(), "kvgate_memory_used_bytes") >= 7_900_000)   # else the next one fits
    client.send(client.encode("POST", "/v1/completions", {**PLAIN, "pad": "x" * 1_500_000}))
    eventually(lambda: total(gate.metrics(), "kvgate_memory_used_bytes") >= 9_400_000)
    client.close()
    eventually(lambda: total(gate.metrics(), "kvgate_memory_used_bytes") <= 8_100_000, 1)
    assert not engine.requests


def test_the_scratch_of_a_large_body_is_given_back(make_gate, engine):
    engine.script = answer({})
    gate = make_gate(engine)
    assert complete(gate.port).status == 200
    before = gate.rss()
    body = b'{"model":"m","prompt":[' + b"1," * 15_000_000 + b"1]}"  # an index entry for every other byte
    assert post(gate.port, "/v1/completions", body).status == 200
    if not SANITIZED:  # they keep freed memory for a while
        eventually(lambda: gate.rss() < before + 20_000_000, 5, lambda: f"{before} -> {gate.rss()}")


FORM = {"Content-Type": "multipart/form-data; boundary=XX"}
AUDIO = (
    b'--XX\r\nContent-Disposition: form-data; name="model"\r\n\r\nm\r\n'
    b'--XX\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n'
    + b"x" * 3_000_000
    + b"\r\n--XX--\r\n"
)
SENT_ONCE = {
    "audio": ("/v1/audio/transcriptions", AUDIO, FORM),
    "store": ("/v1/responses", {"model": "m", "input": "x" * 3_000_000, "store": True}, {}),
    "small": ("/v1/responses", {"model": "m", "input": "x", "background": True}, {}),
}


@pytest.mark.parametrize("name", SENT_ONCE)
def test_a_body_that_may_not_be_sent_again_is_freed_once_it_is_sent(make_gate, engine, connect, name):
    engine.script = silent
    gate = make_gate(engine)
    client = connect(gate)
    target, body, fields = SENT_ONCE[name]
    client.send(client.encode("POST", target, body, fields) + client.encode("GET", "/version"))
    eventually(lambda: engine.requests)
    buffered = lambda: total(gate.metrics(), "kvgate_request_body_buffered_bytes")
    eventually(lambda: buffered() == 0, 2, buffered)
    assert gate.in_flight()["vllm:num_requests_running"] == 1
    engine.open_connections()[-1].reset()
    is_error(client.read_response(), 502)
    assert client.read_response("GET").status == 200, "what was pipelined behind it is kept"


def test_the_body_of_the_last_try_is_freed_once_it_is_sent(make_gate, engines, connect):
    gate = make_gate(*engines)
    for _ in range(4):
        assert complete(gate.port).status == 200  # so that there are idle connections
    for engine in engines:
        engine.script = say("reset") if engine is engines[0] else silent
    tried = lambda: len(engines[1].requests) > 2
    buffered = lambda: total(gate.metrics(), "kvgate_request_body_buffered_bytes")
    lost = lambda: total(gate.metrics(), "kvgate_retries_total", cause="engine_lost")
    for _ in range(2):  # one of the two begins at the engine that loses it
        client = connect(gate)
        before = len(engines[1].requests)
        client.send(client.encode("POST", "/v1/completions", {**PLAIN, "pad": "x" * 1_000_000}))
        eventually(lambda: len(engines[1].requests) > before)
        if lost():
            eventually(lambda: buffered() == 0, 2, buffered)
            break
        client.close()
    assert tried() and lost()


def test_a_body_that_was_freed_is_remembered_as_poison(make_gate, engines):
    for engine in engines:
        engine.script = say("reset")
    gate = make_gate(*engines)
    body = {"model": "m", "input": "killer", "store": True}
    for _ in range(2):
        is_error(post(gate.port, "/v1/responses", body), 502)
    assert [len(engine.requests) for engine in engines] == [1, 1]
    is_error(post(gate.port, "/v1/responses", body), 502)
    assert [len(engine.requests) for engine in engines] == [1, 1], "it is not sent to a third"
    assert total(gate.metrics(), "kvgate_poisoned_requests_total") == 1


def test_errors_are_counted_by_cause(make_gate, engine):
    gate = make_gate(engine, config={"retry": {"after_send": 0}})
    complete(gate.port, "nope")
    engine.script = say("reset")
    complete(gate.port)
    causes = lambda: {
        dict(labels)["cause"] for labels, value in select(gate.metrics(), "kvgate_errors_total").items() if value
    }
    eventually(lambda: {"model_not_found", "engine_lost"} <= causes(), 2, causes)
