"""Public cases about request bodies: they arrive as they were sent, or are refused for a reason the client is told."""

import hashlib
import json
import random
import threading

import pytest

from support.check import is_error, served_by
from support.client import Client, get, post
from support.engine import completion, response, stream_head
from support.http_message import LAST_CHUNK, chunk, event
from support.prometheus import parse_metrics, total
from support.timing import SANITIZED, Stopwatch, eventually, scaled

CHAT = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}


@pytest.mark.parametrize(
    "body",
    [
        b'{"z":1,"a":2,"m":3,"model":"m","prompt":"x","seed":9007199254740993}',
        b'{"model":"m","prompt":"x","seed":18446744073709551615,"logit_bias":{"1":-0.0,"2":1e-7,"3":0.1,"4":1.10}}',
        b'{"model":"m","prompt":"x","big":123456789012345678901234567890,"n":1E400,"k":1e15}',
        '{"model":"m","prompt":"\\u00e9 é \\/ \\ud83d\\ude00 😀"}'.encode(),
        b'{ "model" : "m" ,\n\t"prompt":"x" , "a":[ 1 ,2 ] }  ',
    ],
    ids=range(5),
)
@pytest.mark.parametrize("chunks", [None, 3])
def test_case_21_numbers_and_everything_else_stay_as_they_were(shared, b1, body, chunks):
    assert served_by(post(shared.port, "/v1/completions", body, chunks=chunks)) == "B1"
    assert b1.requests[-1].body == body


SHAPES = [
    b"{}",
    b"[]",
    b"null",
    b"3",
    b'"x"',
    b"",
    b"   ",
    b"\xef\xbb\xbf{}",
    b'{"model":null}',
    b'{"model":5}',
    b'{"model":[]}',
    b'{"model":{}}',
    b'{"model":""}',
    b'{"model":"m","messages":5}',
    b'{"model":"m","messages":[null]}',
    b'{"model":"m","prompt":{}}',
    b'{"model":"m","prompt":[[1,2]]}',
    b'{"model":"m","prompt":[1,2,3]}',
    b'{"model":"m","messages":[{"role":"user","content":[{"type":9}]}]}',
    b'{"model":"m","stream":"yes"}',
    b'{"model":"m","max_tokens":"a"}',
    b'{"model":"m","max_tokens":-1}',
    b'{"model":"m","stream":null,"prompt":null}',
    b"{",
    b'{"model":"m"',
    b'{"model":"m"}}',
    b'{"model":"m"} x',
    b'{model:"m"}',
    b"{'model':'m'}",
    b'{"model":"m",}',
    b"\0",
    b"nan",
    b"tru",
    b'{"model"',
    b'{"model":',
    b'{"model":tru}',
    b'{"model":"m","a":tru}',
]
REFUSED = {
    b"[]",
    b"null",
    b"3",
    b'"x"',
    b'{"model":null}',
    b'{"model":5}',
    b'{"model":[]}',
    b'{"model":{}}',
    b'{"model":""}',
    b"",
    b"   ",
    b"{",
    b"\0",
    b"nan",
    b"tru",
    b'{"model"',
    b'{"model":',
    b'{"model":tru}',
}


@pytest.mark.parametrize(
    "target", ["/v1/completions", "/v1/chat/completions", "/v1/embeddings", "/v1/responses", "/tokenize"]
)
@pytest.mark.parametrize("body", SHAPES, ids=lambda body: repr(body)[:40])
def test_case_22_json_of_the_wrong_shape_is_no_failure_of_the_server(shared, b1, target, body):
    before = len(b1.requests)
    answered = post(shared.port, target, body)
    if answered.status == 200:
        assert served_by(answered) == "B1" and body not in REFUSED
        assert b1.requests[-1].body == body
    else:
        assert answered.status in (400, 404)
        is_error(answered, answered.status)
        assert len(b1.requests) == before


@pytest.mark.parametrize("content_type", ["text/plain", "application/json; charset=latin-1", "", None])
def test_case_22_the_content_type_is_the_engines_business(shared, b1, content_type):
    fields = {} if content_type is None else {"Content-Type": content_type}
    answered = post(shared.port, "/v1/completions", CHAT, fields, content_type=None)
    assert answered.status in (200, 400, 415), answered


def test_case_22_token_array_prompts_are_routed(make_gate, engines):
    gate = make_gate(*engines, config={"routing": {"policies": ["least_loaded"]}})
    for prompt in ([1, 2, 3], [[1, 2], [3]], ["a", "b"], "a"):
        assert post(gate.port, "/v1/completions", {"model": "m", "prompt": prompt}).status == 200


CONTENT = [
    b"\\ud83d",
    b"\xc3\x28",
    b"\xed\xa0\xbd",
    b"\xf5\x80\x80\x80",
    b"\\u0000",
    b"\\udc00\\ud800",
    b"\xff",
    b"\\ud83d\\ud83d",
]


