"""Prompts as token ids: where the tokenizer comes from, whether engines agree, and what happens when they do not."""

import json
import re

import pytest

from support.client import complete, post
from support.engine import FakeEngine, completion, response
from support.prometheus import select, total
from support.running import running_gate
from support.timing import eventually, stays

WORDS = "You are terse. Hello there and good morning to all of you a b c d e f".split()
START, END, UNKNOWN = "<|im_start|>", "<|im_end|>", "<unk>"
VOCABULARY = {token: i for i, token in enumerate([START, END, UNKNOWN, *dict.fromkeys(WORDS), "user", "assistant"])}
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }} {{ m.content }}<|im_end|>{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant{% endif %}"
)
PREFIX = {"routing": {"policies": ["prefix_affinity"]}}


def folder(at, **changes):
    """A tokenizer of whole words, so that a test can tell the ids itself."""
    at.mkdir(parents=True, exist_ok=True)
    special = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    tokenizer = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": VOCABULARY[token], "content": token, **special} for token in (START, END)],
        "normalizer": None,
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "post_processor": None,
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": VOCABULARY, "unk_token": UNKNOWN},
        **changes,
    }
    (at / "tokenizer.json").write_text(json.dumps(tokenizer))
    (at / "tokenizer_config.json").write_text(json.dumps({"chat_template": TEMPLATE}))
    return at


def ids_of(text):
    pieces = re.split(f"({re.escape(START)}|{re.escape(END)})", text)
    words = [word for piece in pieces for word in ([piece] if piece in (START, END) else piece.split())]
    return [VOCABULARY.get(word, VOCABULARY[UNKNOWN]) for word in words]


def rendered(body):
    if "messages" not in body:
        return body["prompt"]
    turns = [f"{START}{m['role']} {m['content']}{END}" for m in body["messages"]]
    return "".join(turns) + f"{START}assistant"


def knows(request, conn):
    """An engine with the same tokenizer."""
    if request.path != "/tokenize":
        return completion(request, conn)
    ids = ids_of(rendered(request.json()))
    return conn.send(response({"count": len(ids), "max_model_len": 512, "tokens": ids, "token_strs": None}))


def differs(request, conn):
    if request.path != "/tokenize":
        return completion(request, conn)
    return conn.send(response({"count": 2, "max_model_len": 512, "tokens": [7, 7]}))


def has_none(request, conn):
    return conn.send(response({"detail": "Not Found"}, status=404)) if request.path == "/tokenize" else completion(request, conn)


def chat(*texts):
    roles = ("user", "assistant")
    return {"model": "m", "messages": [{"role": roles[i % 2], "content": text} for i, text in enumerate(texts)]}


def state(gate, engine, model="m"):
    return gate.fleet()[engine.url]["tokenizers"].get(model, {}).get("state")


def explained(gate, body):
    answered = post(gate.admin_port, "/explain", body)
    assert answered.status == 200, answered
    return answered.json()["request"]


def results(gate):
    samples = select(gate.metrics(), "kvgate_tokenized_requests_total")
    return {dict(labels)["result"]: value for labels, value in samples.items() if value}


@pytest.fixture
def engine():
    engine = FakeEngine("B1", script=knows)
    yield engine
    engine.stop()
    assert not engine.violations, engine.violations


def configured(where, **more):
    return {**PREFIX, "models": {"m": {"tokenizer": str(where)}}, "tokenizers": more}


# the self-check ---------------------------------------------------------------------------------------------


def test_ids_are_compared_and_used(engine, tmp_path):
    with running_gate([engine], config=configured(folder(tmp_path / "m"))) as gate:
        eventually(lambda: state(gate, engine) == "exact")
        body = chat("Hello there", "good morning", "to all of you")
        told = explained(gate, body)
        assert told["token_ids_known"] and told["prompt_tokens"] == len(ids_of(rendered(body)))
        assert post(gate.port, "/v1/chat/completions", body).status == 200
        assert complete(gate.port, prompt="a b c d").status == 200
        assert results(gate) == {"exact": 2}
        assert total(gate.metrics(), "kvgate_tokenizer_state", model="m", state="exact") == 1
        asked = [request for request in engine.requests if request.path == "/tokenize"]
        assert {"prompt", "messages"} <= {key for request in asked for key in request.json()}


