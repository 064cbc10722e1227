"""Faults that were found in this gate once, each as its finder described it."""

import gzip
import socket
import threading

import pytest
from support.check import is_error
from support.client import Client, ask, complete, get, post
from support.engine import completion, response
from support.http_message import encode_head
from support.prometheus import total
from support.timing import eventually, scaled

PLAIN = {"model": "m", "prompt": "hi"}


@pytest.mark.parametrize("garbage", [b"GARBAGE\r\n\r\n", b"GET / HTTP/1.1\r\nX: " + b"y" * 40_000])
def test_a_refused_head_knows_nothing_of_the_request_before(make_gate, engine, connect, garbage):
    """The large body's buffer is gone by then; the head of the second request must not be looked up in it."""
    gate = make_gate(engine)
    client = connect(gate)
    fields = {"X-Request-Id": "the-first-one"}
    assert client.post("/v1/completions", {**PLAIN, "pad": "x" * 3_000_000}, fields).status == 200
    client.send(garbage)
    answered = client.read_response()
    assert answered.status in (400, 431) and answered.get("x-request-id") != "the-first-one"


def test_an_interim_answer_does_not_end_the_upload(make_gate, engine):
    """103 and then the rest is read: the gate must go on sending."""
    seen = []

    def early(request, conn):
        conn.send(response({"ok": 1}))

    engine.script = early
    gate = make_gate(engine)
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    threading.Thread(target=interim_engine, args=(listener, seen), daemon=True).start()
    other = make_gate(f"http://127.0.0.1:{port}", config={"models": {"known": ["m"]}, "health": {"enabled": False}}, wait_ready=False)
    eventually(lambda: "models" in get(other.port, "/engines").body.decode() and complete(other.port).status == 200)
    answered = post(other.port, "/v1/completions", {**PLAIN, "pad": "x" * 20_000_000})
    assert answered.status == 200 and seen[-1] > 20_000_000
    assert complete(gate.port).status == 200


def interim_engine(listener, seen):
    """Answers the head of every POST with 103 before it reads the body."""
    while True:
        try:
            conn, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=serve_interim, args=(conn, seen), daemon=True).start()


def serve_interim(conn, seen):
    stream = conn.makefile("rb")
    while line := stream.readline():
        length = 0
        while (field := stream.readline()) not in (b"\r\n", b""):
            name, _, value = field.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        models = b'{"object":"list","data":[{"id":"m","object":"model"}]}'
        if line.startswith(b"POST"):
            conn.sendall(b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n")
            seen.append(len(stream.read(length)))
            models = b"{}"
        conn.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(models) + models)


def test_one_engine_that_dies_under_many_equal_requests_poisons_nothing(make_gate, engines):
    one, two = engines

    def die(request, conn):
        conn.pause(0.3)  # so that several are in progress
        conn.reset()

    one.script = die
    gate = make_gate(one, two, config={"routing": {"policies": ["round_robin"]}})
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(complete(gate.port).status)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [200] * 4
    one.script = completion
    assert [complete(gate.port).status for _ in range(4)] == [200] * 4


def test_requests_without_a_body_are_never_poison(make_gate, engines):
    for engine in engines:
        engine.script = lambda request, conn: conn.reset()
    gate = make_gate(*engines)
    assert get(gate.port, "/v1/responses/resp_1").status == 502
    for engine in engines:
        engine.script = lambda request, conn: conn.send(response({"id": "resp_2"}))
    assert get(gate.port, "/v1/responses/resp_2").status == 200


def test_a_request_that_kills_slowly_reaches_two_engines_once_each(make_gate, engines):
    """Also when it travels on pooled connections, whose death could be taken for idleness."""
    gate = make_gate(*engines, config={"routing": {"policies": ["round_robin"]}})
    for _ in range(4):
        assert complete(gate.port).status == 200
    before = [len(engine.requests) for engine in engines]

    def die_after_a_while(request, conn):
        conn.pause(0.5)
        conn.reset()

    for engine in engines:
        engine.script = die_after_a_while
    assert complete(gate.port, prompt="killer").status == 502
    assert [len(engine.requests) - n for engine, n in zip(engines, before)] == [1, 1]
    for engine in engines:
        engine.script = completion


