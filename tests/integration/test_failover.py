"""Engines that refuse, die or close: what moves on, and how often it is tried."""

import pytest

from support.check import is_error, served_by
from support.client import complete, post
from support.engine import answer, black_hole, completion, response, say, stream_head
from support.prometheus import total
from support.timing import Stopwatch, eventually, scaled

PLAIN = {"model": "m", "prompt": "hi"}
UPLOAD = (
    b'--XX\r\nContent-Disposition: form-data; name="model"\r\n\r\nm\r\n--XX\r\nContent-Disposition: form-data; '
    b'name="file"; filename="a.wav"\r\n\r\n\0\xff\r\n--XX--\r\n'
)

LOST = {
    "reset": say("reset"),
    "fin": say("close"),
    "head_then_reset": say(stream_head(), 0.02, "reset"),
    "half_a_head": say(b"HTTP/1.1 200 OK\r\ncontent-", "close"),
}


def counts(*engines):
    return [len(engine.requests) for engine in engines]


# before the request was sent: any engine --------------------------------------------------------------------


def test_case_06_a_refused_connect_is_no_error_for_the_client(make_gate, engines):
    one, two = engines
    gate = make_gate(one, two)
    two.stop()
    for _ in range(50):
        assert served_by(complete(gate.port)) == "B1"
    metrics = gate.metrics()
    assert total(metrics, "kvgate_engine_up", engine=two.url) == 0, "taken out at once, not after the next probes"


@pytest.mark.slow
def test_case_06_a_black_hole_delays_by_the_connect_timeout_at_most(make_gate, engine):
    with black_hole() as hole:
        gate = make_gate(
            engine,
            (hole, {"models": ["m"]}),
            config={
                "engine": {"connect_timeout": "300ms"},
                "health": {"interval": "300ms", "timeout": "300ms", "rise": 1},
            },
        )
        for _ in range(20):
            watch = Stopwatch()
            assert served_by(complete(gate.port)) == "B1"
            assert watch.elapsed < scaled(0.3) + 0.5
        eventually(lambda: total(gate.metrics(), "kvgate_engine_up", engine=hole.url) == 0, 5)
        for _ in range(20):
            watch = Stopwatch()
            assert served_by(complete(gate.port)) == "B1"
            assert watch.elapsed < scaled(0.25), "after the threshold none waits"


def test_every_engine_refusing_is_502(make_gate, engine):
    gate = make_gate(engine, config={"health": {"enabled": False}})
    engine.stop()
    answered = complete(gate.port)
    assert answered.status in (502, 503)
    is_error(answered, answered.status)
    assert gate.running


def test_an_idle_connection_that_died_is_no_error(make_gate, engine, connect):
    """The engine closes its kept connections, cleanly or not; the next request gets a fresh one."""
    gate = make_gate(engine)
    client = connect(gate)
    for how in ("close", "reset") * 5:
        assert served_by(client.post("/v1/completions", PLAIN)) == "B1"
        for conn in engine.used_connections():
            getattr(conn, how)()
    assert counts(engine) == [10], "and nothing was asked twice"


def test_an_engine_that_closes_after_each_answer_is_no_error(make_gate, engine, connect):
    engine.script = lambda request, conn: (conn.send(response({"ok": 1})), conn.close())
    gate = make_gate(engine)
    client = connect(gate)
    for _ in range(20):
        assert client.post("/v1/completions", PLAIN).json() == {"ok": 1}


def test_connection_close_of_an_engine_is_obeyed(gate, engine, connect):
    engine.script = answer({"ok": 1}, fields=[("connection", "close")])
    client = connect(gate)
    for _ in range(3):
        answered = client.post("/v1/completions", PLAIN)
        assert answered.json() == {"ok": 1} and answered.get("connection", "keep-alive") == "keep-alive"
    assert len({request.conn_number for request in engine.requests}) == 3


def test_a_pooled_connection_that_spoke_before_it_died_was_not_idle(make_gate, engine):
    """The engine has had the request: it is lost, not to be sent once more to the same engine."""
    gate = make_gate(engine, config={"server": {"workers": 1}})   # each worker has a pool of its own
    assert complete(gate.port).status == 200
    engine.script = say(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 0.01, "close")
    assert is_error(complete(gate.port, n=1), 502)["code"] == "engine_lost"
    assert counts(engine) == [2] and len(engine.used_connections()) == 1