def test_an_engine_that_differs_ends_it(engine, tmp_path):
    engine.script = differs
    with running_gate([engine], config=configured(folder(tmp_path / "m"))) as gate:
        eventually(lambda: state(gate, engine) == "fallback")
        gate.wait_line("TOKEN IDS DIFFER")
        assert engine.url in gate.fleet()[engine.url]["tokenizers"]["m"]["reason"]
        assert not explained(gate, chat("Hello there"))["token_ids_known"]
        assert post(gate.port, "/v1/chat/completions", chat("Hello there")).status == 200
        assert results(gate) == {}


def test_one_engine_that_differs_is_enough(engine, tmp_path):
    other = FakeEngine("B2", script=differs)
    with running_gate([engine, other], config=configured(folder(tmp_path / "m"))) as gate:
        eventually(lambda: state(gate, engine) == "fallback")
        stays(lambda: state(gate, engine) == "fallback", 0.5)
    other.stop()


def test_an_engine_that_cannot_be_asked_leaves_it_unchecked(engine, tmp_path):
    engine.script = has_none
    with running_gate([engine], config=configured(folder(tmp_path / "m"))) as gate:
        eventually(lambda: state(gate, engine) == "unchecked")
        gate.wait_line("token ids.*404")
        assert explained(gate, chat("Hello there"))["token_ids_known"]


def test_a_restarted_engine_is_asked_again(engine, tmp_path):
    engine.metrics = "vllm:num_requests_running 0\nprocess_start_time_seconds 1000\n"
    config = {**configured(folder(tmp_path / "m")), "engine_stats": {"interval": "50ms"}}
    with running_gate([engine], config=config) as gate:
        eventually(lambda: state(gate, engine) == "exact")
        engine.script = differs
        stays(lambda: state(gate, engine) == "exact", 0.3)
        engine.metrics = "vllm:num_requests_running 0\nprocess_start_time_seconds 2000\n"
        eventually(lambda: state(gate, engine) == "fallback")


def test_it_can_be_left_out(engine, tmp_path):
    with running_gate([engine], config=configured(folder(tmp_path / "m"), check=False)) as gate:
        eventually(lambda: state(gate, engine) == "unchecked")
        assert post(gate.port, "/v1/chat/completions", chat("a")).status == 200
        assert results(gate) == {"exact": 1}
        assert not [request for request in engine.requests if request.path == "/tokenize"]


# where it comes from ----------------------------------------------------------------------------------------


def test_what_is_not_supported_is_named_and_text_is_used(engine, tmp_path):
    where = folder(tmp_path / "m", normalizer={"type": "Sparkles"})
    with running_gate([engine], config=configured(where)) as gate:
        eventually(lambda: state(gate, engine) == "fallback")
        assert "Sparkles" in gate.fleet()[engine.url]["tokenizers"]["m"]["reason"]
        gate.wait_line("tokenizer not usable.*Sparkles")
        assert post(gate.port, "/v1/chat/completions", chat("a")).status == 200


def test_a_missing_folder_is_named(engine, tmp_path):
    with running_gate([engine], config=configured(tmp_path / "nothing")) as gate:
        eventually(lambda: state(gate, engine) == "fallback")
        assert "nothing" in gate.fleet()[engine.url]["tokenizers"]["m"]["reason"]


@pytest.mark.parametrize("place,key", [("org/name", "dir"), ("models--org--name/snapshots/abc", "hf_cache")])
def test_it_is_found_by_the_models_name(engine, tmp_path, place, key):
    folder(tmp_path / place)
    engine.models = ["org/name", "stranger"]
    with running_gate([engine], config={**PREFIX, "tokenizers": {key: str(tmp_path)}}) as gate:
        eventually(lambda: state(gate, engine, "org/name") == "exact")
        assert state(gate, engine, "stranger") == "off"


def test_a_served_name_is_found_by_its_root(engine, tmp_path):
    folder(tmp_path / "org/name")
    engine.models = [{"id": "m", "object": "model", "root": "org/name", "parent": None}]
    with running_gate([engine], config={**PREFIX, "tokenizers": {"dir": str(tmp_path)}}) as gate:
        eventually(lambda: state(gate, engine) == "exact")


