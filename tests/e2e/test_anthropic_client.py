"""The real `anthropic` client through the gate: /v1/messages."""

import pytest

from support.engine import answer, say, stream_head
from support.http_message import chunk, event
from support.timing import scaled

anthropic = pytest.importorskip("anthropic", reason="the anthropic package is not installed")

MODEL = "sim-model"
SAY_HI = [{"role": "user", "content": "Say hi to the gate."}]


def client_of(gate):
    return anthropic.Anthropic(
        base_url=f"http://127.0.0.1:{gate.port}", api_key="sk-test", max_retries=0, timeout=scaled(20)
    )


@pytest.fixture
def client(simulated):
    with client_of(simulated) as made:
        yield made


def test_messages(client):
    done = client.messages.create(model=MODEL, max_tokens=6, messages=SAY_HI)
    assert done.content[0].text and done.usage.output_tokens == 6


def test_streamed_messages(client):
    with client.messages.stream(model=MODEL, max_tokens=8, messages=SAY_HI) as stream:
        text = "".join(stream.text_stream)
        final = stream.get_final_message()
    assert text == final.content[0].text and final.stop_reason in ("end_turn", "max_tokens")


def test_count_tokens(client):
    assert client.messages.count_tokens(model=MODEL, messages=SAY_HI).input_tokens > 0


def test_an_unknown_model_is_not_found(client):
    with pytest.raises(anthropic.NotFoundError) as caught:
        client.messages.create(model="nope", max_tokens=4, messages=SAY_HI)
    assert caught.value.body["type"] == "error" and caught.value.body["error"]["type"] == "not_found_error"


@pytest.mark.parametrize(
    "status,name",
    [(400, "BadRequestError"), (401, "AuthenticationError"), (429, "RateLimitError"), (500, "InternalServerError")],
)
def test_errors_of_an_engine_are_the_right_exceptions(make_gate, engine, status, name):
    gate = make_gate(engine)
    engine.script = answer({"type": "error", "error": {"type": "x", "message": "as told"}}, status=status)
    with client_of(gate) as client, pytest.raises(getattr(anthropic, name)):
        client.messages.create(model="m", max_tokens=4, messages=SAY_HI)
    assert engine.requests[-1].head.get("authorization") == "Bearer sk-test" and engine.requests[-1].head.get(
        "anthropic-version"
    )


def test_a_broken_stream_raises(make_gate, engine):
    gate = make_gate(engine)
    begin = {
        "type": "message_start",
        "message": {
            "id": "x",
            "type": "message",
            "role": "assistant",
            "content": [],
            "model": "m",
            "stop_reason": None,
            "usage": {"input_tokens": 1, "output_tokens": 0},
        },
    }
    engine.script = say(stream_head(), chunk(event(begin, name="message_start")), 0.05, "reset")
    with client_of(gate) as client, pytest.raises(anthropic.APIError):
        for _ in client.messages.create(model="m", max_tokens=4, messages=SAY_HI, stream=True):
            pass
