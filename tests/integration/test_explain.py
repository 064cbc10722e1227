"""POST /explain: the decision that is not made, and the sampled record of those that are."""

import gzip
import json
import re

import pytest

from support.check import is_error, served_by
from support.client import ask, complete, post
from support.engine import response, silent
from support.gate import ROOT
from support.prometheus import select, total
from support.timing import eventually, stays

PREFIX = {"routing": {"policies": ["session", "prefix_affinity"]}}
LONG = "All work and no play makes Jack a dull boy. " * 50
CHAT = {"model": "m", "messages": [{"role": "user", "content": LONG}]}
PLAIN = {"model": "m", "prompt": LONG}
TOLD = "vllm:num_requests_running 0\nvllm:num_requests_waiting 0\nvllm:kv_cache_usage_perc 0.25\n"


def explain(gate, body, path=None, fields=()):
    answered = post(gate.admin_port, "/explain" + (f"?path={path}" if path else ""), body, fields)
    assert answered.status == 200, answered
    return answered.json()


def by_engine(record):
    return {candidate["engine"]: candidate for candidate in record["candidates"]}


def dropped(record):
    return {drop["filter"]: drop["engines"] for drop in record["filters"]}


def known_tokens(gate, body):
    """Tokens of the prompt that the gate believes cached, by engine."""
    return {
        url: candidate["facts"]["text_prefix"]["gpu_tokens"] for url, candidate in by_engine(explain(gate, body)).items()
    }


# what it says -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path,body",
    [
        (None, CHAT),
        (None, PLAIN),
        ("/v1/chat/completions", CHAT),
        ("/v1/completions", PLAIN),
        ("%2Fv1%2Fcompletions", PLAIN),
        ("/v1/embeddings", {"model": "m", "input": [LONG, "b"]}),
        ("/v1/responses", {"model": "m", "instructions": LONG, "input": "hi"}),
        ("/v1/messages", {"model": "m", "max_tokens": 1, "system": LONG, "messages": CHAT["messages"]}),
        ("/v1/rerank", {"model": "m", "query": LONG, "documents": ["a"]}),
    ],
)
def test_it_names_the_engine_that_the_request_then_goes_to(make_gate, engines, path, body):
    gate = make_gate(*engines, config=PREFIX)
    names = {engine.url: engine.name for engine in engines}
    real = path.replace("%2F", "/") if path else ("/v1/completions" if "prompt" in body else "/v1/chat/completions")
    for n in range(6):
        told = explain(gate, body, path)
        assert told["request"]["prompt_tokens"] > 400, "the prompt was read"
        assert served_by(post(gate.port, real, body)) == names[told["decision"]["engine"]], n
        complete(gate.port, n=n)  # moves the turn on


def test_headers_count_as_they_do_in_a_request(make_gate, make_engine):
    engines = [make_engine(f"B{n}") for n in range(4)]
    names = {engine.url: engine.name for engine in engines}
    gate = make_gate(*engines, config={"routing": {"policies": ["session"]}, "session": {"keys": ["header:x-user"]}})
    for n in range(8):
        fields = {"X-User": f"user-{n}"}
        told = explain(gate, CHAT, fields=fields)
        assert told["request"]["session"] == f"user-{n}"
        assert told["decision"]["by"] == "session" and told["policies"][0]["reason"] == "session_home"
        answered = post(gate.port, "/v1/chat/completions", CHAT, fields)
        assert served_by(answered) == names[told["decision"]["engine"]]


def test_facts_have_their_age_and_costs_are_in_tokens(make_gate, engines):
    for engine in engines:
        engine.metrics = TOLD
    gate = make_gate(*engines, config={**PREFIX, "engine_stats": {"interval": "50ms"}})
    first = explain(gate, CHAT)
    tokens = first["request"]["prompt_tokens"]
    assert set(first["policies"][1]["costs"].values()) == {float(tokens)}, "all of it is to be computed, anywhere"
    assert served_by(post(gate.port, "/v1/chat/completions", CHAT))
    told = eventually(lambda: all(c["reported"] for c in explain(gate, CHAT)["candidates"]) and explain(gate, CHAT))
    for candidate in told["candidates"]:
        assert 0 <= candidate["reported"]["age_ns"] < 15e9 and candidate["reported"]["running"] == 0
    winner = told["decision"]["engine"]
    known = by_engine(told)[winner]["facts"]["text_prefix"]["gpu_tokens"]
    assert tokens * 0.9 < known <= tokens
    affinity = told["policies"][1]
    assert (affinity["policy"], affinity["reason"], affinity["got"]) == ("prefix_affinity", "cached_prefix", known)
    assert affinity["costs"][winner] == tokens - known
    assert max(affinity["costs"].values()) == tokens


