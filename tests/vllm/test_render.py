"""A real vLLM server (`vllm launch render`: no weights, no GPU) against `kvgate tokenize`, over HTTP. `make test-vllm`."""

import json
import os
import pathlib
import random
import re
import socket
import subprocess
import time
import urllib.error
import urllib.request

import pytest
import random_requests

ROOT = pathlib.Path(__file__).resolve().parents[2]
KVGATE = os.environ.get("KVGATE_BIN") or str(ROOT / "build" / "test" / "kvgate")
VLLM = os.environ.get("KVGATE_VLLM") or str(ROOT / "build" / "vllm" / "bin" / "vllm")
MODEL = os.environ.get("KVGATE_VLLM_MODEL", "")
COUNT = int(os.environ.get("KVGATE_VLLM_REQUESTS", "1000"))
START_SECONDS = 300

pytestmark = pytest.mark.skipif(not MODEL, reason="KVGATE_VLLM_MODEL names no folder")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def post(url, body):
    """(status, answer)"""
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(errors="replace")


def is_up(url):
    try:
        return urllib.request.urlopen(url + "/health", timeout=5).status == 200
    except OSError:
        return False


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    port = free_port()
    log = (tmp_path_factory.mktemp("vllm") / "log").open("w")
    command = [VLLM, "launch", "render", MODEL, "--host", "127.0.0.1", "--port", str(port), "--served-model-name", "m",
               "--enable-auto-tool-choice", "--tool-call-parser", "hermes"]
    env = dict(os.environ, HF_HUB_OFFLINE="1", VLLM_NO_USAGE_STATS="1", VLLM_LOGGING_LEVEL="ERROR")
    process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=env)
    url = f"http://127.0.0.1:{port}"
    until = time.monotonic() + START_SECONDS
    while not is_up(url):
        assert process.poll() is None and time.monotonic() < until, pathlib.Path(log.name).read_text()[-3000:]
        time.sleep(1)
    yield url
    process.terminate()
    process.wait(30)


def kvgate(lines, *flags):
    command = [KVGATE, "tokenize", "--tokenizer", MODEL, *flags]
    done = subprocess.run(command, input="".join(json.dumps(line) + "\n" for line in lines).encode(),
                          capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.decode().split("\n") if line]


def rendered_ids(answer):
    one = answer[0] if isinstance(answer, list) else answer
    return one["token_ids"]


def test_chat_requests(engine):
    rng = random.Random(1)
    requests = [random_requests.chat_request(rng) for _ in range(COUNT)]
    different, served = [], 0
    for request, ours in zip(requests, kvgate(requests, "--chat")):
        status, theirs = post(engine + "/v1/chat/completions/render", request)
        served += status == 200
        same = rendered_ids(theirs) == ours.get("ids") if status == 200 else "error" in ours
        if not same:
            different.append((request, status, theirs if status != 200 else "", ours))
    assert different == []
    assert served > COUNT / 3


def test_texts(engine):
    rng = random.Random(2)
    texts = [random_requests.text(rng, 20) for _ in range(COUNT)]
    for special, flags in ((True, ()), (False, ("--no-special",))):
        for text, ours in zip(texts, kvgate([{"text": text} for text in texts], *flags)):
            status, theirs = post(engine + "/tokenize", {"model": "m", "prompt": text, "add_special_tokens": special})
            assert status == 200 and theirs["tokens"] == ours["ids"], text


def test_what_a_template_refuses_is_said_alike(engine):
    request = {"model": "m", "messages": []}
    status, theirs = post(engine + "/v1/chat/completions/render", request)
    (ours,) = kvgate([request], "--chat")
    assert status == 400 and re.search(re.escape(ours["error"]), theirs)
