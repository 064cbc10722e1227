"""Own endpoints and who may see them; debug headers."""

import json
import re
import socket

import pytest

from support.check import is_error, served_by
from support.client import Client, complete, get, post
from support.engine import answer
from support.timing import eventually

PLAIN = {"model": "m", "prompt": "hi"}
STREAM = {**PLAIN, "stream": True}
OWN = ["/health", "/ready", "/metrics", "/version", "/engines", "/config"]
GUARDED = ["/engines", "/config"]


def outer_address():
    """An address of this machine that is not loopback; skips where there is none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            pytest.skip("no route: this machine has only loopback")
        address = probe.getsockname()[0]
    if address.startswith("127."):
        pytest.skip("this machine has only loopback")
    return address


# own endpoints ----------------------------------------------------------------------------------------------


def test_own_endpoints_answer_on_loopback(gate):
    for path in OWN:
        assert get(gate.port, path).status == 200, path
    assert re.search(r"\d+\.\d+", json.dumps(get(gate.port, "/version").json()))
    assert isinstance(get(gate.port, "/engines").json(), (dict, list))


def test_health_is_of_the_process_and_ready_of_the_fleet(make_gate, engine):
    gate = make_gate(engine)
    engine.health = 503
    eventually(lambda: get(gate.port, "/ready").status == 503)
    assert get(gate.port, "/health").status == 200
    engine.health = 200
    eventually(lambda: get(gate.port, "/ready").status == 200)


def test_engines_shows_each_engine_and_no_key(make_gate, engines):
    gate = make_gate((engines[0], {"key": "sk-very-secret"}), engines[1], config={"admin": {"key": "adm-secret"}})
    text = get(gate.port, "/engines").body.decode()
    assert engines[0].url in text and engines[1].url in text
    for path in GUARDED:
        body = get(gate.port, path).body.decode()
        assert "sk-very-secret" not in body and "adm-secret" not in body, path


def test_from_elsewhere_only_the_harmless_ones_are_open(make_gate, engine):
    address = outer_address()
    gate = make_gate(engine, config={"server": {"host": "0.0.0.0"}, "admin": {"key": "adm"}})

    def status(path, fields=()):
        with Client(gate.port, host=address) as client:
            return client.get(path, fields)

    for path in ("/health", "/ready", "/metrics", "/version"):
        assert status(path).status == 200, path
    for path in GUARDED:
        is_error(status(path), 403)
        is_error(status(path, {"X-Forwarded-For": "127.0.0.1"}), 403)
        is_error(status(path, {"Authorization": "Bearer wrong"}), 403)
        assert status(path, {"Authorization": "Bearer adm"}).status == 200
        assert get(gate.port, path).status == 200, "loopback is trusted"


def test_on_an_admin_port_own_endpoints_leave_the_public_one(make_gate, engine):
    gate = make_gate(engine, config={"admin": {"port": 0}})
    for path in OWN:
        assert get(gate.admin_port, path).status == 200, path
    for path in GUARDED:
        assert get(gate.port, path).status in (403, 404)
    assert get(gate.port, "/v1/models").status == 200
    assert served_by(complete(gate.port)) == "B1"
    assert post(gate.admin_port, "/v1/completions", PLAIN).status in (403, 404), "the admin port proxies nothing"


def test_unknown_paths_and_methods_of_own_endpoints(gate):
    is_error(get(gate.port, "/nothing"), 404)
    for path in OWN + ["/v1/models"]:
        is_error(post(gate.port, path, {}), 405)
    assert "GET" in post(gate.port, "/health", {}).get("allow")


# debug headers ----------------------------------------------------------------------------------------------


def test_debug_headers_are_off_by_default(gate):
    for body in (PLAIN, STREAM, {"model": "nope"}):
        assert not [
            name for name, _ in post(gate.port, "/v1/completions", body).fields if name.lower().startswith("x-kvgate")
        ]


def test_debug_headers_name_engine_and_decision(make_gate, engine):
    gate = make_gate(engine, flags=["--debug-headers"])
    for body in (PLAIN, STREAM):
        answered = post(gate.port, "/v1/completions", body)
        assert answered.get("x-kvgate-engine") == engine.url
        assert "round_robin" in answered.get("x-kvgate-decision")


def test_the_gate_has_the_last_word_on_its_own_headers(make_gate, engine):
    engine.script = answer({}, fields=[("X-Kvgate-Engine", "spoof"), ("X-Request-Id", "spoof")])
    gate = make_gate(engine, flags=["--debug-headers"])
    answered = post(gate.port, "/v1/completions", PLAIN)
    assert answered.head.all("x-kvgate-engine")[-1] == engine.url
    assert len(answered.head.all("x-request-id")) == 1 and answered.get("x-request-id") != "spoof"
