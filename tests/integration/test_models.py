"""Which models there are, who serves them, and what a request without a servable one is told."""

import json

import pytest

from support.check import is_error, is_final_error, served_by
from support.client import Client, ask, complete, get, post
from support.engine import completion, response, silent, vllm_model
from support.timing import Stopwatch, eventually, scaled, stays

FAST = {"models": {"refresh": "200ms"}}


def listed(gate):
    answered = get(gate.port, "/v1/models")
    assert answered.status == 200, answered
    body = answered.json()
    assert body["object"] == "list"
    return {entry["id"]: entry for entry in body["data"]}


def only_its_models(request, conn):
    """Answers as vLLM does: 404 for a model that it does not serve."""
    served = [entry["id"] for entry in conn.engine.model_list()["data"]]
    asked = request.json().get("model", served[0])
    if asked not in served:
        conn.send(response({"error": {"message": f"The model `{asked}` does not exist.", "code": 404}}, status=404))
    else:
        completion(request, conn)


# the list ---------------------------------------------------------------------------------------------------


def test_the_list_is_the_union_with_every_field_kept(make_gate, make_engine):
    odd = {**vllm_model("odd"), "max_model_len": 9007199254740993, "x_new_field": {"a": [1, None, "é"]}, "price": 1.10}
    gate = make_gate(make_engine("B1", models=["m", odd]), make_engine("B2", models=["m", "n"]))
    models = listed(gate)
    assert set(models) == {"m", "n", "odd"}
    assert models["odd"] == odd and models["m"] == vllm_model("m")
    text = get(gate.port, "/v1/models").body
    assert b"9007199254740993" in text, "numbers are not re-read as doubles"


def test_one_model_is_retrieved_by_its_id(make_gate, make_engine):
    gate = make_gate(make_engine("B1", models=["m", "org/name-1:tag"]))
    assert get(gate.port, "/v1/models/m").json() == vllm_model("m")
    for spelling in ("org/name-1:tag", "org%2Fname-1%3Atag"):
        assert get(gate.port, f"/v1/models/{spelling}").json()["id"] == "org/name-1:tag"
    is_error(get(gate.port, "/v1/models/nope"), 404)


def test_the_list_is_answered_while_an_engine_is_down(make_gate, make_engine):
    one, two = make_engine("B1", models=["m"]), make_engine("B2", models=["n"])
    gate = make_gate(one, two)
    two.stop()
    eventually(lambda: post(gate.port, "/v1/completions", {"model": "n"}).status == 503)
    watch = Stopwatch()
    models = listed(gate)
    assert "m" in models and watch.elapsed < scaled(0.5)
    assert get(gate.port, "/v1/models/m").status == 200


def test_a_hanging_engine_does_not_delay_the_list(make_gate, make_engine):
    def hang(request, conn):
        if request.path == "/v1/models":
            conn.hold()
            return True
        return False

    good, bad = make_engine("B1"), make_engine("B2", models=[])
    bad.probe_script = hang
    gate = make_gate(good, bad)
    watch = Stopwatch()
    assert set(listed(gate)) == {"m"} and watch.elapsed < scaled(0.5)
    for _ in range(10):
        assert served_by(complete(gate.port)) == "B1", "nothing goes to an engine whose models are not known"
    assert not bad.requests


@pytest.mark.parametrize(
    "answer", [b"{", b"[]", b'{"data":5}', b'{"data":[5,{"id":7},{},null,{"id":""}]}', b"\xff", b""], ids=repr
)
def test_a_broken_model_list_never_hurts(make_gate, make_engine, answer):
    def broken(request, conn):
        if request.path == "/v1/models":
            conn.send(response(answer))
            return True
        return False

    good, bad = make_engine("B1"), make_engine("B2", models=[])
    bad.probe_script = broken
    gate = make_gate(good, bad, config=FAST)
    eventually(lambda: len([probe for probe in bad.probes if probe.path == "/v1/models"]) >= 2)
    assert set(listed(gate)) == {"m"}
    assert served_by(complete(gate.port)) == "B1"


def test_models_are_read_with_the_engines_key(make_gate, engine):
    def guarded(request, conn):
        if request.path == "/v1/models" and request.head.get("authorization") != "Bearer secret":
            conn.send(response({"error": "Unauthorized"}, status=401))
            return True
        return False

    engine.probe_script = guarded
    gate = make_gate((engine, {"key": "secret"}))
    assert set(listed(gate)) == {"m"}


