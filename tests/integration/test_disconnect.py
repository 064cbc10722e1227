"""A client that leaves makes the gate close the engine connection, whatever state the request is in."""

import json
import socket
import threading

import pytest

from support.check import served_by
from support.client import Client, complete
from support.engine import black_hole, completion, delta, say, silent, stream_head
from support.http_message import chunk, encode_head
from support.prometheus import total
from support.timing import SANITIZED, eventually, scaled, stays

PLAIN = {"model": "m", "prompt": "hi"}
STREAM = {**PLAIN, "stream": True}

LEAVING = {"fin": Client.close, "rst": Client.reset}


def begin(client, body, target="/v1/completions", **options):
    client.send(client.encode("POST", target, body, **options))


def gone_within(engines, limit):
    """Every connection that carried a request is closed, and by the gate, as the engine itself sees it."""
    used = lambda: [conn for engine in engines for conn in engine.used_connections()]
    eventually(
        lambda: all(conn.closed_at for conn in used()),
        limit,
        lambda: f"{sum(not conn.closed_at for conn in used())} of {len(used())} connections still open",
    )


@pytest.mark.parametrize("how", LEAVING)
def test_case_01_client_that_waits_for_a_sized_answer_leaves(make_gate, engines, how):
    one, two = engines
    one.script = two.script = say(30, b"too late")
    gate = make_gate(one, two)
    client = Client(gate.port)
    begin(client, PLAIN)
    busy = eventually(lambda: [engine for engine in engines if engine.requests])[0]
    eventually(lambda: gate.in_flight(server=busy.url)["vllm:num_requests_running"] == 1)
    LEAVING[how](client)
    gone_within(engines, 1.5)
    eventually(lambda: not any(gate.in_flight().values()), 1)
    other = two if busy is one else one
    assert not other.requests, "nothing is tried again for nobody"
    one.script = two.script = completion
    assert {served_by(complete(gate.port)) for _ in range(4)} == {"B1", "B2"}
    eventually(lambda: total(gate.metrics(), "kvgate_client_aborts_total") == 1, 2)


def test_case_01_a_half_closed_client_has_left(gate, engine):
    """Documented: FIN after a complete request counts as leaving (http.half_close: allow changes that)."""
    engine.script = silent
    client = Client(gate.port)
    begin(client, PLAIN)
    eventually(lambda: engine.requests)
    client.half_close()
    gone_within([engine], 1.5)
    assert client.closed() in ("fin", "rst")
    client.close()


def test_case_02_clients_that_leave_in_a_silent_gap(gate, engine):
    engine.script = say(stream_head(), chunk(delta("one")), 60, b"never")
    start = gate.fds()
    clients = [Client(gate.port) for _ in range(50)]
    for client in clients:
        begin(client, STREAM)
    for client in clients:
        client.read_until(client.read_head(), b"one")
    for client in clients:
        client.close()
    gone_within([engine], 3)
    eventually(lambda: gate.fds() <= start + 4, 5, lambda: f"{gate.fds()} descriptors, {start} at the start")
    before = gate.cpu_seconds()
    stays(lambda: gate.running, 1.0)
    assert gate.cpu_seconds() - before < (0.3 if SANITIZED else 0.1), "idle means idle"


@pytest.mark.parametrize("how", LEAVING)
@pytest.mark.parametrize(
    "steps",
    [
        (stream_head(),),
        (stream_head(), chunk(delta("one"))),
        (encode_head("HTTP/1.1 200 OK", {"content-length": 1000}), b"part"),
    ],
    ids=["head_only", "mid_stream", "mid_sized_body"],
)
def test_a_client_leaves_at_any_point_of_the_response(gate, engine, how, steps):
    engine.script = say(*steps, "hold")
    client = Client(gate.port)
    begin(client, STREAM)
    eventually(lambda: engine.requests)
    if len(steps) > 1:
        client.read_until(client.read_head(), b"part" if b"part" in steps else b"one")
    LEAVING[how](client)
    gone_within([engine], 1.5)


