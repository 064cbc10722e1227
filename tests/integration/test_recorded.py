"""Every recorded exchange of a real vLLM, replayed with random cuts: the client gets what was recorded.

Compared are status line, header list (order, duplicates) and body bytes including the chunk framing; left out are only
hop-by-hop headers, x-request-id and x-kvgate-*.
"""

import json
import re

import pytest

from support.running import running_gate
from support.check import aborted, is_error
from support.client import Client
from support.engine import FakeEngine, replay
from support.recorded import DATA, exchanges

OURS = re.compile(
    r"(?i)(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|x-request-id|x-kvgate-.*)\Z"
)

# What the gate answers by itself, or does not let through, and why.
ANSWERED_BY_THE_GATE = {
    "/v1/models": "the list is the gate's: the union over the engines",
    "/metrics": "the gate's own metrics",
    "/health": "the gate's own health",
    "/version": "the gate's own version",
}
NOT_PROXIED = {
    "/sleep": "a switch of one engine",
    "/pause": "a switch of one engine",
    "/resume": "a switch of one engine",
    "/abort_requests": "a switch of one engine",
    "/reset_prefix_cache": "a switch of one engine",
    "/v1/load_lora_adapter": "a switch of one engine",
    "/is_sleeping": "state of one engine",
    "/is_paused": "state of one engine",
    "/server_info": "state of one engine",
    "/load": "state of one engine",
    "/kv_event_sources": "state of one engine",
    "/get_world_size": "state of one engine",
    "/ping": "liveness of one engine; the gate's own is /health",
    "/openapi.json": "describes one engine",
    "/v1/nothing": "no such path",
}
REFUSED_BY_THE_GATE = {
    "chat_400_badjson": (400, "not JSON: the model cannot be read, so there is no engine to ask"),
    "chat_405": (405, "GET on a path that only takes POST"),
    "cors_preflight": (405, "CORS is answered by the gate, when it is configured"),
}

ALL = exchanges()
PROXIED = [
    exchange
    for exchange in ALL
    if exchange.path not in ANSWERED_BY_THE_GATE
    and exchange.path not in NOT_PROXIED
    and exchange.name not in REFUSED_BY_THE_GATE
]
pytestmark = pytest.mark.skipif(not ALL, reason=f"no recordings at {DATA}")


@pytest.fixture(scope="module", params=sorted({exchange.model or "tiny" for exchange in PROXIED}) or ["tiny"])
def replayer(request):
    """A gate and an engine that serves the one model which the requests of this round name."""
    engine = FakeEngine("B1", models=[request.param])
    with running_gate([engine]) as gate:
        yield gate, engine, request.param
    engine.stop()
    assert not engine.violations, engine.violations


def theirs(fields):
    return [field for field in fields if not OURS.match(field[0])]


def through(gate, engine, exchange, seed, version="HTTP/1.1"):
    engine.script = replay(exchange.response, seed)
    with Client(gate.port) as client:
        client.send_cut(exchange.request.replace(b" HTTP/1.1\r\n", f" {version}\r\n".encode(), 1), seed)
        return client.read_response(exchange.method)


@pytest.mark.parametrize("seed", [1, 2])
def test_recorded_exchanges_pass_unaltered(replayer, seed):
    gate, engine, model = replayer
    problems = []
    for exchange in PROXIED:
        if (exchange.model or "tiny") != model:
            continue
        got = through(gate, engine, exchange, seed)
        head, recorded = exchange.answer()
        told = [
            ("status", got.head.start == head.start),
            ("headers", theirs(got.fields) == theirs(head.fields)),
            ("framing", got.framing == recorded.framing.kind),
            ("request", engine.requests[-1].body == exchange.body),
        ]
        if recorded.done:
            told += [("body", got.raw_body == bytes(recorded.raw)), ("end", got.complete)]
        else:  # the recording ends in the middle of the stream
            told += [("body", got.raw_body.startswith(bytes(recorded.raw))), ("end", aborted(got))]
        problems += [f"{exchange.name}: {what}" for what, good in told if not good]
    assert not problems, problems


def test_recorded_streams_reach_http_1_0_clients_without_chunks(replayer):
    gate, engine, model = replayer
    for exchange in PROXIED:
        head, recorded = exchange.answer()
        if (exchange.model or "tiny") != model or recorded.framing.kind != "chunked" or not recorded.done:
            continue
        got = through(gate, engine, exchange, 3, "HTTP/1.0")
        assert (got.status, got.body, got.complete) == (
            int(head.start.split()[1]),
            bytes(recorded.body),
            True,
        ), exchange.name
        assert "transfer-encoding" not in got.head


def test_every_recording_is_replayed_or_named_with_a_reason():
    assert len(ALL) >= 120 and len(PROXIED) >= 80, (len(ALL), len(PROXIED))
    named = {exchange.path for exchange in ALL}
    assert set(ANSWERED_BY_THE_GATE) | set(NOT_PROXIED) <= named, "an exception without a recording"


def test_what_is_not_proxied_is_answered_by_the_gate(replayer):
    gate, engine, _ = replayer
    before = len(engine.requests)
    for exchange in ALL:
        if exchange in PROXIED:
            continue
        with Client(gate.port) as client:
            client.send(exchange.request)
            got = client.read_response(exchange.method)
        if exchange.path in NOT_PROXIED:
            is_error(got, 404)
        elif exchange.name in REFUSED_BY_THE_GATE:
            is_error(got, REFUSED_BY_THE_GATE[exchange.name][0])
        else:
            assert got.status == 200, exchange.name
            assert (
                exchange.path != "/v1/models" or exchange.method == "HEAD" or json.loads(got.body)["object"] == "list"
            )
    assert len(engine.requests) == before
