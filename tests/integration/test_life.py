"""Start, drain and end; descriptors, workers, log files: what an operator sees of the process."""

import os
import re
import resource
import signal
import socket
import subprocess
import threading

import pytest

from support.check import aborted, served_by
from support.client import Client, Closed, complete, get, post
from support.engine import completion, delta, response, say, silent, stream_head
from support.http_message import DONE, LAST_CHUNK, chunk
from support.gate import binary
from support.prometheus import parse_metrics, total
from support.timing import SANITIZED, Stopwatch, eventually, scaled, stays

PLAIN = {"model": "m", "prompt": "hi"}
STREAM = {**PLAIN, "stream": True}


def status_of(gate, path, timeout=2.0):
    """Status of a GET on a new connection; None when it is not accepted any more."""
    try:
        return get(gate.port, path, timeout=timeout).status
    except (OSError, Closed):
        return None


class Gated:
    """A script that streams one event, and the rest when the test says so."""

    def __init__(self, engine):
        self.go = threading.Event()
        engine.script = self._script

    def _script(self, _request, conn):
        conn.send(stream_head() + chunk(delta("one")))
        while not self.go.is_set():
            conn.pause(0.02)
        conn.send(chunk(DONE) + LAST_CHUNK)


def open_streams(gate, count, connect):
    clients = [connect(gate) for _ in range(count)]
    answers = []
    for client in clients:
        client.send(client.encode("POST", "/v1/completions", STREAM))
        answers.append(client.read_until(client.read_head(), b"one"))
    return clients, answers


# drain ------------------------------------------------------------------------------------------------------


def test_case_39_sigterm_lets_running_streams_complete(make_gate, engine, connect):
    rest = Gated(engine)
    gate = make_gate(engine, config={"drain": {"settle": "1s", "timeout": "30s"}})
    clients, answers = open_streams(gate, 20, connect)
    kept = connect(gate)
    assert kept.get("/health").status == 200
    gate.signal(signal.SIGTERM)
    eventually(lambda: status_of(gate, "/ready") == 503, 0.5)
    again = kept.get("/ready")
    assert again.status == 503 and again.get("connection", "").lower() == "close"
    assert kept.closed() == "fin"
    stays(lambda: gate.running, 1.5)
    rest.go.set()
    for client, answered in zip(clients, answers):
        assert client.finish(answered).complete and b"[DONE]" in answered.body
    watch = Stopwatch()
    assert gate.wait(5) == 0 and watch.elapsed < scaled(1.5), "exit 0 right after the last one"
    gate.check_output()


def test_connections_are_still_served_while_it_settles(make_gate, engine, connect):
    gate = make_gate(engine, config={"drain": {"settle": "1500ms", "timeout": "30s"}})
    kept = connect(gate)
    assert kept.get("/health").status == 200
    watch = Stopwatch()
    gate.signal(signal.SIGTERM)
    eventually(lambda: status_of(gate, "/ready") == 503, 0.5)
    assert status_of(gate, "/health") == 200
    for client in (kept, connect(gate)):
        answered = client.post("/v1/completions", PLAIN)
        assert served_by(answered) == "B1" and answered.get("connection", "").lower() == "close"
        assert client.closed() == "fin"
    assert gate.wait(10) == 0
    assert watch.elapsed > 1.4, "load balancers need the time"


def test_after_settling_nothing_new_is_begun(make_gate, engine, connect):
    rest = Gated(engine)
    gate = make_gate(engine, config={"drain": {"settle": "100ms", "timeout": "30s"}})
    clients, answers = open_streams(gate, 1, connect)
    gate.signal(signal.SIGTERM)

    def refused():
        try:
            get(gate.port, "/health", timeout=1)
            return False
        except (OSError, Closed):
            return True

    eventually(refused, 3)
    rest.go.set()
    assert clients[0].finish(answers[0]).complete
    assert gate.wait(5) == 0