def test_models_from_configuration_replace_asking(make_gate, make_engine):
    engine = make_engine("B1", models=[])
    gate = make_gate((engine, {"models": ["c1", "c2"]}))
    assert {"c1", "c2"} <= set(listed(gate))
    assert served_by(complete(gate.port, "c1")) == "B1"
    is_error(complete(gate.port, "m"), 404)
    assert all(probe.path != "/v1/models" for probe in engine.probes)


# unknown, known, none ---------------------------------------------------------------------------------------


def test_an_unknown_model_is_404(gate, engine):
    for target, body in (
        ("/v1/completions", {"model": "nope", "prompt": "x"}),
        ("/v1/chat/completions", {"model": "nope", "messages": [], "stream": True}),
        ("/v1/embeddings", {"model": "M", "input": "x"}),
    ):
        error = is_final_error(post(gate.port, target, body), 404, param="model")
        assert body["model"] in error["message"]
    assert not engine.requests


def test_errors_of_the_messages_api_are_anthropic_shaped(gate):
    for target in ("/v1/messages", "/v1/messages/count_tokens"):
        body = {"model": "nope", "max_tokens": 4, "messages": []}
        assert is_final_error(post(gate.port, target, body), 404, shape="anthropic")["type"] == "not_found_error"
        assert is_error(post(gate.port, target, b"{"), 400, shape="anthropic")["type"] == "invalid_request_error"


def test_a_configured_model_is_known_even_when_nobody_has_it(make_gate, engine):
    gate = make_gate(engine, config={"models": {"known": ["later"]}})
    answered = complete(gate.port, "later")
    is_error(answered, 503)
    assert int(answered.get("retry-after")) >= 1
    assert answered.get("x-should-retry") != "false"
    assert "later" in listed(gate)


def test_a_known_model_that_nobody_can_take_is_503(make_gate, make_engine):
    one, two = make_engine("B1", models=["m"]), make_engine("B2", models=["n"])
    gate = make_gate(one, two)
    two.health = 503
    eventually(lambda: complete(gate.port, "n").status == 503)
    answered = complete(gate.port, "n")
    is_error(answered, 503)
    assert int(answered.get("retry-after")) >= 1
    assert served_by(complete(gate.port, "m")) == "B1"
    two.health = 200
    eventually(lambda: complete(gate.port, "n").status == 200)


def test_without_any_engine_up_everything_is_said_plainly(make_gate, engine):
    engine.stop()
    gate = make_gate(engine, config={"models": {"known": ["m"]}}, wait_ready=False)
    is_error(complete(gate.port, "m"), 503)
    other = complete(gate.port, "other")
    is_error(other, 503)  # no list has been read yet: it may well be there
    assert int(other.get("retry-after")) >= 1
    assert get(gate.port, "/health").status == 200
    assert get(gate.port, "/ready").status == 503


def test_no_model_field_means_the_one_base_model(make_gate, make_engine):
    """As vLLM does it. Adapters (with a parent) do not count as base models."""
    gate = make_gate(make_engine("B1", models=["m", vllm_model("lora", parent="m")]), make_engine("B2"))
    assert {served_by(post(gate.port, "/v1/completions", {"prompt": "x"})) for _ in range(10)} == {"B1", "B2"}


def test_no_model_field_and_several_models_is_400_unless_there_is_a_default(make_gate, make_engine):
    engines = [make_engine("B1", models=["m"]), make_engine("B2", models=["n"])]
    is_final_error(post(make_gate(*engines).port, "/v1/completions", {"prompt": "x"}), 400, param="model")
    gate = make_gate(*engines, config={"routing": {"default_model": "n"}})
    for _ in range(4):
        assert served_by(post(gate.port, "/v1/completions", {"prompt": "x"})) == "B2"


@pytest.mark.parametrize("model", [None, 5, [], {}, "", True, ["m"]], ids=repr)
def test_a_model_that_is_no_name_is_400(gate, engine, model):
    is_final_error(post(gate.port, "/v1/completions", {"model": model, "prompt": "x"}), 400, param="model")
    assert not engine.requests


def test_names_that_only_look_alike_are_other_models(make_gate, make_engine):
    gate = make_gate(make_engine("B1", models=["org/m-1", "é", "a b"]))
    for known in ("org/m-1", "é", "a b"):
        assert complete(gate.port, known).status == 200
    for other in ("org/m-1 ", "org/M-1", "org", "e\u0301", "a  b", "m"):
        is_error(complete(gate.port, other), 404)


