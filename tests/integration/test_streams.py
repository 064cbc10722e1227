"""Streams pass event by event, in time, at the reader's pace."""

import json
import selectors
import socket
import threading
import time

import pytest

from support.check import served_by
from support.client import Client, complete, post
from support.engine import answer, completion, delta, response, say, stream_head
from support.http_message import DONE, LAST_CHUNK, chunk, encode_head, event
from support.prometheus import select, total
from support.timing import SANITIZED, Stopwatch, eventually, scaled, stays

PLAIN = {"model": "m", "prompt": "hi"}
STREAM = {**PLAIN, "stream": True}
CHAT = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": True}


def begin(client, body=STREAM, target="/v1/completions", fields=(), **options):
    client.send(client.encode("POST", target, body, fields, **options))


# the head is held until the first body byte -----------------------------------------------------------------


def test_the_head_is_held_until_the_first_body_byte(gate, engine, connect):
    """vLLM sends the head before the prefill: it says nothing, so the client gets it with the first bytes."""
    gap = threading.Event()

    def script(_request, conn):
        conn.send(stream_head())
        while not gap.is_set():
            conn.pause(0.01)
        conn.send(chunk(delta("one")) + chunk(DONE) + LAST_CHUNK)

    engine.script = script
    client = connect(gate)
    begin(client)
    eventually(lambda: engine.requests)
    stays(lambda: not client.readable(), 0.3)
    gap.set()
    assert b"one" in client.read_response().body


def test_an_engine_lost_between_head_and_first_byte_is_no_loss(make_gate, engines):
    """The held head lets the request move on to the other engine."""
    one, two = engines
    one.script = say(stream_head([("x-mock", "B1")]), 0.05, "reset")
    gate = make_gate(one, two)
    for n in range(4):
        answered = post(gate.port, "/v1/completions", {**STREAM, "n": n})
        assert served_by(answered) == "B2" and answered.complete and b"[DONE]" in answered.body


def test_time_to_first_token_counts_from_the_first_body_byte(gate, engine):
    engine.script = say(stream_head(), 0.4, chunk(delta("one")) + chunk(DONE) + LAST_CHUNK)
    assert post(gate.port, "/v1/completions", STREAM).complete

    def ttft():
        return total(gate.metrics(), "kvgate_time_to_first_token_seconds_sum", model="m")

    assert eventually(ttft, 2) >= 0.4


def test_a_head_without_a_body_ends_the_waiting(gate, engine):
    engine.script = say(encode_head("HTTP/1.1 200 OK", {"content-length": 0, "x-mock": "B1"}))
    assert served_by(post(gate.port, "/v1/completions", PLAIN)) == "B1"
    engine.script = say(stream_head([("x-mock", "B1")]), 0.05, LAST_CHUNK)
    answered = post(gate.port, "/v1/completions", STREAM)
    assert served_by(answered) == "B1" and answered.complete and answered.body == b""


# in time, as they come --------------------------------------------------------------------------------------


def stamped(count, gap):
    """A script of `count` events `gap` seconds apart, each with the time of its sending."""

    def script(_request, conn):
        conn.send(stream_head([("X-Accel-Buffering", "no"), ("Cache-Control", "no-cache")]))
        for _ in range(count):
            conn.send(chunk(b"data: %.6f\n\n" % time.monotonic()))
            conn.pause(gap)
        conn.send(chunk(DONE) + LAST_CHUNK)

    return script


def lags(client, answered):
    """How late each event was, read one by one."""
    out, seen = [], 0
    while True:
        now, events = time.monotonic(), answered.body.split(b"\n\n")[:-1]
        out += [now - float(text[6:]) for text in events[seen:] if text != b"data: [DONE]"]
        seen = len(events)
        if not client.more(answered):
            return out


