"""/metrics: what is counted, and where labels come from."""

import threading

import pytest

from support.client import ask, complete, get, post
from support.engine import answer, completion, delta, response, say, stream_head
from support.http_message import DONE, LAST_CHUNK, chunk, event
from support.prometheus import parse_metrics, select, total
from support.timing import eventually

PLAIN = {"model": "m", "prompt": "hi"}
STREAM = {**PLAIN, "stream": True}


def test_the_series_that_dashboards_know_are_there(make_gate, engine):
    gate = make_gate(engine)
    engine.script = answer(
        {
            "id": "x",
            "usage": {
                "prompt_tokens": 5,
                "completion_tokens": 3,
                "total_tokens": 8,
                "prompt_tokens_details": {"cached_tokens": 2},
            },
        }
    )
    post(gate.port, "/v1/completions", PLAIN)
    eventually(lambda: total(gate.metrics(), "kvgate_requests_total", status="200") == 1)
    metrics = gate.metrics()
    one = {
        ("vllm:num_incoming_requests_total", ("model", "m")): 1,
        ("vllm:healthy_pods_total", ("server", engine.url)): 1,
        ("vllm:input_tokens_total", ("server", engine.url)): 5,
        ("vllm:output_tokens_total", ("model", "m")): 3,
        ("kvgate_cached_prompt_tokens_total", ("model", "m")): 2,
    }
    for (name, label), value in one.items():
        assert total(metrics, name, **dict([label])) == value, name
    assert (
        total(metrics, "kvgate_requests_total", route="/v1/completions", model="m", engine=engine.url, status="200")
        == 1
    )
    assert total(metrics, "vllm:request_latency_seconds_count", server=engine.url, status="success") == 1
    for name in (
        "kvgate_time_to_first_token_seconds_count",
        "kvgate_request_duration_seconds_count",
        "kvgate_decision_seconds_count",
        "kvgate_connections_total",
        "kvgate_request_bytes_total",
        "kvgate_response_bytes_total",
    ):
        assert total(metrics, name) > 0, name
    for name in (
        "vllm:num_prefill_requests",
        "vllm:num_decoding_requests",
        "vllm:num_requests_running",
        "vllm:current_qps",
    ):
        assert select(metrics, name, server=engine.url), name


def test_gauges_follow_a_request_from_prefill_to_decoding(make_gate, engine, connect):
    step = threading.Event()

    def script(_request, conn):
        conn.send(stream_head())
        while not step.is_set():
            conn.pause(0.01)
        conn.send(chunk(delta("one")))
        conn.hold()

    engine.script = script
    gate = make_gate(engine)
    client = connect(gate)
    client.send(client.encode("POST", "/v1/completions", STREAM))
    seen = lambda: {
        name[5:]: total(gate.metrics(), name, server=engine.url)
        for name in ("vllm:num_prefill_requests", "vllm:num_decoding_requests", "vllm:num_requests_running")
    }
    eventually(
        lambda: seen() == {"num_prefill_requests": 1, "num_decoding_requests": 0, "num_requests_running": 1}, 5, seen
    )
    step.set()
    eventually(
        lambda: seen() == {"num_prefill_requests": 0, "num_decoding_requests": 1, "num_requests_running": 1}, 5, seen
    )
    client.close()
    eventually(lambda: not any(seen().values()), 5, seen)


def test_every_status_is_counted_with_route_and_engine(make_gate, engine):
    gate = make_gate(engine)
    engine.script = answer({}, status=429)
    complete(gate.port)
    complete(gate.port, "nope")
    counted = lambda **labels: total(gate.metrics(), "kvgate_requests_total", route="/v1/completions", **labels)
    eventually(lambda: counted(status="429", engine=engine.url, model="m") == 1)
    eventually(lambda: counted(status="404") == 1)
    assert "nope" not in get(gate.port, "/metrics").body.decode()


def test_time_to_first_token_is_of_answers_that_have_one(make_gate, engine):
    gate = make_gate(engine)
    for status in (200, 429, 500):
        engine.script = answer({}, status=status)
        complete(gate.port)
    eventually(lambda: total(gate.metrics(), "kvgate_requests_total", status="500") == 1)
    assert total(gate.metrics(), "kvgate_time_to_first_token_seconds_count") == 1


def test_response_bytes_are_bytes_of_bodies(make_gate, engine):
    gate = make_gate(engine)
    sent = len(complete(gate.port).body) + len(complete(gate.port, "nope").body)
    eventually(lambda: total(gate.metrics(), "kvgate_requests_total", status="404") == 1)
    assert total(gate.metrics(), "kvgate_response_bytes_total") == sent


@pytest.mark.parametrize("events", [1, 100])
@pytest.mark.parametrize("late", [{"output_tokens": 7}, {"input_tokens": 0, "output_tokens": 7}])
def test_a_stream_of_messages_tells_its_prompt_at_the_start(make_gate, engine, events, late):
    """Input tokens come with message_start, far ahead of message_delta, whose usage need not repeat them."""
    early = {"input_tokens": 11, "cache_read_input_tokens": 4, "output_tokens": 1}
    told = [{"type": "message_start", "message": {"id": "msg_1", "usage": early}}]
    told += [{"type": "content_block_delta", "delta": {"type": "text_delta", "text": "x" * 150}}] * events
    told += [{"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": late}, {"type": "message_stop"}]
    engine.script = say(stream_head(), *(chunk(event(one, name=one["type"])) for one in told), LAST_CHUNK)
    gate = make_gate(engine)
    body = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}], "stream": True}
    assert post(gate.port, "/v1/messages", body).complete
    tokens = lambda kind: total(gate.metrics(), f"kvgate_{kind}_tokens_total", source="usage")
    seen = lambda: (tokens("prompt"), tokens("cached_prompt"), tokens("completion"))
    eventually(lambda: seen() == (11, 4, 7), 2, seen)