# come and go ------------------------------------------------------------------------------------------------


def test_case_26_without_aliases_the_body_is_never_rewritten(make_gate, make_engine):
    """Each request goes to the engine that has exactly this name, streamed, as JSON or as a form; its bytes stay."""
    one, two = make_engine("B1", models=["m1"]), make_engine("B2", models=["gpt-4"])
    gate = make_gate(one, two)
    body = b'{ "stream" :false,"messages":[{"role":"user","content":"say \\"model\\":\\"gpt-4\\""}],\n "model" : "m1" }'
    for data in (body, body.replace(b":false", b":true")):
        assert served_by(post(gate.port, "/v1/chat/completions", data)) == "B1"
        assert one.requests[-1].body == data
        assert one.requests[-1].head.get("content-length") == str(len(data))
    upload = (
        b'--XX\r\nContent-Disposition: form-data; name="prompt"\r\n\r\n"model":"m1"\r\n'
        b'--XX\r\nContent-Disposition: form-data; name="model"\r\n\r\ngpt-4\r\n--XX--\r\n'
    )
    assert (
        served_by(post(gate.port, "/v1/audio/transcriptions", upload, content_type="multipart/form-data; boundary=XX"))
        == "B2"
    )
    assert two.requests[-1].body == upload
    is_error(complete(gate.port, "gpt-3"), 404)


def test_case_27_lora_adapters_come_and_go(make_gate, make_engine):
    one, two = make_engine("B1", script=only_its_models), make_engine("B2", script=only_its_models)
    gate = make_gate(one, two, config=FAST)
    lora = vllm_model("org/a-1", parent="m")
    is_error(complete(gate.port, "org/a-1"), 404)
    two.models = ["m", lora]
    eventually(lambda: "org/a-1" in listed(gate), 2)
    assert listed(gate)["org/a-1"] == lora
    assert {served_by(complete(gate.port, "org/a-1")) for _ in range(6)} == {"B2"}
    assert {served_by(complete(gate.port)) for _ in range(6)} == {"B1", "B2"}
    two.models = ["m"]
    eventually(lambda: "org/a-1" not in listed(gate), 2)
    is_error(complete(gate.port, "org/a-1"), 404)
    assert {served_by(complete(gate.port)) for _ in range(6)} == {"B1", "B2"}
    names = {request.json()["model"] for request in one.requests}
    assert names == {"m"}, "the base model never answers for an adapter"


def test_a_model_list_that_fails_for_a_while_is_not_forgotten(make_gate, engine):
    gate = make_gate(engine, config=FAST)
    engine.probe_script = lambda request, conn: request.path == "/v1/models" and (
        conn.send(response(b"", status=500)) or True
    )
    count = len(engine.probes)
    eventually(lambda: len([probe for probe in engine.probes[count:] if probe.path == "/v1/models"]) >= 2)
    assert served_by(complete(gate.port)) == "B1"
    engine.probe_script = None


# /v1/responses/{id} -----------------------------------------------------------------------------------------