def test_case_39_at_the_limit_what_is_left_ends_abnormally(make_gate, engine, connect):
    Gated(engine)
    gate = make_gate(engine, config={"drain": {"settle": "0ms", "timeout": "1s"}})
    clients, answers = open_streams(gate, 3, connect)
    waiting = connect(gate)
    watch = Stopwatch()
    gate.signal(signal.SIGTERM)
    for client, answered in zip(clients, answers):
        client.finish(answered)
        assert aborted(answered) and b"[DONE]" not in answered.body
        assert b'"error"' in answered.body, "an in-band error on what is left"
    assert gate.wait(5) in (0, 1)
    assert 0.9 < watch.elapsed < scaled(4)
    assert waiting.closed() in ("fin", "rst")
    gate.check_output()


def test_a_waiting_request_at_the_limit_is_told_503(make_gate, engine, connect):
    engine.script = silent
    gate = make_gate(engine, config={"drain": {"settle": "0ms", "timeout": "500ms"}})
    client = connect(gate)
    client.send(client.encode("POST", "/v1/completions", PLAIN))
    eventually(lambda: engine.requests)
    gate.signal(signal.SIGTERM)
    answered = client.read_response()
    assert answered.status == 503 and answered.complete and answered.json()["error"]
    assert gate.wait(5) in (0, 1)


@pytest.mark.parametrize("second", [signal.SIGTERM, signal.SIGINT])
def test_case_39_a_second_signal_ends_it_now(make_gate, engine, connect, second):
    Gated(engine)
    gate = make_gate(engine, config={"drain": {"settle": "20s", "timeout": "60s"}})
    clients, answers = open_streams(gate, 2, connect)
    gate.signal(signal.SIGTERM)
    eventually(lambda: status_of(gate, "/ready") == 503, 2)
    watch = Stopwatch()
    gate.signal(second)
    gate.wait(5)
    assert watch.elapsed < scaled(1.5)
    assert aborted(clients[0].finish(answers[0]))
    gate.check_output()


def test_sigint_skips_the_settling(make_gate, engine, connect):
    gate = make_gate(engine, config={"drain": {"settle": "20s", "timeout": "60s"}})
    kept = connect(gate)
    assert kept.post("/v1/completions", PLAIN).status == 200
    watch = Stopwatch()
    gate.signal(signal.SIGINT)
    assert gate.wait(5) == 0 and watch.elapsed < scaled(1.5)
    assert kept.closed() == "fin"


def test_sigterm_without_anything_running_ends_after_settling(make_gate, engine):
    gate = make_gate(engine, config={"drain": {"settle": "300ms", "timeout": "60s"}})
    watch = Stopwatch()
    gate.signal(signal.SIGTERM)
    assert gate.wait(5) == 0 and 0.25 < watch.elapsed < scaled(2)


def test_a_request_that_arrives_with_the_signal_is_answered(make_gate, engine, connect):
    """What a client has sent in full before the signal is served."""
    engine.script = say(0.5, response({"late": 1}))
    gate = make_gate(engine, config={"drain": {"settle": "0ms", "timeout": "10s"}})
    client = connect(gate)
    client.send(client.encode("POST", "/v1/completions", PLAIN))
    eventually(lambda: engine.requests)
    gate.signal(signal.SIGTERM)
    answered = client.read_response()
    assert answered.json() == {"late": 1} and answered.get("connection", "").lower() == "close"
    assert gate.wait(5) == 0


# descriptors and workers ------------------------------------------------------------------------------------


def test_the_descriptor_limit_is_raised_to_the_hard_one(gate):
    soft, hard = resource.prlimit(gate.pid, resource.RLIMIT_NOFILE)
    assert soft == hard


def test_running_out_of_descriptors_pauses_accepting_and_is_counted(make_gate, engine):
    gate = make_gate(engine)
    kept = Client(gate.port)
    assert kept.post("/v1/completions", PLAIN).status == 200
    hard = resource.prlimit(gate.pid, resource.RLIMIT_NOFILE)[1]
    limit = gate.fds() + 10
    resource.prlimit(gate.pid, resource.RLIMIT_NOFILE, (limit, hard))
    crowd = [Client(gate.port) for _ in range(40)]
    try:
        eventually(
            lambda: total(parse_metrics(kept.get("/metrics").body.decode()), "kvgate_accept_pauses_total") >= 1, 5
        )
        before = gate.cpu_seconds()
        stays(lambda: gate.running, 0.5)
        assert gate.cpu_seconds() - before < (0.3 if SANITIZED else 0.1), "pausing, not spinning"
        assert kept.get("/health").status == 200, "connections that are there go on"
    finally:
        for client in crowd:
            client.close()
        resource.prlimit(gate.pid, resource.RLIMIT_NOFILE, (hard, hard))
    eventually(lambda: served(gate), 5)
    kept.close()