def test_case_36_labels_never_come_from_clients(make_gate, make_engine):
    """Thousands of invented names; then sizes and odd bytes."""
    gate = make_gate(make_engine("B1", models=["m1"]), make_engine("B2", models=["m2"]))
    for model in ("m1", "m2"):
        complete(gate.port, model)
    for n in range(3):
        complete(gate.port, f"warm-{n}")
        get(gate.port, f"/warm/{n}")
        ask(gate.port, f"FOO{n}", "/v1/completions")
    get(gate.port, "/v1/models/nope")
    series = len(gate.metrics())
    for n in range(2000):
        invented = [
            ("POST", "/v1/completions", {"model": f"x{n}"}),
            ("GET", f"/p{n}/x", None),
            (f"M{n}X", "/v1/completions", None),
        ][n % 3]
        answered = ask(gate.port, *invented, {"X-Session-Id": f"s{n}"}, host=f"h{n}.example")
        assert answered.status in (400, 404, 405, 501)
    for odd in ('a"b\n{}\\', "\u2028é", "x" * 1_000_000, 'm1"} 1\nevil 2'):
        assert complete(gate.port, odd).status == 404
    text = get(gate.port, "/metrics").body
    metrics = parse_metrics(text.decode())
    assert len(text) < 1_000_000 and len(metrics) <= series + 60, (len(metrics), series)
    for word in (b"x3", b"/p1/", b"evil", b"M2X", b"h0.example"):
        assert word not in text
    for model in ("m1", "m2"):
        assert total(metrics, "kvgate_requests_total", model=model, status="200") == 1


def test_case_37_gauges_never_go_negative_when_an_engine_flaps(make_gate, engines, connect):
    one, two = engines
    rest = threading.Event()

    def script(request, conn):
        if not request.json().get("hold"):
            return completion(request, conn)
        conn.send(stream_head() + chunk(delta("one")))
        while not rest.is_set():
            conn.send(chunk(delta("w")))
            conn.pause(0.05)
        conn.send(chunk(DONE) + LAST_CHUNK)

    one.script = two.script = script
    gate = make_gate(
        one, two, config={"routing": {"policies": ["least_loaded"]}, "health": {"interval": "50ms", "fall": 1}}
    )
    clients = [connect(gate) for _ in range(50)]
    for client in clients:
        client.send(client.encode("POST", "/v1/completions", {**STREAM, "hold": 1}))
    answers = [client.read_until(client.read_head(), b"one") for client in clients]
    up = lambda: total(gate.metrics(), "kvgate_engine_up", engine=one.url)

    def no_negative():
        return not [
            key
            for key, value in gate.metrics().items()
            if value < 0 and ("running" in key[0] or "flight" in key[0] or "_requests" in key[0])
        ]

    for turn in range(10):
        one.health = 503 if turn % 2 == 0 else 200
        eventually(lambda: up() == (turn % 2), 5)
        for _ in range(5):
            assert complete(gate.port).status == 200
        assert no_negative()
        for client, answered in list(zip(clients, answers))[turn * 3 : turn * 3 + 3]:
            client.close()
    rest.set()
    for client, answered in list(zip(clients, answers))[30:]:
        assert client.finish(answered).complete
        assert no_negative()
    one.health = 200
    eventually(lambda: up() == 1)
    eventually(lambda: not any(gate.in_flight().values()))
    before = len(one.requests), len(two.requests)
    for _ in range(20):
        complete(gate.port)
    got = len(one.requests) - before[0], len(two.requests) - before[1]
    assert abs(got[0] - got[1]) <= 2, f"no more than its share after the flaps: {got}"


def test_case_38_engines_with_odd_metrics_are_ranked_by_what_the_gate_knows(make_gate, make_engine):
    """Whatever /metrics of an engine says, or does not: load is the gate's own count, and nobody waits for it."""
    engines = [make_engine(f"B{n}") for n in (1, 2, 3, 4, 5)]
    engines[0].metrics = "sglang:num_running_reqs 99\n"
    engines[1].metrics = 'vllm:num_requests_running{engine="0"} 3\nvllm:num_requests_waiting{engine="0"} 1\n'
    engines[2].probe_script = lambda request, conn: request.path == "/metrics" and (
        conn.send(response(b"", status=404)) or True
    )
    engines[3].probe_script = lambda request, conn: request.path == "/metrics" and (conn.hold() or True)
    engines[4].metrics = 'vllm:num_requests_running{engine="0"} NaN\nvllm:num_requests_running{engine="1"} 2\n'
    gate = make_gate(*engines, config={"routing": {"policies": ["least_loaded"]}})
    for _ in range(300):
        assert complete(gate.port).status == 200
    shares = [len(engine.requests) for engine in engines]
    assert sum(shares) == 300 and max(shares) - min(shares) <= 6, shares