def test_decoded_bodies_count_against_the_memory_limit(make_gate, engine, connect):
    engine.script = lambda request, conn: conn.hold()
    gate = make_gate(engine, config={"limits": {"memory": "300MiB"}, "http": {"decode_requests": True}})
    body = gzip.compress(b'{"model":"m","prompt":"' + b"x" * 20_000_000 + b'"}')
    clients = [connect(gate) for _ in range(3)]
    for client in clients:
        client.send(client.encode("POST", "/v1/completions", body, {"Content-Encoding": "gzip"}))
    eventually(lambda: total(gate.metrics(), "kvgate_memory_used_bytes") >= 60_000_000)
    for client in clients:
        client.close()
    eventually(lambda: total(gate.metrics(), "kvgate_memory_used_bytes") == 0)
    engine.script = completion


def test_the_total_limit_holds_during_the_upload(make_gate, engine):
    engine.script = completion
    gate = make_gate(engine, config={"proxy": {"timeouts": {"total": "500ms"}}})
    engine.on_head = lambda request, conn: conn.hold()
    is_error(post(gate.port, "/v1/completions", {**PLAIN, "pad": "x" * 20_000_000}), 504)
    engine.on_head = None


def test_a_response_is_found_at_an_engine_of_another_model(make_gate, make_engine):
    one, two = make_engine("B1", models=["m"]), make_engine("B2", models=["n"])
    missing = response({"error": {"message": "no"}}, status=404)
    one.script = lambda request, conn: conn.send(missing)
    two.script = lambda request, conn: conn.send(response({"id": "resp_b"}))
    gate = make_gate(one, two, config={"routing": {"default_model": "m"}})
    assert get(gate.port, "/v1/responses/resp_b").json() == {"id": "resp_b"}
    one.script = completion


def test_heads_over_64_kib_pass_where_they_are_allowed(make_gate, engine):
    gate = make_gate(engine, config={"http": {"max_head": "256KiB"}})
    assert post(gate.port, "/v1/completions", PLAIN, {"X-Long": "y" * 100_000}).status == 200


def test_a_trailing_empty_line_does_not_begin_a_request(make_gate, engine, connect):
    gate = make_gate(engine, config={"http": {"head_timeout": "300ms"}})
    client = connect(gate)
    client.send(client.encode("POST", "/v1/completions", PLAIN) + b"\r\n")
    assert client.read_response().status == 200
    client.sock.settimeout(scaled(0.8))
    with pytest.raises(TimeoutError):
        client.sock.recv(1)  # no 408 comes
    client.sock.settimeout(scaled(10))
    assert client.post("/v1/completions", PLAIN).status == 200


def test_a_long_connection_header_is_refused(gate):
    names = ",".join(["a"] * 2000)
    is_error(post(gate.port, "/v1/completions", PLAIN, {"Connection": names}), 400)


@pytest.mark.parametrize("method, size", [("GET", 0), ("POST", 2_000_000)])
def test_every_error_on_messages_has_the_shape_of_its_api(make_gate, engine, method, size):
    gate = make_gate(engine, config={"http": {"max_body": "1MiB"}})
    body = {**PLAIN, "pad": "x" * size} if size else None
    is_error(ask(gate.port, method, "/v1/messages", body), 413 if size else 405, shape="anthropic")


def test_a_partial_head_does_not_hold_up_the_drain(make_gate, engine, connect):
    gate = make_gate(engine, config={"drain": {"settle": "0ms", "timeout": "60s"}, "http": {"head_timeout": "60s"}})
    client = connect(gate)
    client.send(encode_head("GET /health HTTP/1.1", {"Host": "x"})[:-2])
    eventually(lambda: total(gate.metrics(), "kvgate_connections_open") >= 2)
    gate.signal(15)
    assert gate.wait(5) == 0


def test_an_engine_that_speaks_something_else_is_a_bad_gateway(make_gate, engine):
    engine.script = lambda request, conn: (conn.send(b"SSH-2.0-OpenSSH\r\n"), conn.hold())
    gate = make_gate(engine)
    is_error(complete(gate.port), 502)
    engine.script = completion
