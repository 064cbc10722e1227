"""Log lines: form, the access log, and what never is in them."""

import json
import re
import time

import pytest

from support.client import Client, get, post
from support.engine import answer, response, say, silent
from support.prometheus import parse_metrics
from support.timing import eventually, stays

PLAIN = {"model": "m", "prompt": "hi"}
STREAM = {**PLAIN, "stream": True}


STAMP = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\.\d{3}Z"


def test_log_lines_carry_rfc_3339_utc_with_milliseconds(gate):
    line = gate.wait_line(r".*listening on http.*")[0]
    stamp = re.search(STAMP, line)
    assert stamp, line
    clock = time.strptime(stamp[0][:19].replace(" ", "T"), "%Y-%m-%dT%H:%M:%S")
    assert abs(time.mktime(clock) - time.mktime(time.gmtime())) < 120


def test_no_access_log_by_default(gate):
    post(gate.port, "/v1/completions", PLAIN, {"X-Request-Id": "quiet-request"})
    stays(lambda: not [line for line in gate.logs if "quiet-request" in line], 0.3)


@pytest.mark.parametrize("session", [None, "user-7"])
def test_the_routing_line_that_existing_tooling_parses(make_gate, engine, session):
    gate = make_gate(engine, flags=["--access-log"], config={"session": {"keys": ["header:x-session-id"]}})
    fields = {"X-Request-Id": "req-1", **({"X-Session-Id": session} if session else {})}
    now = time.time()
    post(gate.port, "/v1/completions", PLAIN, fields)
    match = gate.wait_line(
        r"Routing request req-1 with session id (\S+) to (\S+) at (\d+\.?\d*), process time = (\d+\.\d+)"
    )
    assert match[1] == (session or "None") and match[2] == engine.url
    assert abs(float(match[3]) - now) < 30 and float(match[4]) < 1


def test_one_access_line_a_request(make_gate, engine):
    gate = make_gate(engine, flags=["--access-log"], config={"log": {"format": "json"}})
    with Client(gate.port) as client:
        client.post("/v1/completions", PLAIN, {"X-Request-Id": "plain-1"})
        client.post("/v1/completions", STREAM, {"X-Request-Id": "stream-1"})
        client.post("/v1/completions", {"model": "nope"}, {"X-Request-Id": "nope-1"})
    for own, status in (("plain-1", 200), ("stream-1", 200), ("nope-1", 404)):
        gate.wait_line(own)
        lines = [json.loads(line) for line in gate.logs if own in line]
        assert len(lines) == 1
        text = json.dumps(lines[0])
        assert str(status) in text and (engine.url in text) == (status == 200)
        if status == 200:
            assert lines[0]["model"] == "m"


def test_a_client_that_left_is_logged_with_499(make_gate, engine):
    engine.script = silent
    gate = make_gate(engine, flags=["--access-log"])
    client = Client(gate.port)
    client.send(client.encode("POST", "/v1/completions", PLAIN, {"X-Request-Id": "left-1"}))
    eventually(lambda: engine.requests)
    client.close()
    gate.wait_line(r"left-1.*\b499\b|\b499\b.*left-1")


@pytest.mark.parametrize("form", ["text", "json"])
def test_case_19_no_prompt_completion_or_key_is_ever_logged(make_gate, make_engine, form):
    """At the most verbose level, with a refused connect, an engine that echoes keys, and errors of all kinds."""
    engine, dead = make_engine("B1", models=["m"]), make_engine("B2", models=["m"])
    mark = "MARKER-7f3a"
    gate = make_gate(
        (engine, {"key": f"engine-{mark}"}),
        dead,
        flags=["--access-log"],
        config={"log": {"format": form, "level": "debug"}, "admin": {"key": f"admin-{mark}"}},
    )
    dead.stop()
    fields = {
        "Authorization": f"Bearer {mark}",
        "x-api-key": mark,
        "Proxy-Authorization": f"Basic {mark}",
        "Cookie": f"k={mark}",
    }
    engine.script = say(response({"error": {"message": f"bad key {mark}"}}, status=401))
    for body in (
        {"model": "m", "prompt": f"{mark} secret prompt"},
        {"model": "m", "messages": [{"content": mark}]},
        {"model": f"{mark}"},
    ):
        post(gate.port, f"/v1/completions?api_key={mark}", body, fields)
    engine.script = answer({"choices": [{"text": f"completion {mark}"}]})
    post(gate.port, f"/v1/completions?api_key={mark}", PLAIN, fields)
    get(gate.port, f"/nothing/{mark}?x={mark}", fields)
    post(gate.port, "/v1/completions", f'{{"model":"m","{mark}'.encode(), fields)
    engine.script = say("reset")
    answered = post(gate.port, f"/v1/completions?k={mark}", {"model": "m", "prompt": mark}, fields)
    assert mark not in answered.body.decode()
    for path in ("/metrics", "/engines", "/config"):
        assert mark not in get(gate.port, path, fields).body.decode(), path
    eventually(lambda: len(gate.logs) > 3)
    stays(lambda: not [line for line in gate.logs + gate.stderr if mark in line], 0.5)


def test_json_logs_are_json_and_utf8_whatever_clients_send(make_gate, engine):
    gate = make_gate(engine, flags=["--access-log"], config={"log": {"format": "json", "level": "debug"}})
    for model in (b'"\\ud83d"', b'"\xc3\x28"', b'"a\\u0000b"', b'"q\\"}{"', b'"\xff\xfe"', b'"m"'):
        post(gate.port, "/v1/completions", b'{"model":' + model + b',"prompt":"x"}', {"X-Session-Id": 's"\\x\xe9'})
    get(gate.port, '/x"y\\z')
    gate.wait_line("200")
    for line in gate.logs:
        json.loads(line)
    parse_metrics(get(gate.port, "/metrics").body.decode("utf-8"))