@pytest.mark.parametrize("text", CONTENT, ids=repr)
def test_case_23_broken_unicode_in_content_is_passed_on_or_refused(shared, b1, text):
    body = b'{"model":"m","messages":[{"role":"user","content":"a' + text + b'b"}]}'
    before = len(b1.requests)
    answered = post(shared.port, "/v1/chat/completions", body)
    assert answered.status in (200, 400)
    if answered.status == 200:
        assert b1.requests[-1].body == body
    else:
        is_error(answered, 400)
        assert len(b1.requests) == before


@pytest.mark.parametrize("text", CONTENT, ids=repr)
def test_case_23_broken_unicode_in_a_model_name_is_400_or_404(shared, b1, text):
    before = len(b1.requests)
    answered = post(shared.port, "/v1/completions", b'{"model":"m' + text + b'","prompt":"x"}')
    assert answered.status in (400, 404)
    is_error(answered, answered.status)
    form = b'--XX\r\nContent-Disposition: form-data; name="model"\r\n\r\nm' + text + b"\r\n--XX--\r\n"
    answered = post(shared.port, "/v1/audio/transcriptions", form, content_type="multipart/form-data; boundary=XX")
    assert answered.status in (400, 404)
    is_error(answered, answered.status)
    assert len(b1.requests) == before
    parse_metrics(get(shared.port, "/metrics").body.decode("utf-8"))


PREFIX = "The same long prefix. " * 200
SHAPES_24 = {
    "prompt_string": ("/v1/completions", {"prompt": PREFIX}),
    "prompt_list": ("/v1/completions", {"prompt": [PREFIX, "b"]}),
    "token_ids": ("/v1/completions", {"prompt": list(range(500))}),
    "chat_string": ("/v1/chat/completions", {"messages": [{"role": "user", "content": PREFIX}]}),
    "chat_parts": (
        "/v1/chat/completions",
        {
            "messages": [
                {
                    "role": "user",
                    "content": [
                        {"type": "text", "text": PREFIX},
                        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
                    ],
                }
            ]
        },
    ),
    "responses_string": ("/v1/responses", {"input": PREFIX}),
    "responses_list": (
        "/v1/responses",
        {"input": [{"role": "user", "content": [{"type": "input_text", "text": PREFIX}]}]},
    ),
    "embeddings": ("/v1/embeddings", {"input": PREFIX}),
    "embeddings_list": ("/v1/embeddings", {"input": [PREFIX, "b"]}),
    "embeddings_tokens": ("/v1/embeddings", {"input": [[1, 2, 3]]}),
    "rerank": ("/v1/rerank", {"query": PREFIX, "documents": ["a", "b"]}),
    "score": ("/v1/score", {"text_1": PREFIX, "text_2": ["a"]}),
    "tokenize": ("/tokenize", {"prompt": PREFIX}),
    "tokenize_chat": ("/tokenize", {"messages": [{"role": "user", "content": PREFIX}]}),
    "detokenize": ("/detokenize", {"tokens": [1, 2]}),
    "generate": ("/inference/v1/generate", {"token_ids": [1, 2]}),
    "messages": (
        "/v1/messages",
        {"max_tokens": 4, "system": [{"type": "text", "text": PREFIX}], "messages": [{"role": "user", "content": "x"}]},
    ),
}


@pytest.mark.parametrize("policy", ["round_robin", "least_loaded", "random"])
def test_case_24_every_request_shape_is_routed(make_gate, engines, policy):
    """With the policies there are so far; none of them reads one shape only."""
    gate = make_gate(*engines, config={"routing": {"policies": [policy]}})
    for name, (target, body) in SHAPES_24.items():
        for _ in range(2):
            assert served_by(post(gate.port, target, {"model": "m", **body})) in ("B1", "B2"), name


def digest(request, conn):
    conn.send(response({"sha": hashlib.sha256(request.body).hexdigest(), "bytes": len(request.body)}))


SIZES = [7_000, 70_000, 130_000, 2_100_000, 33_000_000]


