"""The real `openai` client through the gate, as users have it."""

import json

import pytest

from support.engine import answer, say, stream_head
from support.http_message import chunk, event
from support.timing import scaled

openai = pytest.importorskip("openai", reason="the openai package is not installed")

MODEL = "sim-model"
SAY_HI = [{"role": "user", "content": "Say hi to the gate."}]


def client_of(gate, **options):
    return openai.OpenAI(
        base_url=f"http://127.0.0.1:{gate.port}/v1", api_key="sk-test", max_retries=0, timeout=scaled(20), **options
    )


@pytest.fixture
def client(simulated):
    with client_of(simulated) as made:
        yield made


def test_chat(client):
    raw = client.chat.completions.with_raw_response.create(model=MODEL, messages=SAY_HI, max_tokens=8)
    done = raw.parse()
    assert done.choices[0].message.content and done.choices[0].finish_reason in ("stop", "length")
    assert done.usage.completion_tokens == 8 and done.usage.total_tokens == done.usage.prompt_tokens + 8
    assert raw.headers["x-request-id"] and raw.headers["x-kvgate-engine"].startswith("http://127.0.0.1:")


def test_streamed_chat(client):
    stream = client.chat.completions.create(
        model=MODEL, messages=SAY_HI, max_tokens=12, stream=True, stream_options={"include_usage": True}
    )
    chunks = list(stream)
    text = "".join(part.choices[0].delta.content or "" for part in chunks if part.choices)
    assert text and len(chunks) > 5
    assert [part.choices[0].finish_reason for part in chunks if part.choices][-1] in ("stop", "length")
    assert chunks[-1].choices == [] and chunks[-1].usage.completion_tokens == 12


def test_streamed_equals_unstreamed(client):
    whole = client.chat.completions.create(model=MODEL, messages=SAY_HI, max_tokens=16, temperature=0, seed=1)
    parts = client.chat.completions.create(
        model=MODEL, messages=SAY_HI, max_tokens=16, temperature=0, seed=1, stream=True
    )
    assert (
        "".join(part.choices[0].delta.content or "" for part in parts if part.choices)
        == whole.choices[0].message.content
    )


@pytest.mark.parametrize("prompt", ["Once upon a time", ["one", "two"]], ids=["text", "list"])
def test_completions(client, prompt):
    done = client.completions.create(model=MODEL, prompt=prompt, max_tokens=6)
    assert done.object == "text_completion" and done.choices[0].text


def test_streamed_completions(client):
    assert "".join(
        part.choices[0].text
        for part in client.completions.create(model=MODEL, prompt="x", max_tokens=6, stream=True)
        if part.choices
    )


@pytest.mark.parametrize("encoding", ["float", "base64"])
def test_embeddings(client, encoding):
    made = client.embeddings.create(model=MODEL, input=["hello", "world"], encoding_format=encoding)
    assert [entry.index for entry in made.data] == [0, 1] and made.data[0].embedding


def test_models_list_and_retrieve(client):
    assert [model.id for model in client.models.list()] == [MODEL]
    model = client.models.retrieve(MODEL)
    assert model.id == MODEL and model.object == "model"
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("nope")


def test_models_with_a_slash_in_their_name(make_gate, make_engine):
    gate = make_gate(make_engine("B1", models=["org/name-7b"]))
    with client_of(gate) as client:
        assert client.models.retrieve("org/name-7b").id == "org/name-7b"


def test_audio_transcription_upload(client, tmp_path):
    audio = tmp_path / "speech.wav"
    audio.write_bytes(b"RIFF" + bytes(range(256)) * 300)
    with audio.open("rb") as file:
        done = client.audio.transcriptions.create(model=MODEL, file=file, language="en")
    assert isinstance(done.text, str) and done.text


def test_responses_made_and_read_again(client):
    made = client.responses.create(model=MODEL, input="Say hi", max_output_tokens=6, store=True)
    assert made.output_text
    for _ in range(4):
        assert client.responses.retrieve(made.id).id == made.id, "asked of the engine that made it"


def test_streamed_responses(client):
    kinds = [
        part.type for part in client.responses.create(model=MODEL, input="Say hi", max_output_tokens=6, stream=True)
    ]
    assert kinds[0] == "response.created" and kinds[-1] in ("response.completed", "response.incomplete")


def test_many_requests_use_both_engines(client, sims):
    create = client.chat.completions.with_raw_response.create
    seen = {create(model=MODEL, messages=SAY_HI, max_tokens=1).headers["x-kvgate-engine"] for _ in range(8)}
    assert seen == {sim.url for sim in sims}