def test_who_was_dropped_and_by_what(make_gate, make_engine, connect):
    down, full, idle = make_engine("down"), make_engine("full", script=silent), make_engine("idle")
    gate = make_gate(down, (full, {"max_concurrent": 1}), (idle, {"labels": {"zone": "a"}}))
    down.health = 503
    eventually(lambda: gate.fleet()[down.url]["health"] == "down")
    idle.health = 503  # so that the next one can only go to the one that answers nothing
    eventually(lambda: gate.fleet()[idle.url]["health"] == "down")
    holder = connect(gate)
    holder.send(holder.encode("POST", "/v1/completions", PLAIN))
    eventually(lambda: full.requests)
    nobody = explain(gate, PLAIN)
    assert dropped(nobody) == {"healthy": [down.url, idle.url], "capacity": [full.url]}
    assert (nobody["decision"]["engine"], nobody["decision"]["by"]) == (None, "capacity")
    assert "capacity" in is_error(complete(gate.port), 503)["message"]
    idle.health = 200
    eventually(lambda: gate.fleet()[idle.url]["health"] == "up")
    told = explain(gate, PLAIN)
    assert dropped(told) == {"healthy": [down.url], "capacity": [full.url]}
    assert told["decision"]["engine"] == idle.url
    assert by_engine(told)[full.url]["in_flight"] == 1 and by_engine(told)[full.url]["prefill_tokens"] > 0
    assert by_engine(told)[idle.url]["labels"] == {"zone": "a"}


def test_a_pinned_request(make_gate, engines):
    gate = make_gate(*engines, config={"routing": {"pin_by_id": True}})
    for engine in engines:
        told = post(gate.port, f"/explain?path=/v1/completions&id={engine.url}", PLAIN).json()
        assert told["decision"]["engine"] == engine.url and told["chain"]["filters"][0] == "pinned"


def test_a_response_is_continued_where_it_was_made(make_gate, engines):
    def respond(request, conn):
        name = conn.engine.name
        conn.send(response({"id": f"resp_{name}", "object": "response"}, fields=[("x-mock", name)]))

    gate = make_gate(*engines)
    for engine in engines:
        engine.script = respond
    for _ in engines:
        post(gate.port, "/v1/responses", {"model": "m", "input": "hi"})
    for engine in engines:
        body = {"model": "m", "input": "and?", "previous_response_id": f"resp_{engine.name}"}
        told = explain(gate, body, "/v1/responses")
        assert (told["decision"]["engine"], told["decision"]["by"]) == (engine.url, "response_id")
        assert served_by(post(gate.port, "/v1/responses", body)) == engine.name
    is_error(post(gate.port, "/explain?path=/v1/responses/resp_B1/cancel", {}), 400, param="path")


def shape(value):
    """Types and keys; lists by their first element."""
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items() if key not in ("costs", "labels")}
    return [shape(value[0])] if isinstance(value, list) and value else type(value).__name__


def test_the_documented_answer_looks_like_a_real_one(make_gate, engines):
    documented = json.loads(re.search(r"```json\n(.*?)```", (ROOT / "docs/explain.md").read_text(), re.S)[1])
    engines[0].metrics = TOLD
    gate = make_gate(*engines, config={**PREFIX, "engine_stats": {"interval": "50ms"}})
    post(gate.port, "/v1/chat/completions", CHAT)
    engines[1].health = 503
    eventually(lambda: gate.fleet()[engines[1].url]["health"] == "down")
    real = eventually(lambda: explain(gate, CHAT)["candidates"][0]["reported"] and explain(gate, CHAT))
    real["candidates"][0]["cache_room"] = 0  # known only of engines that tell their number of blocks
    assert shape(documented) == shape(real)
    assert [sorted(one) for one in documented["policies"]] == [sorted(one) for one in real["policies"]]


# what it does not do ----------------------------------------------------------------------------------------


def counted(gate):
    """What a request leaves in the metrics."""
    marks = re.compile(r"kvgate_(requests|decision|filtered|abstained|prefix_index|prompt|prediction|retries)|vllm:num_")
    return {key: value for key, value in gate.metrics().items() if marks.match(key[0])}


def test_asking_changes_nothing(make_gate, engines):
    gate = make_gate(*engines, config=PREFIX)
    names = {engine.url: engine.name for engine in engines}
    complete(gate.port)
    gate.check_idle()
    before = counted(gate)
    told = [explain(gate, CHAT)["decision"]["engine"] for _ in range(100)]
    assert len(set(told)) == 1, "its turn stays its turn"
    assert counted(gate) == before
    assert set(known_tokens(gate, CHAT).values()) == {0}, "the prompt is still unknown"
    assert served_by(post(gate.port, "/v1/chat/completions", CHAT)) == names[told[0]]
    known = known_tokens(gate, CHAT)
    assert known[told[0]] > 400 and sum(known.values()) == known[told[0]]
    assert len([r for engine in engines for r in engine.requests]) == 2, "no engine hears of it"


