"""Which paths are passed on, and that path and query go on as they came."""

import pytest

from support.check import is_error, served_by
from support.client import ask, complete, get, post
from support.engine import response
from support.timing import eventually

PLAIN = {"model": "m", "prompt": "hi"}

INFERENCE = """
    /v1/chat/completions /v1/chat/completions/batch /v1/completions /v1/responses /v1/messages /v1/messages/count_tokens
    /generative_scoring /inference/v1/generate /tokenize /detokenize /invocations
    /v1/chat/completions/render /v1/completions/render /v1/messages/render /v1/responses/render
    /v1/chat/completions/derender /v1/completions/derender
    /pooling /classify /v1/embeddings /v2/embed /score /v1/score /rerank /v1/rerank /v2/rerank
    /v1/audio/speech /v1/images/generations""".split()
FORMS = ["/v1/audio/transcriptions", "/v1/audio/translations", "/v1/images/edits", "/v1/images/variations"]

SWITCHES = """
    POST /sleep?level=1|POST /wake_up|GET /is_sleeping|POST /v1/load_lora_adapter|POST /v1/unload_lora_adapter
    POST /reset_prefix_cache|POST /reset_mm_cache|POST /reset_encoder_cache|POST /start_profile|POST /stop_profile
    POST /collective_rpc|POST /abort_requests|POST /inference/v1/abort_requests|POST /pause|POST /resume|GET /is_paused
    POST /release_kv_cache_memory|POST /scale_elastic_ep|POST /is_scaling_elastic_ep|GET /server_info
    POST /update_weights
    POST /init_weight_transfer_engine|GET /get_world_size|GET /weight_info|GET /openapi.json|GET /docs|GET /redoc
    POST /fault_tolerance/x|GET /load|GET /kv_event_sources
""".replace("\n", "|").split("|")
SWITCHES = [entry.split() for entry in SWITCHES if entry.strip()]


@pytest.mark.parametrize("path", INFERENCE)
def test_every_inference_path_is_passed_on(shared, b1, path):
    target = path + "?a=%20b&&c=//..%2F;d"
    assert served_by(post(shared.port, target, PLAIN)) == "B1"
    assert (b1.requests[-1].method, b1.requests[-1].target) == ("POST", target)
    assert b1.requests[-1].json() == PLAIN


@pytest.mark.parametrize("path", FORMS)
def test_every_form_path_is_passed_on(shared, b1, path):
    body = b'--XX\r\nContent-Disposition: form-data; name="model"\r\n\r\nm\r\n--XX--\r\n'
    assert served_by(post(shared.port, path, body, content_type="multipart/form-data; boundary=XX")) == "B1"
    assert b1.requests[-1].target == path and b1.requests[-1].body == body


@pytest.mark.parametrize("method,target", SWITCHES, ids=[" ".join(entry) for entry in SWITCHES])
def test_an_engines_own_switches_are_not_reachable(shared, b1, method, target):
    before = len(b1.requests)
    is_error(ask(shared.port, method, target, PLAIN if method == "POST" else None), 404)
    assert len(b1.requests) == before


@pytest.mark.parametrize(
    "target",
    [
        "//v1/completions",
        "/v1//completions",
        "/v1/completions/",
        "/v1/./completions",
        "/v1/x/../completions",
        "/V1/completions",
        "/v1/completion%73",
        "/v1/completions%00",
        "/v1/completions;x",
        "/v1",
        "/",
        "/v1/nothing",
        "/%76%31/completions",
        "/v1/chat%2Fcompletions",
        "/v1/completions/../../sleep",
        "/v1/responses/../../sleep",
    ],
)
def test_other_spellings_of_a_path_are_404(shared, b1, target):
    before = len(b1.requests)
    is_error(post(shared.port, target, PLAIN), 404)
    assert len(b1.requests) == before


@pytest.mark.parametrize(
    "segment,taken",
    [
        ("resp_1", True),
        ("A-z0.9_~", True),
        ("x" * 256, True),
        ("...", True),
        ("x" * 257, False),
        ("", False),
        (".", False),
        ("..", False),
        ("a/b", False),
        ("a%2fb", False),
        ("%2e%2e", False),
        ("a;b", False),
        ("a:b", False),
        ("a@b", False),
        ("%61", False),
        ("a+b", False),
        ("é".encode().decode("latin-1"), False),
    ],
)
def test_a_wildcard_is_one_plain_segment(shared, b1, segment, taken):
    before = len(b1.requests)
    for method, tail in (("GET", ""), ("POST", "/cancel")):
        answered = ask(shared.port, method, f"/v1/responses/{segment}{tail}?x=1")
        if taken:
            assert served_by(answered) == "B1"
            assert b1.requests[-1].target == f"/v1/responses/{segment}{tail}?x=1"
        else:
            assert answered.status in (400, 404, 405) and answered.status != 200, answered
    assert len(b1.requests) == before + (2 if taken else 0)


def test_absolute_form_is_reduced_to_the_path(shared, b1):
    assert served_by(post(shared.port, "http://other.example:99/v1/completions?x=%41", PLAIN)) == "B1"
    assert b1.requests[-1].target == "/v1/completions?x=%41"
    is_error(post(shared.port, "http://other.example/sleep", PLAIN), 404)


def test_wrong_method_is_405_and_says_what_is_allowed(shared, b1):
    before = len(b1.requests)
    answered = get(shared.port, "/v1/completions")
    is_error(answered, 405)
    assert "POST" in answered.get("allow", "")
    is_error(post(shared.port, "/v1/models", PLAIN), 405)
    assert len(b1.requests) == before


def test_extra_paths_open_what_the_operator_wants(make_gate, engine):
    gate = make_gate(engine, config={"proxy": {"extra_paths": ["POST /sleep", "/my/{}/thing"]}})
    assert served_by(post(gate.port, "/sleep?level=2&mode=wait", b"")) == "B1"
    assert engine.requests[-1].target == "/sleep?level=2&mode=wait"
    for method in ("GET", "PUT", "DELETE", "POST"):
        assert served_by(ask(gate.port, method, "/my/own/thing?y")) == "B1"
        assert (engine.requests[-1].method, engine.requests[-1].target) == (method, "/my/own/thing?y")
    is_error(get(gate.port, "/sleep"), 405)
    is_error(get(gate.port, "/my/own/other"), 404)


def test_an_engine_url_with_a_base_path_puts_it_in_front(make_gate, engine):
    engine.script = lambda request, conn: conn.send(
        response(engine.model_list() if request.target == "/base/v1/models" else {"ok": 1})
    )
    gate = make_gate(engine.url + "/base")
    eventually(lambda: complete(gate.port).status == 200)
    assert engine.requests[-1].target == "/base/v1/completions"
    assert {request.target for request in engine.requests} >= {"/base/health", "/base/v1/models"}