def keeps_responses(request, conn):
    """Makes response ids of its own and knows only those."""
    own = f"resp_{conn.engine.name}"
    body = {"id": f"{own}_{len(conn.engine.requests)}", "object": "response", "model": "m", "output": []}
    if request.path == "/v1/responses" and request.streams:
        text = json.dumps({"type": "response.created", "response": body})
        conn.send(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        data = f"event: response.created\ndata: {text}\n\n".encode()
        conn.send(b"%x\r\n%b\r\n0\r\n\r\n" % (len(data), data))
    elif request.path == "/v1/responses" or own in request.path:
        conn.send(response(body, fields=[("x-mock", conn.engine.name)]))
    else:
        conn.send(
            response(
                {"error": {"message": "not found", "code": 404}}, status=404, fields=[("x-mock", conn.engine.name)]
            )
        )


@pytest.mark.parametrize("stream", [False, True])
def test_a_response_is_asked_of_the_engine_that_made_it(make_gate, make_engine, stream):
    engines = [make_engine(name, script=keeps_responses) for name in ("B1", "B2", "B3")]
    gate = make_gate(*engines)
    made = [post(gate.port, "/v1/responses", {"model": "m", "input": "x", "stream": stream}) for _ in range(6)]
    ids = [
        json.loads(answered.events[0][1])["response"]["id"] if stream else answered.json()["id"] for answered in made
    ]
    before = [len(engine.requests) for engine in engines]
    for own in ids:
        owner = own.split("_")[1]
        assert served_by(get(gate.port, f"/v1/responses/{own}")) == owner
        assert served_by(ask(gate.port, "POST", f"/v1/responses/{own}/cancel", b"")) == owner
    asked = sum(len(engine.requests) for engine in engines) - sum(before)
    assert asked == 2 * len(ids), "only the owner is asked"


def test_an_unknown_response_is_asked_of_all(make_gate, make_engine):
    engines = [make_engine(name, script=keeps_responses) for name in ("B1", "B2", "B3")]
    gate = make_gate(*engines)
    for name in ("B1", "B2", "B3"):
        assert served_by(get(gate.port, f"/v1/responses/resp_{name}_old")) == name
    answered = get(gate.port, "/v1/responses/resp_nobodys")
    assert answered.status == 404 and answered.complete
    assert all(any("resp_nobodys" in request.target for request in engine.requests) for engine in engines)


def test_an_unknown_response_is_found_although_an_engine_is_down(make_gate, make_engine):
    engines = [make_engine(name, script=keeps_responses) for name in ("B1", "B2")]
    gate = make_gate(*engines)
    engines[0].stop()
    for _ in range(4):
        assert served_by(get(gate.port, "/v1/responses/resp_B2_old")) == "B2"
    stays(lambda: gate.running, 0.05)


# previous_response_id ---------------------------------------------------------------------------------------


def continues(own, **more):
    return {"model": "m", "input": "and then?", "previous_response_id": own, **more}


def test_a_conversation_goes_on_at_the_engine_that_holds_it(make_gate, make_engine):
    engines = [make_engine(name, script=keeps_responses) for name in ("B1", "B2", "B3")]
    gate = make_gate(*engines, flags=["--debug-headers"])
    made = [post(gate.port, "/v1/responses", {"model": "m", "input": "x"}).json()["id"] for _ in range(6)]
    for own in made * 2:
        answered = post(gate.port, "/v1/responses", continues(own))
        assert served_by(answered) == own.split("_")[1]
        assert answered.get("x-kvgate-decision").startswith("response_id made_there")
        again = post(gate.port, "/v1/responses", continues(answered.json()["id"]))
        assert served_by(again) == own.split("_")[1], "and so on"


@pytest.mark.parametrize("previous", ["resp_unknown", "", None, 7, ["resp_B1_1"]])
def test_a_conversation_that_no_engine_is_known_to_hold_goes_anywhere(make_gate, make_engine, previous):
    engines = [make_engine(name, script=keeps_responses) for name in ("B1", "B2")]
    gate = make_gate(*engines)
    assert {served_by(post(gate.port, "/v1/responses", continues(previous))) for _ in range(4)} == {"B1", "B2"}
    assert engines[0].requests[-1].json()["previous_response_id"] == previous


def test_a_conversation_moves_on_when_its_engine_cannot_take_it(make_gate, make_engine):
    """Full, without the model, or down: then any other engine is better than none."""
    gone, full = make_engine("B1", script=keeps_responses), make_engine("B2", script=keeps_responses)
    changed, spare = make_engine("B3", script=keeps_responses), make_engine("B4", script=keeps_responses)
    gate = make_gate(gone, (full, {"max_concurrent": 1}), changed, spare)
    made = [post(gate.port, "/v1/responses", {"model": "m", "input": "x"}).json()["id"] for _ in range(8)]
    own = lambda engine: next(one for one in made if f"_{engine.name}_" in one)
    for engine in (gone, full, changed):
        assert served_by(post(gate.port, "/v1/responses", continues(own(engine)))) == engine.name
    gone.stop()
    assert served_by(post(gate.port, "/v1/responses", continues(own(gone)))) in ("B2", "B3", "B4")
    changed.models = ["other"]
    eventually(lambda: gate.fleet()[changed.url]["models"] == ["other"])
    assert served_by(post(gate.port, "/v1/responses", continues(own(changed)))) in ("B2", "B4")
    full.script = silent
    with Client(gate.port) as client:
        client.send(client.encode("POST", "/v1/responses", continues(own(full))))
        eventually(lambda: full.busy_connections())
        assert served_by(post(gate.port, "/v1/responses", continues(own(full)))) == "B4"


def test_previous_response_id_twice_is_ambiguous(gate, engine):
    body = b'{"model":"m","input":"x","previous_response_id":"resp_1","previous_response_id":"resp_2"}'
    is_error(post(gate.port, "/v1/responses", body), 400, param="previous_response_id")
    assert not engine.requests