def test_turns_go_on_as_if_never_asked(make_gate, engines):
    gate = make_gate(*engines)
    seen = []
    for _ in range(10):
        for _ in range(10):
            explain(gate, PLAIN)
        seen.append(served_by(complete(gate.port)))
    assert seen in (["B1", "B2"] * 5, ["B2", "B1"] * 5)


# who may ask, and what is wrong with the question -----------------------------------------------------------


def test_it_is_guarded(make_gate, engine):
    gate = make_gate(engine, config={"admin": {"key": "adm"}})
    forwarded = {"X-Forwarded-For": "203.0.113.9"}
    is_error(post(gate.port, "/explain", PLAIN, forwarded), 403)
    is_error(post(gate.port, "/explain", PLAIN, {**forwarded, "Authorization": "Bearer no"}), 403)
    assert post(gate.port, "/explain", PLAIN, {**forwarded, "Authorization": "Bearer adm"}).status == 200
    assert post(gate.port, "/explain", PLAIN).status == 200


def test_with_an_admin_port_it_is_only_there(make_gate, engine):
    gate = make_gate(engine, config={"admin": {"port": 0, "key": "adm"}})
    is_error(post(gate.port, "/explain", PLAIN, {"Authorization": "Bearer adm"}), 404)
    assert post(gate.admin_port, "/explain", PLAIN).status == 200


def test_wrong_questions_get_what_the_request_would_get(gate):
    cases = [
        ("", {"model": "nope", "prompt": "hi"}, 404),
        ("", b'{"model": "m", "prom', 400),
        ("", b"", 400),
        ("", {"model": 7, "prompt": "hi"}, 400),
        ("?path=/v1/nothing", PLAIN, 404),
        ("?path=", PLAIN, 404),
        ("?path=%zz", PLAIN, 200),  # not an escape: as if not given
        ("?path=/v1/models", PLAIN, 405),
        ("?path=/explain", PLAIN, 400),
    ]
    for query, body, status in cases:
        answered = post(gate.port, "/explain" + query, body)
        if status == 200:
            assert answered.status == 200, (query, answered)
        else:
            is_error(answered, status)
    assert complete(gate.port).status == 200


def test_packed_bodies(make_gate, engine):
    body, packed = b'{"model":"m"}', {"Content-Encoding": "gzip"}
    is_error(post(make_gate(engine).port, "/explain", gzip.compress(body), packed), 415)
    gate = make_gate(engine, config={"http": {"decode_requests": True}})
    for content in (body, json.dumps(CHAT).encode()):
        told = post(gate.port, "/explain", gzip.compress(content), packed).json()
        assert told["decision"]["engine"] == engine.url and told["request"]["model"] == "m"


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE"])
def test_other_methods(gate, method):
    answered = ask(gate.port, method, "/explain")
    assert answered.status == 405 and answered.get("allow") == "POST"


# the sampled record -----------------------------------------------------------------------------------------


def records(gate):
    """Of decisions, as the log has them."""
    found = [re.search(r" decision id=(\S+) record=(\{.*\})$", line) for line in gate.logs]
    return [(match[1], json.loads(match[2])) for match in found if match]


def test_no_decision_is_logged_by_default(gate):
    complete(gate.port)
    explain(gate, PLAIN)
    stays(lambda: not records(gate), 0.3)


def test_a_sampled_decision_is_logged_whole(make_gate, make_engine):
    engines = [make_engine(f"B{n}") for n in range(12)]
    gate = make_gate(*engines, config={**PREFIX, "explain": {"sample": 1}, "session": {"keys": ["header:x-user"]}})
    fields = {"X-Request-Id": "why-1", "Authorization": "Bearer sk-secret", "X-User": "ann"}
    answered = post(gate.port, "/v1/chat/completions", CHAT, fields)
    own, record = eventually(lambda: records(gate))[0]
    assert own == record["id"] == "why-1"
    names = {engine.url: engine.name for engine in engines}
    assert names[record["decision"]["engine"]] == served_by(answered)
    assert len(record["candidates"]) == 12 and record["request"]["session"] == "ann"
    text = json.dumps(record)
    assert len(text) > 4096 and "Jack" not in text and "sk-secret" not in text
    told = explain(gate, CHAT, fields=fields)
    assert told.keys() == record.keys() and told["chain"] == record["chain"]
    complete(gate.port, fields={"X-Request-Id": "why-2"})
    eventually(lambda: len(records(gate)) == 2)
    assert [own for own, _ in records(gate)] == ["why-1", "why-2"], "explain leaves none"