@pytest.mark.parametrize("how", LEAVING)
def test_a_client_that_leaves_amid_its_upload_never_reaches_an_engine(gate, engine, how):
    client = Client(gate.port)
    client.send(
        encode_head("POST /v1/completions HTTP/1.1", {"Host": "x", "Content-Length": 100_000}) + b'{"model":"m",'
    )
    LEAVING[how](client)
    eventually(lambda: total(gate.metrics(), "kvgate_connections_open") <= 1, 3)
    assert not engine.requests
    assert gate.metrics()[("kvgate_request_body_buffered_bytes", frozenset())] == 0


@pytest.mark.parametrize("how", LEAVING)
def test_a_client_leaves_while_its_body_is_being_sent_to_a_slow_engine(gate, engine, how):
    """The engine reads nothing for a while; when it goes on it finds the connection ended amid the body."""
    stuck, go_on = [], threading.Event()

    def on_head(head, conn):
        if head.start.startswith("POST"):
            stuck.append(conn)
            go_on.wait(scaled(20))
            conn.read_out()
        return head.start.startswith("POST")

    engine.on_head = on_head
    client, size = Client(gate.port), 30_000_000
    begin(client, {**PLAIN, "pad": "x" * size})
    eventually(lambda: stuck, 10)
    LEAVING[how](client)
    eventually(lambda: not any(gate.in_flight().values()), 2)
    before = engine.bytes_in
    go_on.set()
    assert stuck[0].left.wait(scaled(2)) and stuck[0].closed_at, "the engine connection is still open"
    assert engine.bytes_in - before < size, "the body did not go on without its client"


def test_a_client_leaves_while_the_gate_connects(make_gate, engine):
    with black_hole() as hole:
        gate = make_gate(
            (hole, {"models": ["dark"]}),
            engine,
            config={"health": {"enabled": False}, "engine": {"connect_timeout": "20s"}},
        )
        client = Client(gate.port)
        begin(client, {**PLAIN, "model": "dark"})
        eventually(lambda: gate.fds() and total(gate.metrics(), "kvgate_connections_open") >= 1)
        client.close()
        eventually(lambda: not any(gate.in_flight().values()), 2)
        eventually(lambda: total(gate.metrics(), "kvgate_connections_open") <= 1, 2)


def test_a_pipelined_request_of_a_client_that_left_is_not_begun(gate, engine):
    engine.script = silent
    client = Client(gate.port)
    begin(client, {**PLAIN, "n": 1})
    begin(client, {**PLAIN, "n": 2})
    eventually(lambda: engine.requests)
    client.close()
    gone_within([engine], 1.5)
    stays(lambda: len(engine.requests) == 1, 0.2)
    assert json.loads(engine.requests[0].body)["n"] == 1


def pipeline(client, size):
    """Sends as many whole requests, and all of them wait in its kernel or in the gate's."""
    one = client.encode("POST", "/v1/completions", {**PLAIN, "pad": "x" * 900})
    client.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2 * size)
    client.send(one * (size // len(one)))


@pytest.mark.parametrize("how, size", [("fin", 60_000), ("fin", 100_000), ("rst", 100_000), ("rst", 3_000_000)])
def test_a_client_that_leaves_behind_unread_requests_has_left(gate, engine, how, size):
    """A FIN is seen behind all that the gate's kernel holds (128 KB by default), a reset overtakes any number of bytes.

    A FIN behind more than that has not been sent yet: the client's kernel keeps it until the gate reads on.
    """
    engine.script = silent
    client = Client(gate.port)
    begin(client, PLAIN)
    eventually(lambda: engine.requests)
    pipeline(client, size)
    LEAVING[how](client)
    gone_within([engine], 1.5)
    assert len(engine.requests) == 1


def test_many_clients_leave_at_once_and_nothing_stays_behind(gate, engine):
    engine.script = silent
    start = gate.fds()
    for _ in range(4):
        clients = [Client(gate.port) for _ in range(60)]
        for client in clients:
            begin(client, PLAIN)
        eventually(lambda: len(engine.busy_connections()) == 60)
        for n, client in enumerate(clients):
            LEAVING["fin" if n % 2 else "rst"](client)
        gone_within([engine], 3)
    eventually(lambda: gate.fds() <= start + 4, 5)