def test_an_idle_engine_connection_is_closed_in_time(make_gate, engine):
    gate = make_gate(engine, config={"engine": {"idle_timeout": "300ms"}})
    assert complete(gate.port).status == 200
    eventually(lambda: all(conn.closed_how == "fin" for conn in engine.used_connections()), 2)


# after it was sent: at most one more ------------------------------------------------------------------------


@pytest.mark.parametrize("how", LOST)
def test_a_request_lost_after_sending_is_tried_on_one_more_engine(make_gate, make_engine, how):
    bad, good = make_engine("B1", script=LOST[how]), make_engine("B2")
    gate = make_gate(bad, good)
    for n in range(4):
        assert served_by(complete(gate.port, n=n)) == "B2"
    assert counts(good) == [4] and counts(bad)[0] >= 1


@pytest.mark.parametrize("how", LOST)
def test_a_request_that_two_engines_die_of_is_not_given_to_a_third(make_gate, make_engine, how):
    engines = [make_engine(f"B{n}", script=LOST[how]) for n in (1, 2, 3)]
    gate = make_gate(*engines)
    is_error(complete(gate.port), 502)
    assert sorted(counts(*engines)) == [0, 1, 1]


def test_a_body_that_lost_two_engines_is_refused_at_once(make_gate, make_engine):
    engines = [make_engine(f"B{n}", script=say("reset")) for n in (1, 2, 3, 4)]
    gate = make_gate(*engines)
    killer = {**PLAIN, "prompt": "killer"}
    is_error(post(gate.port, "/v1/completions", killer), 502)
    assert sum(counts(*engines)) == 2
    for engine in engines:
        engine.script = completion
    error = is_error(post(gate.port, "/v1/completions", killer), 502)
    assert "engine_lost" in (error["code"], error["type"])
    assert sum(counts(*engines)) == 2, "no third engine is risked"
    assert complete(gate.port, prompt2="harmless").status == 200
    assert total(gate.metrics(), "kvgate_poisoned_requests_total") == 1


def test_the_refusal_of_such_a_body_ends(make_gate, make_engine):
    engines = [make_engine(f"B{n}", script=say("reset")) for n in (1, 2)]
    gate = make_gate(*engines, config={"retry": {"poison_ttl": "1s"}})
    is_error(complete(gate.port, prompt2="killer"), 502)
    for engine in engines:
        engine.script = completion
    is_error(complete(gate.port, prompt2="killer"), 502)
    eventually(lambda: complete(gate.port, prompt2="killer").status == 200, 5)


@pytest.mark.parametrize(
    "target,body,more",
    [
        ("/v1/responses", {"model": "m", "input": "x", "background": True}, {}),
        ("/v1/responses", {"model": "m", "input": "x", "store": True}, {}),
        ("/v1/chat/completions", {"model": "m", "messages": [], "store": True}, {}),
        ("/v1/audio/transcriptions", UPLOAD, {"content_type": "multipart/form-data; boundary=XX"}),
    ],
    ids=["background", "store", "chat_store", "audio"],
)
def test_what_has_side_effects_is_not_repeated_after_sending(make_gate, make_engine, target, body, more):
    engines = [make_engine(f"B{n}", script=say("reset")) for n in (1, 2)]
    gate = make_gate(*engines)
    is_error(post(gate.port, target, body, **more), 502)
    assert sum(counts(*engines)) == 1


def test_no_repetition_after_sending_when_switched_off(make_gate, make_engine):
    engines = [make_engine(f"B{n}", script=say("reset")) for n in (1, 2)]
    gate = make_gate(*engines, config={"retry": {"after_send": 0}})
    is_error(complete(gate.port), 502)
    assert sum(counts(*engines)) == 1


def test_an_upload_cut_by_the_engine_moves_on(make_gate, make_engine):
    """Closed before the request was fully sent: any other engine may have it."""
    bad, good = make_engine("B1"), make_engine("B2")
    bad.on_head = lambda head, conn: head.start.startswith("POST") and (conn.reset() or True)
    gate = make_gate(bad, good)
    for n in range(2):
        assert served_by(complete(gate.port, n=n, pad="x" * 20_000_000)) == "B2"
    assert good.requests[-1].json()["pad"] == "x" * 20_000_000
