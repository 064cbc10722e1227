"""What `make run` does once the binary is built."""

import os
import re
import signal
import socket
import subprocess

from support.gate import ROOT, Process, binary
from support.timing import eventually


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def demo(port):
    return Process([str(ROOT / "scripts/run-demo"), binary()], {"KVGATE_PORT": str(port)})


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as listed:
        return listed.read().split()


def test_prints_an_answer_its_engine_and_a_curl_line_and_leaves_nothing_behind():
    port = free_port()
    run = demo(port)
    try:
        engine = run.wait_line(r"^engine: +(http://127\.0\.0\.1:\d+)$", 30)[1]
        decision = run.wait_line(r"^decision: +(\S.*)$")[1]
        engines = run.wait_line(r"engines (\S+)\. Requests:$")[1].split(",")
        assert len(set(engines)) == 3 and engine in engines
        assert decision
        question = next(n for n, line in enumerate(run.stdout) if line.startswith("> "))
        assert re.search(r"\w", run.stdout[question + 1]), "no answer"

        line = next(text.strip() for text in run.stdout if text.strip().startswith("curl "))
        tried = subprocess.run(line, shell=True, capture_output=True, text=True, timeout=30)
        assert tried.stdout.rstrip().endswith("data: [DONE]"), tried

        children = children_of(run.pid)
        assert len(children) >= 4
        run.signal(signal.SIGINT)
        assert run.wait(15) == 0
        eventually(lambda: not any(os.path.exists(f"/proc/{child}") for child in children))
    finally:
        run.kill()


def test_names_the_port_that_is_taken():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        run = demo(port)
        assert run.wait(15) == 1
        assert f"port {port} is taken" in "\n".join(run.stderr)
        assert "KVGATE_PORT" in "\n".join(run.stderr)