def test_leaving_a_stream_early_is_fine(client):
    for _ in range(5):
        stream = client.chat.completions.create(model=MODEL, messages=SAY_HI, max_tokens=500, stream=True)
        next(iter(stream))
        stream.close()
    assert client.chat.completions.create(model=MODEL, messages=SAY_HI, max_tokens=2).choices


# errors as the right exception classes --------------------------------------------------------------------------------


def test_an_unknown_model_is_not_found_and_tried_once(client):
    with pytest.raises(openai.NotFoundError) as caught:
        client.chat.completions.create(model="nope", messages=SAY_HI)
    assert "nope" in caught.value.message and caught.value.request_id and caught.value.param == "model"
    assert caught.value.response.headers["x-should-retry"] == "false"


def test_a_bad_request_of_the_engine_is_bad_request(client):
    with pytest.raises(openai.BadRequestError):
        client.chat.completions.create(model=MODEL, messages=SAY_HI, max_tokens="many")


def test_a_bad_request_of_the_gate_is_bad_request(client):
    with pytest.raises(openai.BadRequestError) as caught:
        client.chat.completions.create(model="", messages=SAY_HI)
    assert caught.value.param == "model"


ERRORS = [
    (400, "BadRequestError"),
    (401, "AuthenticationError"),
    (403, "PermissionDeniedError"),
    (404, "NotFoundError"),
    (409, "ConflictError"),
    (422, "UnprocessableEntityError"),
    (429, "RateLimitError"),
    (500, "InternalServerError"),
    (503, "InternalServerError"),
]


@pytest.mark.parametrize("status,name", ERRORS)
def test_errors_of_an_engine_are_the_right_exceptions(make_gate, engine, status, name):
    gate = make_gate(engine)
    engine.script = answer({"error": {"message": "as told", "type": "x", "param": None, "code": status}}, status=status)
    with client_of(gate) as client, pytest.raises(getattr(openai, name)) as caught:
        client.chat.completions.create(model="m", messages=SAY_HI)
    assert caught.value.status_code == status and "as told" in str(caught.value)


@pytest.mark.parametrize("stream", [False, True])
def test_nobody_there_is_an_internal_server_error(make_gate, engine, stream):
    engine.stop()
    gate = make_gate(engine, config={"models": {"known": ["m"]}}, wait_ready=False)
    with client_of(gate) as client, pytest.raises(openai.InternalServerError) as caught:
        client.chat.completions.create(model="m", messages=SAY_HI, stream=stream)
    assert caught.value.status_code == 503


def test_a_broken_stream_raises_and_is_never_taken_for_an_answer(make_gate, engine):
    gate = make_gate(engine)
    part = {
        "id": "c",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "delta": {"content": "half"}, "finish_reason": None}],
    }
    engine.script = say(stream_head(), chunk(event(part)), 0.05, "reset")
    with client_of(gate) as client:
        stream, seen = client.chat.completions.create(model="m", messages=SAY_HI, stream=True), []
        with pytest.raises((openai.APIError, openai.APIConnectionError)):
            for got in stream:
                seen.append(got)
    assert [got.choices[0].finish_reason for got in seen] == [None]


def test_a_client_that_retries_gets_its_answer_when_the_engine_is_back(make_gate, engine):
    gate = make_gate(engine)
    refusals = [503, 503]

    def script(request, conn):
        body = {
            "id": "c",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [{"index": 0, "message": {"role": "assistant", "content": "back"}, "finish_reason": "stop"}],
        }
        status = refusals.pop() if refusals else 200
        answer(body if status == 200 else {"error": {"message": "busy"}}, status=status, fields=[("retry-after", "0")])(
            request, conn
        )

    engine.script = script
    with client_of(gate).with_options(max_retries=3) as client:
        done = client.chat.completions.create(model="m", messages=SAY_HI)
    assert done.choices[0].message.content == "back" and len(engine.requests) == 3


def test_extra_body_and_large_seed_reach_the_engine(make_gate, engine):
    gate = make_gate(engine)
    with client_of(gate) as client:
        client.chat.completions.create(
            model="m", messages=SAY_HI, seed=9007199254740993, extra_body={"cache_salt": "x", "priority": 3}
        )
    assert b"9007199254740993" in engine.requests[-1].body
    assert json.loads(engine.requests[-1].body)["cache_salt"] == "x"
    assert engine.requests[-1].head.get("authorization") == "Bearer sk-test"
