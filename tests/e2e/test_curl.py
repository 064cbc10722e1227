"""curl through the gate: the line that the README shows, uploads, and what curl complains about."""

import json
import shutil
import subprocess

import pytest

from support.timing import scaled

pytestmark = pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")

CHAT = json.dumps({"model": "sim-model", "messages": [{"role": "user", "content": "hi"}], "max_tokens": 4})


def curl(gate, path, *arguments):
    """(exit code, output, complaints)"""
    command = ["curl", "-sS", "--max-time", str(scaled(20)), *arguments, f"http://127.0.0.1:{gate.port}{path}"]
    done = subprocess.run(command, capture_output=True, timeout=scaled(30))
    return done.returncode, done.stdout, done.stderr.decode()


def test_a_chat_and_a_streamed_chat(simulated):
    json_type = ("-H", "Content-Type: application/json")
    code, out, err = curl(simulated, "/v1/chat/completions", *json_type, "-d", CHAT)
    assert (code, err) == (0, "") and json.loads(out)["choices"]
    code, out, err = curl(
        simulated, "/v1/chat/completions", *json_type, "-N", "-d", CHAT.replace("{", '{"stream":true,', 1)
    )
    assert (code, err) == (0, "") and out.startswith(b"data: ") and out.endswith(b"data: [DONE]\n\n")


def test_http_1_0(simulated):
    code, out, err = curl(
        simulated,
        "/v1/chat/completions",
        "--http1.0",
        "-H",
        "Content-Type: application/json",
        "-d",
        CHAT.replace("{", '{"stream":true,', 1),
    )
    assert (code, err) == (0, "") and out.endswith(b"data: [DONE]\n\n")


def test_head_and_several_urls_on_one_connection(simulated):
    code, out, err = curl(simulated, "/health", "-I")
    assert code == 0 and out.startswith(b"HTTP/1.1 200")
    base = f"http://127.0.0.1:{simulated.port}"
    code, out, err = curl(simulated, "/v1/models", "-v", f"{base}/health", f"{base}/ready", f"{base}/version")
    assert code == 0 and err.count("Connected to") == 1, err


@pytest.mark.parametrize("size", [1000, 20_000_000])
def test_an_upload_with_expect_100_continue_does_not_wait(make_gate, engine, tmp_path, size):
    gate = make_gate(engine)
    audio = tmp_path / "a.wav"
    audio.write_bytes(b"\x01\xff" * (size // 2))
    code, out, err = curl(
        gate,
        "/v1/audio/transcriptions",
        "-H",
        "Expect: 100-continue",
        "--expect100-timeout",
        "15",
        "-F",
        "model=m",
        "-F",
        f"file=@{audio}",
        "-w",
        "\n%{http_code} %{time_total}",
    )
    status, seconds = out.decode().rsplit("\n", 1)[1].split()
    assert (code, status) == (0, "200"), (out, err)
    assert float(seconds) < scaled(5)


def test_an_upload_over_the_limit_reports_the_413(make_gate, engine, tmp_path):
    gate = make_gate(engine, config={"http": {"max_body": "1MiB"}})
    big = tmp_path / "big.json"
    big.write_bytes(b"x" * 30_000_000)
    code, out, _ = curl(
        gate,
        "/v1/chat/completions",
        "-H",
        "Content-Type: application/json",
        "-H",
        "Expect:",
        "--data-binary",
        f"@{big}",
        "-w",
        "\n%{http_code}",
    )
    assert out.endswith(b"\n413"), (code, out)
    assert not engine.requests


def test_a_chunked_upload(simulated):
    code, out, err = curl(
        simulated,
        "/v1/chat/completions",
        "-H",
        "Content-Type: application/json",
        "-H",
        "Transfer-Encoding: chunked",
        "-d",
        CHAT,
    )
    assert (code, err) == (0, "") and json.loads(out)["choices"]


def test_h2c_upgrade_is_answered_in_http_1_1(simulated):
    code, out, err = curl(simulated, "/health", "--http2", "-w", "\n%{http_version} %{http_code}")
    assert code == 0 and out.endswith(b"\n1.1 200"), (out, err)


def test_http2_with_prior_knowledge_fails_cleanly(simulated):
    code, _, _ = curl(simulated, "/health", "--http2-prior-knowledge", "--max-time", "5")
    assert code not in (0, 28), "an immediate failure, no hang"