@pytest.mark.parametrize("version", ["HTTP/1.1", "HTTP/1.0"])
def test_case_34_each_event_passes_at_once(gate, engine, connect, version):
    engine.script = stamped(40, 0.05)
    client = connect(gate)
    begin(client, version=version)
    answered = client.read_head()
    late = sorted(lags(client, answered))
    assert len(late) == 40
    assert late[len(late) * 9 // 10] < scaled(0.005), late
    assert (answered.get("x-accel-buffering"), answered.get("cache-control")) == ("no", "no-cache")
    assert answered.complete
    if version == "HTTP/1.0":
        assert "transfer-encoding" not in answered.head and client.closed() == "fin"
    else:
        assert len(answered.chunks) == 41, "one chunk per event, none merged"


class Fountain:
    """Sends one stamped event on every stream in turn, each stream every `gap` seconds, from one thread."""

    def __init__(self, engine, streams, rounds, gap):
        self.socks, self.streams, self.rounds, self.gap = [], streams, rounds, gap
        self.release = threading.Event()
        engine.script = self._join
        threading.Thread(target=self._run, daemon=True).start()

    def _join(self, _request, conn):
        conn.send(stream_head())
        conn.send(chunk(b"data: hello\n\n"))
        self.socks.append(conn.sock)
        self.release.wait(60)
        conn.send(chunk(DONE) + LAST_CHUNK)

    def _run(self):
        eventually(lambda: len(self.socks) == self.streams, 30)
        start = time.monotonic()
        for turn in range(self.rounds):
            for n, sock in enumerate(self.socks):
                due = start + (turn + n / self.streams) * self.gap
                time.sleep(max(0, due - time.monotonic()))  # the pace of the stream
                sock.send(chunk(b"data: %.6f\n\n" % time.monotonic()))
        self.release.set()


def drink(port, count, timeout):
    """Opens `count` streams and reads them with one selector; returns all lags, sorted."""
    poll, late = selectors.DefaultSelector(), []
    clients = [Client(port) for _ in range(count)]
    for client in clients:
        begin(client)
        poll.register(client.sock, selectors.EVENT_READ, client)
    left, limit = count, time.monotonic() + timeout
    while left and time.monotonic() < limit:
        for key, _ in poll.select(1):
            data = key.fileobj.recv(65536)
            now = time.monotonic()
            late += [now - float(part[: part.index(b"\n")]) for part in data.split(b"data: ")[1:] if part[:1].isdigit()]
            if not data or b"[DONE]" in data:
                poll.unregister(key.fileobj)
                left -= 1
    for client in clients:
        client.close()
    assert not left, f"{left} streams did not end"
    return sorted(late)


@pytest.mark.slow
def test_case_34_500_parallel_streams(gate, engine):
    """Measured beside the same streams without the gate, since client, engine and gate share the machine."""
    count, rounds, gap = (100, 20, 0.25) if SANITIZED else (500, 30, 0.1)
    Fountain(engine, count, rounds, gap)
    direct = drink(engine.port, count, scaled(25))
    Fountain(engine, count, rounds, gap)
    late = drink(gate.port, count, scaled(25))
    assert len(late) == count * rounds
    p99 = lambda values: values[len(values) * 99 // 100]
    assert p99(late) < scaled(0.020) + 2 * p99(direct), f"p99 {p99(late):.4f} s, without the gate {p99(direct):.4f} s"


# stream options and usage -----------------------------------------------------------------------------------

USAGE = {"id": "c", "choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8}}


def vllm_usage(request, conn):
    """As vLLM: refuses stream_options without stream, sends the usage chunk only when asked."""
    body = request.json()
    options = body.get("stream_options")
    if options is not None and not body.get("stream"):
        conn.send(
            response({"error": {"message": "Stream options can only be defined when `stream=True`."}}, status=400)
        )
    elif not body.get("stream"):
        completion(request, conn)
    else:
        conn.send(stream_head([("x-mock", "B1")]) + chunk(delta("one")))
        if options and options.get("include_usage"):
            conn.send(chunk(event(USAGE)))
        conn.send(chunk(DONE) + LAST_CHUNK)


@pytest.mark.parametrize(
    "options",
    [{"include_usage": True}, {"include_usage": False}, None, {"include_usage": True, "continuous_usage_stats": True}],
    ids=json.dumps,
)
def test_case_35_stream_options_pass_untouched(gate, engine, options):
    engine.script = vllm_usage
    body = json.dumps({**CHAT, **({} if options is None else {"stream_options": options})}).encode()
    answered = post(gate.port, "/v1/chat/completions", body)
    assert served_by(answered) == "B1" and answered.complete
    assert engine.requests[-1].body == body
    asked = bool(options and options.get("include_usage"))
    assert (event(USAGE) in answered.body) == asked and (b"usage" in answered.body) == asked


def test_case_35_an_engines_refusal_of_stream_options_is_the_clients(gate, engine):
    engine.script = vllm_usage
    answered = post(
        gate.port, "/v1/chat/completions", {**CHAT, "stream": False, "stream_options": {"include_usage": True}}
    )
    assert answered.status == 400 and "Stream options" in answered.json()["error"]["message"]


def test_tokens_are_counted_from_usage_or_estimated_and_labelled_so(gate, engine):
    engine.script = vllm_usage
    post(gate.port, "/v1/chat/completions", {**CHAT, "stream_options": {"include_usage": True}})
    count = lambda name, source: total(gate.metrics(), name, model="m", source=source)
    eventually(
        lambda: count("kvgate_completion_tokens_total", "usage") == 3,
        2,
        lambda: select(gate.metrics(), "kvgate_completion_tokens_total"),
    )
    assert count("kvgate_prompt_tokens_total", "usage") == 5
    post(gate.port, "/v1/chat/completions", CHAT)
    eventually(
        lambda: [
            labels
            for labels in select(gate.metrics(), "kvgate_completion_tokens_total", model="m")
            if ("source", "usage") not in labels
        ],
        2,
    )
    assert count("kvgate_completion_tokens_total", "usage") == 3


# back-pressure ----------------------------------------------------------------------------------------------


def test_a_slow_reader_stalls_the_engine_not_memory(gate, engine, connect):
    sent = []

    def flood(_request, conn):
        conn.send(stream_head())
        piece = chunk(b"x" * 65536)
        for _ in range(3200):  # 200 MiB
            conn.send(piece)
            sent.append(len(piece))
        conn.send(LAST_CHUNK)

    complete(gate.port)
    engine.script = flood
    client = connect(gate, receive_buffer=16384)
    before = gate.rss()
    begin(client)
    eventually(lambda: sent)
    last = [0, time.monotonic()]

    def stalled():
        if len(sent) != last[0]:
            last[:] = len(sent), time.monotonic()
        return time.monotonic() - last[1] > 0.5

    eventually(stalled, 10)
    assert sum(sent) < 64 << 20, "the engine was read on although nobody took it"
    assert gate.rss() - before < (64 << 20 if SANITIZED else 4 << 20)
    engine.script = completion
    assert complete(gate.port).status == 200
    client.close()
    eventually(lambda: not any(gate.in_flight().values()), 3)


def test_a_slow_reader_gets_everything_in_the_end(gate, engine, connect):
    data = bytes(range(256)) * 16_384  # 4 MiB
    engine.script = lambda _, conn: conn.send(
        stream_head() + chunk(data[: len(data) // 2]) + chunk(data[len(data) // 2 :]) + LAST_CHUNK
    )
    client = connect(gate, receive_buffer=8192)
    begin(client)
    answered = client.read_head()
    watch = Stopwatch()
    while client.more(answered) and watch.elapsed < 0.5:
        time.sleep(0.005)  # the pace of the reader
    assert client.finish(answered).complete and answered.body == data


def test_a_reader_that_never_reads_is_dropped_at_its_limit(make_gate, engine, connect):
    def flood(_request, conn):
        conn.send(stream_head())
        while True:
            conn.send(chunk(b"x" * 65536))

    gate = make_gate(engine, config={"http": {"write_timeout": "500ms"}})
    engine.script = flood
    client = connect(gate, receive_buffer=8192)
    begin(client)
    eventually(lambda: engine.requests)
    eventually(lambda: not engine.busy_connections(), 10)
    assert client.closed(20) in ("fin", "rst")


# keep-alive after streams -----------------------------------------------------------------------------------


def test_streams_and_plain_requests_alternate_on_one_connection(gate, connect):
    client = connect(gate)
    for turn in range(10):
        answered = client.post("/v1/completions", STREAM if turn % 2 else PLAIN)
        assert served_by(answered) == "B1" and answered.complete
    assert client.sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0


def test_an_engine_that_sends_more_than_it_said_is_not_reused(gate, engine, connect):
    engine.script = say(response({"n": 1}) + b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil")
    client = connect(gate)
    assert client.post("/v1/completions", PLAIN).json() == {"n": 1}
    engine.script = answer({"n": 2})
    for _ in range(3):
        assert client.post("/v1/completions", PLAIN).json() == {"n": 2}
