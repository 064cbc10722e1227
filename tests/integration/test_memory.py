"""What is buffered is bounded and given back."""

from support.client import complete
from support.engine import delta, say, stream_head
from support.http_message import chunk, encode_head
from support.prometheus import select, total
from support.timing import eventually

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


def test_errors_are_counted_by_cause(make_gate, engine):
    gate = make_gate(engine, config={"retry": {"after_send": 0}})
    complete(gate.port, "nope")
    engine.script = say("reset")
    complete(gate.port)
    causes = lambda: {
        dict(labels)["cause"] for labels, value in select(gate.metrics(), "kvgate_errors_total").items() if value
    }
    eventually(lambda: {"model_not_found", "engine_lost"} <= causes(), 2, causes)