def served(gate):
    try:
        return complete(gate.port).status == 200
    except (OSError, Closed):
        return False


def test_connections_come_and_go_without_a_leak(gate):
    complete(gate.port)
    eventually(lambda: total(gate.metrics(), "kvgate_connections_open") <= 1)
    start = gate.fds()
    for _ in range(300):
        assert complete(gate.port).status == 200
    eventually(lambda: gate.fds() <= start + 4, 5)


def test_there_is_one_worker_per_usable_core(make_gate, engine):
    gate = make_gate(engine)
    threads = len(os.listdir(f"/proc/{gate.pid}/task"))
    cores = len(os.sched_getaffinity(0))
    assert threads <= cores + 6
    three = make_gate(engine, config={"server": {"workers": 3}})
    assert len(os.listdir(f"/proc/{three.pid}/task")) >= 3


def test_long_streams_are_spread_over_the_workers(make_gate, engine, connect):
    """With two workers one that is stuck with nothing must not get all: both make progress with many open streams."""
    rest = Gated(engine)
    gate = make_gate(engine, config={"server": {"workers": 2}})
    clients, answers = open_streams(gate, 40, connect)
    watch = Stopwatch()
    assert get(gate.port, "/health").status == 200 and watch.elapsed < scaled(0.5)
    rest.go.set()
    assert all(client.finish(answered).complete for client, answered in zip(clients, answers))


def test_a_port_in_use_is_said_plainly(engine):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = subprocess.run(
            [binary(), "--port", str(taken.getsockname()[1]), "--engines", engine.url],
            capture_output=True,
            text=True,
            timeout=scaled(10),
        )
    assert done.returncode in (1, 2)
    assert "in use" in (done.stderr + done.stdout).lower()


# logs -------------------------------------------------------------------------------------------------------


def test_the_log_file_is_reopened_on_sigusr1(make_gate, engine, tmp_path):
    log, old = tmp_path / "gate.log", tmp_path / "gate.log.1"
    gate = make_gate(engine, flags=["--access-log"], config={"log": {"file": str(log)}})
    post(gate.port, "/v1/completions", PLAIN, {"X-Request-Id": "first-one"})
    eventually(lambda: "first-one" in log.read_text())
    log.rename(old)
    gate.signal(signal.SIGUSR1)
    eventually(log.exists)
    post(gate.port, "/v1/completions", PLAIN, {"X-Request-Id": "second-one"})
    eventually(lambda: "second-one" in log.read_text())
    assert "second-one" not in old.read_text() and "first-one" not in log.read_text()


def test_state_changes_of_engines_are_logged(make_gate, engines):
    gate = make_gate(*engines)
    engines[1].stop()
    eventually(
        lambda: complete(gate.port).status == 200
        and total(gate.metrics(), "kvgate_engine_up", engine=engines[1].url) == 0
    )
    gate.wait_line(re.escape(engines[1].authority) + r".*down|down.*" + re.escape(engines[1].authority))
    engines[1].start()
    eventually(lambda: total(gate.metrics(), "kvgate_engine_up", engine=engines[1].url) == 1)
    gate.wait_line(re.escape(engines[1].authority) + r".*\bup\b|\bup\b.*" + re.escape(engines[1].authority))


@pytest.mark.slow
def test_case_08_health_and_metrics_answer_under_many_open_streams(make_gate, engine, connect):
    """On the smallest number of workers."""
    rest = Gated(engine)
    gate = make_gate(engine, config={"server": {"workers": 1}})
    clients, answers = open_streams(gate, 300 if SANITIZED else 1000, connect)
    for _ in range(10):
        watch = Stopwatch()
        assert get(gate.port, "/health").status == 200 and watch.elapsed < scaled(0.2)
        watch = Stopwatch()
        assert get(gate.port, "/metrics").status == 200 and watch.elapsed < scaled(1)
    rest.go.set()
    for client, answered in zip(clients, answers):
        assert client.finish(answered).complete
        client.close()
    engine.script = completion
    assert post(gate.port, "/v1/completions", PLAIN).status == 200
