"""Connections as clients see them: kept, pipelined, half closed; HEAD, HTTP/1.0, other protocols, CORS."""

import re

import pytest

from support.check import is_error, served_by
from support.client import ask, post
from support.engine import completion, response, say, silent
from support.http_message import encode_head
from support.timing import Stopwatch, eventually, scaled

PLAIN = {"model": "m", "prompt": "hi"}


# connections ------------------------------------------------------------------------------------------------


def test_many_requests_use_one_connection(gate, engine, connect):
    client = connect(gate)
    for _ in range(20):
        assert served_by(client.post("/v1/completions", PLAIN)) == "B1"
    assert len({request.conn_number for request in engine.requests}) == 1, "the engine connection is kept as well"


def test_connection_close_is_obeyed(gate, connect):
    client = connect(gate)
    answered = client.post("/v1/completions", PLAIN, {"Connection": "close"})
    assert answered.status == 200 and answered.get("connection", "").lower() == "close"
    assert client.closed() == "fin"


def test_pipelined_requests_are_answered_in_order(gate, engine, connect):
    def slow_first(request, conn):
        conn.pause(0.2 if request.json()["n"] == 0 else 0)
        conn.send(response({"n": request.json()["n"]}))

    engine.script = slow_first
    client = connect(gate)
    client.send(b"".join(client.encode("POST", "/v1/completions", {**PLAIN, "n": n}) for n in range(20)))
    assert [client.read_response().json()["n"] for _ in range(20)] == list(range(20))


def test_a_pipelined_own_endpoint_waits_its_turn(gate, engine, connect):
    engine.script = say(0.2, response({"late": 1}))
    client = connect(gate)
    client.send(
        client.encode("POST", "/v1/completions", PLAIN)
        + client.encode("GET", "/health")
        + client.encode("GET", "/nothing")
    )
    assert client.read_response().json() == {"late": 1}
    assert client.read_response("GET").status == 200
    assert client.read_response("GET").status == 404


def test_an_error_answer_leaves_the_connection_usable(gate, connect):
    client = connect(gate)
    is_error(client.post("/v1/completions", {"model": "unknown", "prompt": "x"}), 404)
    is_error(client.post("/v1/completions", b"{"), 400)
    assert served_by(client.post("/v1/completions", PLAIN)) == "B1"


@pytest.mark.parametrize(
    "method,target,status", [("GET", "/nothing", 404), ("POST", "/nothing", 404), ("PUT", "/tokenize", 405)]
)
def test_a_request_refused_by_its_head_may_end_the_connection_but_says_so(gate, connect, method, target, status):
    client = connect(gate)
    answered = client.request(method, target, None if method == "GET" else PLAIN)
    is_error(answered, status)
    if answered.get("connection", "").lower() == "close":
        assert client.closed() == "fin"
    else:
        assert served_by(client.post("/v1/completions", PLAIN)) == "B1"


def test_head_cut_into_single_bytes_is_read(gate, connect):
    client = connect(gate)
    for byte in client.encode("POST", "/v1/completions", PLAIN):
        client.send(bytes([byte]))
    assert served_by(client.read_response()) == "B1"


# HEAD, 204, 304, HTTP/1.0 -----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/health", "/ready", "/metrics", "/version", "/v1/models", "/v1/models/m"])
def test_head_on_own_endpoints_has_no_body(gate, connect, path):
    client = connect(gate)
    client.send(client.encode("HEAD", path) + client.encode("GET", path))
    head = client.read_response("HEAD")
    full = client.read_response("GET")
    assert head.status == full.status == 200 and not head.raw_body
    assert head.get("content-type") == full.get("content-type") and full.body
    if path not in ("/metrics",):
        assert head.get("content-length") == full.get("content-length")


def test_head_on_a_proxied_path_is_passed_on(gate, engine, connect):
    engine.script = lambda _, conn: conn.send(encode_head("HTTP/1.1 405 Method Not Allowed", {"content-length": 31}))
    client = connect(gate)
    client.send(client.encode("HEAD", "/v1/completions"))
    answered = client.read_response("HEAD")
    assert (answered.status, answered.get("content-length"), answered.raw_body) == (405, "31", b"")
    assert engine.requests[-1].method == "HEAD"
    engine.script = completion
    assert served_by(client.post("/v1/completions", PLAIN)) == "B1"


@pytest.mark.parametrize("status", [204, 304])
@pytest.mark.parametrize("length", [None, 5])
def test_204_and_304_have_no_body_whatever_their_length_says(gate, engine, connect, status, length):
    fields = {} if length is None else {"content-length": length}
    engine.script = lambda _, conn: conn.send(encode_head(f"HTTP/1.1 {status} Nothing", fields))
    client = connect(gate)
    assert client.post("/v1/completions", PLAIN).status == status
    engine.script = completion
    assert served_by(client.post("/v1/completions", PLAIN)) == "B1"


