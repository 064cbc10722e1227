"""Costs that can be counted exactly: segments per event, system calls per request, allocations per request."""

import re
import shutil
import socket
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from support.client import Client
from support.engine import delta, say, stream_head
from support.http_message import chunk
from support.timing import SANITIZED, eventually

PLAIN = {"model": "m", "prompt": "x" * 1000}

# struct tcp_info of Linux: tcpi_segs_in and tcpi_data_segs_in.
TCPI_DATA_SEGS_IN = 152


def data_segments_in(sock):
    info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    return struct.unpack_from("I", info, TCPI_DATA_SEGS_IN)[0]


def test_each_streamed_event_leaves_in_one_segment(make_gate, engine, connect):
    """The head travels with the first event; each event has left before the next is sent to the gate."""
    script = [stream_head()]
    for n in range(50):
        script += [chunk(delta(f"token{n}")), "gate"]
    script += [chunk(b"data: [DONE]\n\n"), b"0\r\n\r\n"]
    permits = []
    engine.script = stepwise(script, permits)
    gate = make_gate(engine)
    client = connect(gate)
    client.send(client.encode("POST", "/v1/completions", {**PLAIN, "stream": True}))
    answer = client.read_head()
    for n in range(50):
        client.read_until(answer, f"token{n}".encode())
        assert data_segments_in(client.sock) == n + 1
        permits.append(n)
    assert client.finish(answer).complete


def stepwise(script, permits):
    """Sends a step, then waits until the test has seen it."""

    def handler(request, conn):
        steps = 0
        for step in script:
            if step == "gate":
                steps += 1
                eventually(lambda: len(permits) >= steps)
            else:
                conn.send(step)

    return handler


@pytest.mark.skipif(bool(SANITIZED), reason="a sanitizer makes system calls of its own, and LeakSanitizer refuses strace")
@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
def test_a_json_request_costs_at_most_6_3_system_calls(make_gate, engine, tmp_path):
    gate = make_gate(engine, config={"health": {"interval": "60s"}, "models": {"refresh": "60s"}})
    client = Client(gate.port)
    for _ in range(20):
        assert client.post("/v1/completions", PLAIN).status == 200
    out = tmp_path / "strace"
    tracer = subprocess.Popen(["strace", "-f", "-c", "-o", out, "-p", str(gate.pid)], stderr=subprocess.PIPE, text=True)
    try:
        first = tracer.stderr.readline()
        if "not permitted" in first:
            pytest.skip(f"strace may not attach here: {first.strip()}")
        requests = 1000
        for _ in range(requests):
            assert client.post("/v1/completions", PLAIN).status == 200
    finally:
        tracer.send_signal(2)
        tracer.wait(10)
    total = int(re.search(r"^\s*100\.00\s+\S+\s+\S*\s+(\d+)", out.read_text(), re.M).group(1))
    print(out.read_text(), file=sys.stderr)
    assert total / requests <= 6.3


@pytest.mark.skipif(bool(SANITIZED), reason="a sanitizer has its own allocator")
@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler for the counting allocator")
@pytest.mark.parametrize("stream", [False, True], ids=["json", "stream"])
@pytest.mark.parametrize(
    "routing",
    [
        {"policies": ["round_robin"]},
        {"policies": ["session", "prefix_affinity"]},
        {"policies": ["session", "prefix_affinity"], "filters": ["model", "healthy", "overload", "max_model_len"]},
    ],
    ids=["round_robin", "prefix_affinity", "filters"],
)
def test_a_relayed_request_allocates_nothing(make_gate, engines, tmp_path, stream, routing):
    """After warm-up; what is left over belongs to the control thread."""
    library, page = tmp_path / "count.so", tmp_path / "count"
    source = Path(__file__).resolve().parents[1] / "support" / "count_malloc.c"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, source], check=True)
    page.write_bytes(bytes(4096))
    quiet = {"health": {"interval": "60s"}, "models": {"refresh": "60s"}, "server": {"workers": 1}, "routing": routing}
    gate = make_gate(*engines, config=quiet, env={"LD_PRELOAD": str(library), "COUNT_MALLOC_FILE": str(page)})
    client = Client(gate.port)
    ask = lambda: client.post("/v1/completions", {**PLAIN, "stream": stream}).status
    for _ in range(50):
        assert ask() == 200
    count = lambda: struct.unpack_from("L", page.read_bytes())[0]
    before = count()
    assert before > 0, "the library counts"
    for _ in range(500):
        assert ask() == 200
    assert count() - before <= 25
