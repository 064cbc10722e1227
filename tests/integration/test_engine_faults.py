"""Engines that talk nonsense, hang or are down or busy: what the client is told, and when."""

import json
import threading

import pytest

from support.check import aborted, is_error, served_by
from support.client import complete, post
from support.engine import answer, completion, delta, response, say, silent, stream_head
from support.http_message import chunk, encode_head
from support.prometheus import total
from support.timing import Stopwatch, eventually, scaled, stays

PLAIN = {"model": "m", "prompt": "hi"}
CHAT = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": True}


def counts(*engines):
    return [len(engine.requests) for engine in engines]


# nonsense ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "raw",
    [
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"HTTP/1.1 two hundred\r\n\r\n",
        b"HTTP/2 200\r\n\r\n",
        b"<html></html>\n\n",
        b"\0" * 64,
        b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello!",
        b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n",
    ],
    ids=lambda raw: repr(raw[:40]),
)
def test_an_engine_that_does_not_speak_http_is_502(make_gate, engine, raw):
    engine.script = say(raw, 0.1, "close")
    gate = make_gate(engine)
    is_error(complete(gate.port), 502)
    engine.script = completion
    eventually(lambda: complete(gate.port, n=1).status == 200)


def test_an_engine_head_over_64_kib_is_502(make_gate, engine):
    engine.script = say(encode_head("HTTP/1.1 200 OK", [("x-long", "a" * 1000)] * 70 + [("content-length", 0)]))
    gate = make_gate(engine)
    is_error(complete(gate.port), 502)
    engine.script = say(encode_head("HTTP/1.1 200 OK", [("x-long", "a" * 1000)] * 60 + [("content-length", 0)]))
    eventually(lambda: complete(gate.port, n=1).status == 200)
    engine.script = lambda _request, conn: [conn.send(b"HTTP/1.1 200 OK\r\n")] + [
        conn.send(b"x: y\r\n" * 1000) for _ in range(1000)
    ]
    is_error(complete(gate.port, n=2), 502)


# time -------------------------------------------------------------------------------------------------------

TIMEOUTS = {
    "first_byte": {"proxy": {"timeouts": {"first_byte": "300ms"}}},
    "total": {"proxy": {"timeouts": {"total": "300ms"}}},
    "by_route": {"proxy": {"routes": {"/v1/completions": {"first_byte": "300ms"}}}},
}


@pytest.mark.parametrize("limit", TIMEOUTS)
@pytest.mark.parametrize("script", [silent, say(stream_head(), "hold")], ids=["silent", "head_only"])
def test_an_engine_that_does_not_answer_in_time_is_504(make_gate, engine, limit, script):
    engine.script = script
    gate = make_gate(engine, config={**TIMEOUTS[limit], "retry": {"after_send": 0}})
    watch = Stopwatch()
    is_error(complete(gate.port), 504)
    assert 0.25 < watch.elapsed < scaled(1.5)
    eventually(lambda: not engine.busy_connections(), 2)


def test_limits_of_one_route_do_not_hold_for_others(make_gate, engine):
    engine.script = say(0.6, response({"late": 1}))
    gate = make_gate(engine, config={"proxy": {"routes": {"/v1/embeddings": {"first_byte": "200ms"}}}})
    assert complete(gate.port).json() == {"late": 1}


def test_the_total_limit_ends_a_stream_as_broken(make_gate, engine):
    engine.script = lambda _request, conn: (conn.send(stream_head()), conn.drip([chunk(delta("w"))] * 200, 0.02))
    gate = make_gate(engine, config={"proxy": {"timeouts": {"total": "500ms"}}})
    watch = Stopwatch()
    assert aborted(post(gate.port, "/v1/chat/completions", CHAT)) and watch.elapsed < scaled(2)


def test_without_limits_a_long_prefill_is_normal(make_gate, engine):
    engine.script = say(stream_head(), 1.5, chunk(delta("w")), b"0\r\n\r\n")
    gate = make_gate(engine)
    assert post(gate.port, "/v1/chat/completions", CHAT).complete


def test_case_10_a_hung_engine_does_not_block_the_others(make_gate, make_engine):
    hung, good = make_engine("B1", models=["hung"], script=silent), make_engine("B2")
    gate = make_gate(hung, good, config={"proxy": {"timeouts": {"first_byte": "4s"}}, "retry": {"after_send": 0}})
    results, threads = [], []
    for n in range(200):
        threads.append(threading.Thread(target=lambda n=n: results.append(complete(gate.port, "hung", n=n).status)))
        threads[-1].start()
    eventually(lambda: len(hung.requests) >= 150, 10)
    for _ in range(100):
        watch = Stopwatch()
        assert served_by(complete(gate.port)) == "B2" and watch.elapsed < scaled(0.5)
    for thread in threads:
        thread.join(scaled(20))
    assert results == [504] * 200
    eventually(lambda: not hung.busy_connections(), 3)