@pytest.mark.parametrize("stream", [False, True])
def test_http_1_0_clients_get_no_chunks_and_a_close(gate, connect, stream):
    client = connect(gate)
    answered = client.request("POST", "/v1/completions", {**PLAIN, "stream": stream}, version="HTTP/1.0", host=None)
    assert answered.status == 200 and answered.complete
    assert "transfer-encoding" not in answered.head
    assert (b"data: [DONE]\n\n" if stream else b"one two three") in answered.body
    assert client.closed() == "fin"


# other protocols --------------------------------------------------------------------------------------------


def test_http2_preface_gets_a_clean_close_and_a_log_line(gate, connect):
    client = connect(gate)
    client.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\x04\0\0\0\0\0")
    assert client.closed() == "fin"
    gate.wait_line(r"(?i)http/2")


def test_upgrade_h2c_is_never_forwarded(gate, engine):
    upgrade = {"Connection": "Upgrade, HTTP2-Settings", "Upgrade": "h2c", "HTTP2-Settings": "AAMAAABkAARAAAAAAAIAAAAA"}
    answered = post(gate.port, "/v1/completions", PLAIN, upgrade)
    assert served_by(answered) == "B1" and "upgrade" not in answered.head
    assert not {"upgrade", "http2-settings"} & {name.lower() for name, _ in engine.requests[-1].head.fields}


# leaving ----------------------------------------------------------------------------------------------------


def test_half_close_allow_lets_a_client_that_has_said_all_get_its_answer(make_gate, engine, connect):
    gate = make_gate(engine, config={"http": {"half_close": "allow"}})
    engine.script = say(0.3, response({"late": 1}))
    client = connect(gate)
    client.send(client.encode("POST", "/v1/completions", PLAIN))
    client.half_close()
    assert client.read_response().json() == {"late": 1}
    assert client.closed() == "fin"


@pytest.mark.parametrize("behind", [0, 1, 300], ids=["nothing", "a_request", "many_requests"])
def test_fin_is_noticed_even_behind_unread_pipelined_bytes(gate, engine, connect, behind):
    engine.script = silent
    client = connect(gate)
    one = client.encode("POST", "/v1/completions", PLAIN)
    client.send(one * (1 + behind))
    eventually(lambda: engine.busy_connections(), 5)
    watch = Stopwatch()
    client.close()
    eventually(lambda: not engine.busy_connections(), 2)
    assert watch.elapsed < scaled(2)
    assert len(engine.requests) == 1, "a request of a client that has left is not begun"


# CORS -------------------------------------------------------------------------------------------------------


def preflight(gate, origin="https://app.example"):
    return ask(
        gate.port,
        "OPTIONS",
        "/v1/chat/completions",
        None,
        {
            "Origin": origin,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization, content-type",
        },
    )


def test_cors_is_off_by_default(gate, engine):
    assert preflight(gate).status in (404, 405)
    answered = post(gate.port, "/v1/completions", PLAIN, {"Origin": "https://app.example"})
    assert "access-control-allow-origin" not in answered.head
    assert not [request for request in engine.requests if request.method == "OPTIONS"]


@pytest.mark.parametrize("configured", ["*", "https://app.example"])
def test_cors_when_configured(make_gate, engine, configured):
    gate = make_gate(engine, config={"http": {"cors_origins": [configured]}})
    asked = preflight(gate)
    assert asked.status in (200, 204)
    assert asked.get("access-control-allow-origin") in ("*", "https://app.example")
    assert re.search(r"POST|\*", asked.get("access-control-allow-methods"))
    assert re.search(r"(?i)authorization|\*", asked.get("access-control-allow-headers"))
    for stream in (False, True):
        answered = post(gate.port, "/v1/completions", {**PLAIN, "stream": stream}, {"Origin": "https://app.example"})
        assert served_by(answered) == "B1"
        assert answered.get("access-control-allow-origin") in ("*", "https://app.example")
    failed = post(gate.port, "/v1/completions", {"model": "unknown"}, {"Origin": "https://app.example"})
    assert failed.get("access-control-allow-origin"), "a browser can read the error only with it"


def test_cors_does_not_let_other_origins_in(make_gate, engine):
    gate = make_gate(engine, config={"http": {"cors_origins": ["https://app.example"]}})
    assert preflight(gate, "https://evil.example").get("access-control-allow-origin") in (None, "https://app.example")
    answered = post(gate.port, "/v1/completions", PLAIN, {"Origin": "https://evil.example"})
    assert answered.get("access-control-allow-origin") in (None, "https://app.example")


def test_request_targets_that_are_no_path(gate, connect, engine):
    for target in ("*", "x:80", "/v1/completions#frag", "v1/completions"):
        assert connect(gate).request("POST", target, PLAIN).status in (400, 404, 405)
    assert not engine.requests