def test_an_adapter_has_its_bases(engine, tmp_path):
    folder(tmp_path / "m")
    engine.models = ["m", {"id": "french", "object": "model", "root": "/adapters/french", "parent": "m"}]
    with running_gate([engine], config={**PREFIX, "tokenizers": {"dir": str(tmp_path)}}) as gate:
        eventually(lambda: state(gate, engine, "french") in ("unchecked", "exact"))
        assert explained(gate, {**chat("Hello there"), "model": "french"})["token_ids_known"]


# asking an engine -------------------------------------------------------------------------------------------


def test_remote_asks_an_engine_and_remembers(engine):
    with running_gate([engine], config=configured("remote", remote_timeout="5s")) as gate:
        eventually(lambda: state(gate, engine) == "remote")
        body = chat(" ".join(WORDS * 10))
        for _ in range(3):
            assert post(gate.port, "/v1/chat/completions", body).status == 200
        assert results(gate) == {"remote": 3}
        assert len([request for request in engine.requests if request.path == "/tokenize"]) == 1


def test_an_engine_that_does_not_tell_in_time_costs_no_request(engine):
    def slow(request, conn):
        return conn.hold() if request.path == "/tokenize" else completion(request, conn)

    engine.script = slow
    with running_gate([engine], config=configured("remote", remote_timeout="50ms")) as gate:
        eventually(lambda: state(gate, engine) == "remote")
        assert post(gate.port, "/v1/chat/completions", chat("a")).status == 200
        assert results(gate) == {"not_told": 1}


# requests ---------------------------------------------------------------------------------------------------


def test_long_bodies_go_to_a_thread(engine, tmp_path):
    with running_gate([engine], config=configured(folder(tmp_path / "m"), long_text="1KiB")) as gate:
        eventually(lambda: state(gate, engine) == "exact")
        body = chat(" ".join(WORDS * 400))
        assert post(gate.port, "/v1/chat/completions", body).status == 200
        assert results(gate) == {"exact": 1}


def test_the_next_turn_costs_only_what_is_new(engine, tmp_path):
    with running_gate([engine], config=configured(folder(tmp_path / "m"))) as gate:
        eventually(lambda: state(gate, engine) == "exact")
        turns = [" ".join(WORDS[i:] * 20) for i in range(5)]
        for i in (0, 2, 4):
            assert post(gate.port, "/v1/chat/completions", chat(*turns[: i + 1])).status == 200
        metrics = gate.metrics()
        hit = total(metrics, "kvgate_token_cache_text_bytes_total", result="hit")
        missed = total(metrics, "kvgate_token_cache_text_bytes_total", result="miss")
        assert missed < sum(len(turn) for turn in turns) + 500
        assert hit > sum(len(turn) for turn in turns[:3]) + len(turns[0])
        assert total(metrics, "kvgate_token_cache_bytes") > 0


@pytest.mark.parametrize(
    "path,body,result",
    [
        ("/v1/completions", {"model": "m", "prompt": [5, 6, 7]}, "exact"),
        ("/v1/completions", {"model": "m", "prompt": ["a b", "c"]}, "several"),
        ("/v1/embeddings", {"model": "m", "input": "a b c"}, "exact"),
        ("/v1/chat/completions", {"model": "m", "messages": "no list"}, "refused"),
        ("/v1/chat/completions", {**chat("a"), "chat_template": "{{ 1 }}"}, "request_template"),
        (
            "/v1/chat/completions",
            {
                "model": "m",
                "messages": [
                    {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://x/a.png"}}]}
                ],
            },
            "media",
        ),
    ],
)
def test_each_request_says_why(engine, tmp_path, path, body, result):
    with running_gate([engine], config=configured(folder(tmp_path / "m"), check=False)) as gate:
        eventually(lambda: state(gate, engine) == "unchecked")
        assert post(gate.port, path, body).status == 200
        assert results(gate) == {result: 1}


def test_other_chains_do_not_pay_for_it(engine, tmp_path):
    config = {"models": {"m": {"tokenizer": str(folder(tmp_path / "m"))}}}
    with running_gate([engine], config=config) as gate:
        eventually(lambda: state(gate, engine) == "exact")
        assert post(gate.port, "/v1/chat/completions", chat("a")).status == 200
        assert results(gate) == {}