def test_case_10_an_engine_that_reads_no_body_blocks_nobody(make_gate, make_engine):
    hung, good = make_engine("B1", models=["hung"]), make_engine("B2")
    hung.on_head = lambda head, conn: head.start.startswith("POST") and (conn.hold(30) or True)
    gate = make_gate(
        hung, good, config={"proxy": {"timeouts": {"first_byte": "2s", "total": "2s"}}, "retry": {"after_send": 0}}
    )
    results = []
    ask = lambda n: results.append(complete(gate.port, "hung", n=n, pad="x" * 10_000_000).status)
    threads = [threading.Thread(target=ask, args=(n,)) for n in range(5)]
    for thread in threads:
        thread.start()
    for _ in range(50):
        watch = Stopwatch()
        assert served_by(complete(gate.port)) == "B2" and watch.elapsed < scaled(0.5)
    for thread in threads:
        thread.join(scaled(20))
    assert results == [504] * 5


# health -----------------------------------------------------------------------------------------------------


def test_an_engine_declared_down_gets_nothing_and_comes_back(make_gate, engines):
    one, two = engines
    gate = make_gate(one, two)
    two.health = 503
    eventually(lambda: total(gate.metrics(), "kvgate_engine_up", engine=two.url) == 0)
    before = counts(two)
    for _ in range(10):
        assert served_by(complete(gate.port)) == "B1"
    assert counts(two) == before
    two.health = 200
    eventually(lambda: total(gate.metrics(), "kvgate_engine_up", engine=two.url) == 1)
    assert {served_by(complete(gate.port)) for _ in range(4)} == {"B1", "B2"}


def test_a_refused_engine_comes_back_with_the_next_good_probe(make_gate, engines):
    one, two = engines
    gate = make_gate(one, two)
    two.stop()
    for _ in range(3):
        assert served_by(complete(gate.port)) == "B1"
    two.start()
    eventually(lambda: served_by(complete(gate.port)) == "B2")


def test_probes_carry_the_engines_key_and_come_on_time(make_gate, engine):
    make_gate((engine, {"key": "k"}), config={"health": {"interval": "100ms", "path": "/health"}})
    start = len(engine.probes)
    watch = Stopwatch()
    eventually(lambda: len([probe for probe in engine.probes[start:] if probe.path == "/health"]) >= 5, 5)
    assert watch.elapsed > 0.25
    assert all(probe.head.get("authorization") == "Bearer k" for probe in engine.probes)


def test_requests_without_a_first_byte_move_on_when_health_says_down(make_gate, engines):
    one, two = engines
    one.script = silent
    gate = make_gate(one, two, config={"health": {"interval": "100ms"}})
    results = []
    threads = [threading.Thread(target=lambda n=n: results.append(complete(gate.port, n=n))) for n in range(4)]
    for thread in threads:
        thread.start()
    eventually(lambda: one.busy_connections() and len(one.requests) + len(two.requests) >= 4)
    one.health = 503
    for thread in threads:
        thread.join(scaled(10))
    assert {served_by(answered) for answered in results} == {"B2"} and len(results) == 4
    eventually(lambda: not one.busy_connections(), 2)


def test_streams_of_a_dead_engine_end_after_its_grace(make_gate, engine):
    """A silent stream of an engine that health calls down ends as lost; one that still speaks goes on."""
    stop = threading.Event()

    def script(request, conn):
        conn.send(stream_head() + chunk(delta("one")))
        if request.json().get("speak"):
            while not stop.is_set():
                conn.send(chunk(delta("w")))
                conn.pause(0.1)
            conn.send(b"0\r\n\r\n")
        else:
            conn.hold()

    engine.script = script
    gate = make_gate(engine, config={"health": {"interval": "100ms"}, "engine": {"dead_grace": "600ms"}})
    results = {}
    ask = lambda speak: results.__setitem__(speak, post(gate.port, "/v1/chat/completions", {**CHAT, "speak": speak}))
    threads = {speak: threading.Thread(target=ask, args=(speak,)) for speak in (False, True)}
    for thread in threads.values():
        thread.start()
    eventually(lambda: len(engine.busy_connections()) == 2)
    stays(lambda: not results, 0.3)
    engine.health = 503
    threads[False].join(scaled(5))
    assert aborted(results[False]) and "error" in json.loads(results[False].events[-1][1])
    assert True not in results
    stop.set()
    threads[True].join(scaled(5))
    assert results[True].complete
    engine.health = 200
    eventually(gate.ready)


# back-pressure of engines is not death ----------------------------------------------------------------------


def test_case_09_an_overloaded_engine_is_not_shed(make_gate, engine):
    engine.script = answer({"error": {"message": "busy"}}, status=503, fields=[("Retry-After", "1")])
    gate = make_gate(engine)
    for n in range(20):
        answered = complete(gate.port, n=n)
        assert (answered.status, answered.get("retry-after")) == (503, "1")
    engine.script = completion
    for _ in range(20):
        assert served_by(complete(gate.port)) == "B1"


@pytest.mark.parametrize("stream", [False, True])
def test_case_11_rate_limit_headers_come_through(gate, engine, stream):
    body = {"error": {"message": "slow down", "type": "rate_limit", "code": 429}}
    engine.script = answer(body, status=429, fields=[("Retry-After", "7"), ("x-ratelimit-remaining-requests", "0")])
    answered = post(gate.port, "/v1/completions", {**PLAIN, "stream": stream})
    assert (answered.status, answered.json()) == (429, body)
    assert (answered.get("retry-after"), answered.get("x-ratelimit-remaining-requests")) == ("7", "0")
