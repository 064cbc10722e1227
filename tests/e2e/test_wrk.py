"""512 connections for a few seconds: no error, no leak."""

import os
import re
import shutil
import subprocess

import pytest

from support.gate import Gate, Sim
from support.prometheus import total
from support.timing import SANITIZED, eventually, scaled

pytestmark = pytest.mark.skipif(not shutil.which("wrk"), reason="wrk is not installed")

SCRIPT = """
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local bodies = {%s}
local n = 0
request = function()
  n = n + 1
  return wrk.format(nil, "/v1/chat/completions", nil, bodies[n %% #bodies + 1])
end
"""
PLAIN = '{"model":"sim-model","messages":[{"role":"user","content":"hi"}],"max_tokens":2}'
STREAM = PLAIN.replace("{", '{"stream":true,', 1)
MIXES = {
    "plain": [PLAIN],
    "streamed": [STREAM],
    "mixed_with_errors": [PLAIN, STREAM, PLAIN.replace("sim-model", "nope")],
}


def wrk(gate, script, seconds):
    """wrk's report; latency and errors are in it."""
    command = [
        "wrk",
        "-t1",
        "-c512",
        f"-d{seconds}s",
        "--timeout",
        "20s",
        "-s",
        str(script),
        f"http://127.0.0.1:{gate.port}",
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=seconds + scaled(60)).stdout


@pytest.fixture(scope="module")
def crowded():
    sims = [Sim(), Sim(), Sim()]
    gate = Gate([sim.url for sim in sims], wait_ready=True)
    try:
        yield gate
        gate.check()
        gate.stop()
    finally:
        gate.discard()
        for sim in sims:
            sim.stop()


@pytest.mark.slow
@pytest.mark.parametrize("mix", MIXES)
def test_512_connections_no_error_no_leak(crowded, tmp_path, mix):
    script = tmp_path / "load.lua"
    script.write_text(SCRIPT % ",".join(f"[[{body}]]" for body in MIXES[mix]))
    wrk(crowded, script, 1)  # warms up: engine connections, buffers
    eventually(lambda: not any(crowded.in_flight().values()), 10)
    eventually(lambda: total(crowded.metrics(), "kvgate_connections_open") <= 1, 10)
    idle = lambda: len([name for name in os.listdir(f"/proc/{crowded.pid}/fd")])
    eventually(lambda: idle() < 100, 15, idle)  # pooled engine connections have gone
    start = idle()
    report = wrk(crowded, script, 3)
    done = int(re.search(r"(\d+) requests in", report)[1])
    assert done > (50 if SANITIZED else 500), report
    assert "Socket errors" not in report, report
    refused = int(match[1]) if (match := re.search(r"Non-2xx or 3xx responses: (\d+)", report)) else 0
    if mix == "mixed_with_errors":
        assert abs(refused - done / 3) <= done * 0.1 + 600, report
    else:
        assert refused == 0, report
    crowded.check_idle()
    eventually(lambda: idle() <= start + 8, 20, lambda: f"{idle()} descriptors, {start} at the start")
    assert total(crowded.metrics(), "kvgate_errors_total", cause="internal") == 0