def test_a_second_attempt_is_a_second_record(make_gate, engines):
    gate = make_gate(*engines, config={"explain": {"sample": 1}, "log": {"format": "json"}, "health": {"interval": "1h"}})
    engines[0].stop()
    for n in range(2):
        complete(gate.port, fields={"X-Request-Id": f"again-{n}"})
    lines = lambda: [json.loads(line) for line in gate.logs if '"message":"decision"' in line]
    eventually(lambda: len(lines()) == 3, what=lambda: str(lines()))
    sent = [(line["id"], line["record"]["decision"]["engine"]) for line in lines()]
    assert (sent.count(("again-0", engines[1].url)), sent.count(("again-1", engines[1].url))) == (1, 1)
    second = next(line["record"] for line in lines() if line["record"]["decision"]["engine"] == engines[1].url)
    assert engines[1].url in by_engine(second)


def test_secret_session_ids_are_hidden(make_gate, engine):
    config = {"explain": {"sample": 1}, "session": {"keys": ["header:authorization", "cookie:sid"]}, "log": {"access": True}}
    gate = make_gate(engine, config=config)
    for n, fields in enumerate(({"Authorization": "Bearer sk-secret"}, {"Cookie": "sid=sk-secret"})):
        post(gate.port, "/v1/completions", PLAIN, fields)
        record = eventually(lambda n=n: len(records(gate)) > n and records(gate)[n])[1]
        assert record["request"]["session"] is None and record["request"]["session_hidden"]
    gate.wait_line("/v1/completions.*200")
    assert "sk-secret" not in "\n".join(gate.logs)


def test_the_share_that_is_sampled(make_gate, engine):
    gate = make_gate(engine, config={"explain": {"sample": 0.5}})
    for n in range(200):
        complete(gate.port, fields={"X-Request-Id": f"n-{n}"})
    complete(gate.port)
    eventually(lambda: len(records(gate)) >= 60)
    stays(lambda: len(records(gate)) <= 140, 0.2)


# beliefs and the truth --------------------------------------------------------------------------------------


def reporting(prompt, cached):
    """A script whose usage says so; cached None: it does not."""
    details = {} if cached is None else {"prompt_tokens_details": {"cached_tokens": cached}}
    usage = {"prompt_tokens": prompt, "completion_tokens": 3, "total_tokens": prompt + 3, **details}
    return lambda _, conn: conn.send(response({"id": "c", "object": "x", "choices": [], "usage": usage}))


def predictions(gate, **labels):
    metrics = gate.metrics()
    names = ("prompt", "predicted_cached", "reported_cached")
    return tuple(total(metrics, f"kvgate_prediction_{name}_tokens_total", **labels) for name in names)


def test_predicted_and_reported_cached_tokens(make_gate, engine):
    gate = make_gate(engine, config=PREFIX)
    labels = {"policy": "prefix_affinity", "engine": engine.url}
    send = lambda: post(gate.port, "/v1/chat/completions", CHAT)
    engine.script = reporting(1000, None)
    send()
    assert predictions(gate) == (0, 0, 0), "nothing was reported"
    engine.script = reporting(1000, 900)
    told = explain(gate, CHAT)
    send()
    share = by_engine(told)[engine.url]["facts"]["text_prefix"]["gpu_tokens"] / told["request"]["prompt_tokens"]
    assert share > 0.9
    predicted = round(1000 * share)
    eventually(lambda: predictions(gate, **labels)[0] == 1000)
    assert predictions(gate, **labels) == (1000, predicted, 900)
    metrics = gate.metrics()
    assert total(metrics, "kvgate_prediction_error_tokens_sum", policy="prefix_affinity") == abs(predicted - 900)
    assert total(metrics, "kvgate_prediction_error_tokens_count", policy="prefix_affinity") == 1


def test_what_was_not_predicted_is_not_compared(make_gate, engine):
    gate = make_gate(engine)  # round_robin looks at no prompt
    engine.script = reporting(1000, 900)
    post(gate.port, "/v1/chat/completions", CHAT)
    eventually(lambda: total(gate.metrics(), "kvgate_requests_total", status="200") == 1)
    assert predictions(gate) == (0, 0, 0)


def test_the_size_of_the_prefix_index(make_gate, engines):
    gate = make_gate(*engines, config=PREFIX)
    blocks = lambda: {key: value for key, value in select(gate.metrics(), "kvgate_prefix_index_blocks").items()}
    assert list(blocks().values()) == [0, 0]
    post(gate.port, "/v1/chat/completions", CHAT)
    assert sorted(blocks().values())[0] == 0 and len(LONG) // 64 <= sorted(blocks().values())[1] <= len(LONG) // 64 + 2
    assert all(size > 0 for size in select(gate.metrics(), "kvgate_prefix_index_bytes").values())