def large(size):
    return b'{"model":"m","messages":[{"role":"user","content":"' + b"QUJD" * (size // 4) + b'"}]}'


@pytest.mark.parametrize("chunks", [None, 65_521], ids=["sized", "chunked"])
def test_case_25_large_prompts_arrive_whole(make_gate, engine, chunks):
    """Default configuration (64 MiB); then one over the limit, the client still sending."""
    gate = make_gate(engine)
    engine.script = digest
    for size in SIZES:
        body = large(size)
        got = post(gate.port, "/v1/chat/completions", body, chunks=chunks).json()
        assert got == {"sha": hashlib.sha256(body).hexdigest(), "bytes": len(body)}
    before = len(engine.requests)
    with Client(gate.port) as client:
        data = client.encode("POST", "/v1/chat/completions", large((64 << 20) + 4), chunks=chunks)
        sender = threading.Thread(target=quietly_send, args=(client, data))
        sender.start()
        is_error(client.read_response(), 413)
        assert client.closed() in ("fin", "rst")  # what is sent after the lingering close is over may be reset
        client.close()
        sender.join()
    assert len(engine.requests) == before
    assert total(gate.metrics(), "kvgate_errors_total", cause="body_too_large") == 1


def quietly_send(client, data):
    try:
        client.send(data)
    except OSError:
        pass


def test_case_25_a_body_over_the_limit_is_logged_and_counted(make_gate, engine):
    gate = make_gate(engine, config={"http": {"max_body": "1MiB"}}, flags=["--access-log"])
    for chunks in (None, 4096):
        is_error(
            post(gate.port, "/v1/chat/completions", large(1_500_000), {"X-Request-Id": "too-big"}, chunks=chunks), 413
        )
    assert total(gate.metrics(), "kvgate_errors_total", cause="body_too_large") == 2
    gate.wait_line(r"too-big.*413|413.*too-big")
    assert not engine.requests


def test_case_25_two_megabytes_add_little_time(make_gate, engine):
    """Best of ten against best of ten: what the gate adds, not what the machine is busy with."""
    gate = make_gate(engine)
    engine.script = digest
    body = large(2_100_000)

    def best(port):
        times = []
        with Client(port) as client:
            for _ in range(10):
                watch = Stopwatch()
                assert client.post("/v1/chat/completions", body).status == 200
                times.append(watch.elapsed)
        return min(times)

    assert best(gate.port) - best(engine.port) < scaled(0.020)


@pytest.mark.slow
def test_case_17_many_requests_on_kept_connections_in_many_packets(make_gate, engine):
    """Each answer carries the hash of its own body; sizes, cuts and pauses at random, streams in between."""
    gate = make_gate(engine)

    def script(request, conn):
        if request.streams:
            conn.send(stream_head() + chunk(event(hashlib.sha256(request.body).hexdigest())) + LAST_CHUNK)
        else:
            digest(request, conn)

    engine.script = script
    problems = []
    rounds = 40 if SANITIZED else 100

    def work(seed):
        dice = random.Random(seed)
        try:
            with Client(gate.port) as client:
                for turn in range(rounds):
                    one_request(client, dice, turn)
        except Exception as error:
            problems.append(f"connection {seed}: {error!r}")

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems, problems


def one_request(client, dice, turn):
    """One request cut at random, every tenth a pipelined pair, some refused by the gate itself."""
    size = dice.choice((10, 100, 1000, 20_000, 300_000))
    streams = dice.random() < 0.3
    body = json.dumps({"model": "m", "stream": streams, "pad": "x" * size, "turn": turn}).encode()
    early = client.encode("POST", "/v1/completions", b'{"model":5}') if dice.random() < 0.1 else b""
    pair = client.encode("POST", "/v1/completions", body, chunks=dice.choice((None, 977))) * (
        2 if turn % 10 == 0 else 1
    )
    client.send_cut(early + pair, seed=dice.random(), pieces=dice.choice((1, 2, 5, 12)))
    if early:
        assert client.read_response().status == 400
    for _ in range(2 if turn % 10 == 0 else 1):
        answered = client.read_response()
        assert answered.status == 200 and answered.complete, answered
        assert hashlib.sha256(body).hexdigest().encode() in answered.body


def slow_heads(gate, count):
    return [trickle(gate, b"POST /v1/completions HTTP/1.1\r\nHost: x\r\nX-A: ") for _ in range(count)]


def slow_bodies(gate, count):
    return [
        trickle(gate, b'POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n{"model":')
        for _ in range(count)
    ]


def trickle(gate, data):
    client = Client(gate.port)
    client.send(data)
    return client


@pytest.mark.slow
def test_case_41_slow_and_idle_clients_hinder_nobody(make_gate, engine):
    """Idle, slow in the head, slow in the body, not reading: normal requests go on, the slow ones are let go."""

    def big(request, conn):
        if not request.json().get("big"):
            return completion(request, conn)
        conn.send(b"HTTP/1.1 200 OK\r\ncontent-length: 209715200\r\n\r\n")
        for _ in range(3200):
            conn.send(b"x" * 65536)

    engine.script = big
    gate = make_gate(engine, config={"http": {"head_timeout": "6s", "write_timeout": "6s", "body_timeout": "20s"}})
    many = 200 if SANITIZED else 1000

    def p99(count=200):
        times = []
        with Client(gate.port) as client:
            for _ in range(count):
                watch = Stopwatch()
                assert client.post("/v1/completions", CHAT).status == 200
                times.append(watch.elapsed)
        return sorted(times)[count * 99 // 100]

    quiet, start = p99(), gate.rss()
    idle = [Client(gate.port) for _ in range(many)]
    heads, bodies = slow_heads(gate, many), slow_bodies(gate, many // 4)
    readers = [Client(gate.port, receive_buffer=8192) for _ in range(many // 20)]
    for client in readers:
        client.send(client.encode("POST", "/v1/completions", {"model": "m", "big": 1}))
    eventually(lambda: p99() < 2 * quiet + scaled(0.010), 5)
    assert gate.rss() - start < (400 << 20 if SANITIZED else 100 << 20)
    for client in heads:
        is_error(client.read_response(), 408)
        assert client.closed() == "fin"
    eventually(lambda: not engine.busy_connections(), 20, "those that do not read are dropped at their limit")
    eventually(lambda: p99() < 2 * quiet + scaled(0.010), 5)
    for client in idle + heads + bodies + readers:
        client.close()
