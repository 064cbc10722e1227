"""Public faults of routers, area routing, each under its number."""

import random
import threading
from collections import Counter

import pytest
from support.check import served_by
from support.client import Client, Closed, complete, post
from support.engine import completion
from support.prometheus import total
from support.timing import eventually

SESSION = {"session": {"keys": ["header:x-session-id"]}}


def words(seed, size):
    r = random.Random(str(seed))
    return " ".join("".join(r.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(size // 7))


def chat(gate, text, fields=None, model="m"):
    body = {"model": model, "messages": [{"role": "user", "content": text}]}
    return post(gate.port, "/v1/chat/completions", body, fields or {})


def test_case_28_each_model_has_its_own_turns(make_gate, make_engine):
    engines = [make_engine(f"B{n}", models=["m1"] if n < 3 else ["m2"]) for n in (1, 2, 3, 4)]
    gate = make_gate(*engines)
    ask = lambda n: served_by(complete(gate.port, "m1" if n % 2 else "m2"))
    seen = Counter(ask(n) for n in range(200))
    assert abs(seen["B1"] - seen["B2"]) <= 1 and abs(seen["B3"] - seen["B4"]) <= 1, seen

    # B2 leaves half-way and comes back: the ready set shares what there is
    first = Counter(ask(n) for n in range(100))
    engines[1].health = 503
    eventually(lambda: not gate.knows(engines[1]))
    without = Counter(ask(n) for n in range(100))
    engines[1].health = 200
    eventually(lambda: gate.knows(engines[1]))
    after = Counter(ask(n) for n in range(100))
    assert first["B1"] == 25 and without == {"B1": 50, "B3": 25, "B4": 25}, (first, without)
    assert abs(after["B1"] - after["B2"]) <= 2 and abs(after["B3"] - after["B4"]) <= 1, after

    # 1000 from 8 threads
    seen, lock = Counter(), threading.Lock()

    def work():
        mine = Counter(ask(n) for n in range(125))
        with lock:
            seen.update(mine)

    threads = [threading.Thread(target=work) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    for pair in (("B1", "B2"), ("B3", "B4")):
        share = [seen[name] for name in pair]
        assert abs(share[0] - share[1]) <= sum(share) / 100 + 1, seen


def multipart(gate, fields):
    boundary = "b0"
    body = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="model"\r\n\r\nm\r\n--{boundary}\r\n'
        f'Content-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\nRIFF\r\n--{boundary}--\r\n'
    ).encode()
    fields = {**fields, "Content-Type": f"multipart/form-data; boundary={boundary}"}
    return post(gate.port, "/v1/audio/transcriptions", body, fields)


PATHS = {
    "chat": lambda gate, fields: chat(gate, "hi", fields),
    "multipart": multipart,
    "generic": lambda gate, fields: post(gate.port, "/v1/completions", {"model": "m", "prompt": "hi"}, fields),
}


def test_case_29_an_absent_session_key_is_no_key(make_gate, make_engine):
    gate = make_gate(
        *[make_engine(f"B{n}") for n in (1, 2, 3, 4)],
        config={"routing": {"policies": ["session", "round_robin"]}, **SESSION},
    )
    keyless = Counter()
    for n in range(100):
        for name, ask in PATHS.items():
            keyless[served_by(ask(gate, {} if n % 2 else {"X-Session-Id": ""}))] += 1
    assert len(keyless) == 4 and max(keyless.values()) - min(keyless.values()) <= 1, keyless
    counted = total(gate.metrics(), "kvgate_abstained_total", policy="session", reason="no_session")
    assert counted >= 300, counted

    homes = set()
    for user in range(12):
        seen = {served_by(ask(gate, {"X-Session-Id": f"u{user}"})) for _ in range(5) for ask in PATHS.values()}
        assert len(seen) == 1, f"u{user} went to {seen}"
        homes |= seen
    assert len(homes) > 1
    twice = [("X-Session-Id", "u1"), ("X-Session-Id", "u2")]
    assert served_by(chat(gate, "hi", twice)) == served_by(chat(gate, "hi", {"X-Session-Id": "u1"})), "the first counts"


@pytest.mark.parametrize("place", ["cookie:sid", "json:user", "header:x-none"])
def test_case_29_keys_in_other_places(make_gate, make_engine, place):
    """The same fault's kind: a list of places, the first that is present wins."""
    keys = ["header:x-none", place] if place != "header:x-none" else [place]
    gate = make_gate(
        *[make_engine(f"B{n}") for n in (1, 2, 3, 4)],
        config={"routing": {"policies": ["session", "round_robin"]}, "session": {"keys": keys}},
    )

    def ask(user):
        body = {"model": "m", "prompt": "x", **({"user": user} if place == "json:user" else {})}
        fields = {"Cookie": f"a=b; sid={user}; c=d"} if place == "cookie:sid" else {"x-none": str(user)}
        return served_by(post(gate.port, "/v1/completions", body, fields if place != "json:user" else {}))

    homes = {user: {ask(f"u{user}") for _ in range(4)} for user in range(10)}
    assert all(len(seen) == 1 for seen in homes.values()), homes
    assert len(set.union(*homes.values())) > 1


def test_case_30_affinity_starts_below_the_least_match(make_gate, make_engine):
    gate = make_gate(
        make_engine("B1"), make_engine("B2"),
        config={"routing": {"policies": ["prefix_affinity"]}, "prefix": {"min_match": 4096}},
    )
    system = {"role": "system", "content": words("system", 2048)}
    histories = {n: [system] for n in range(20)}
    homes = {n: [] for n in histories}
    for turn in range(20):
        for n, history in histories.items():
            history.append({"role": "user", "content": words((n, turn), 2000)})
            answered = post(gate.port, "/v1/chat/completions", {"model": "m", "messages": list(history)})
            homes[n].append((sum(len(m["content"]) for m in history[1:]) - 2000, served_by(answered)))
    for n, seen in homes.items():
        late = {name for known, name in seen if known > 4096}
        before = [name for known, name in seen if known <= 4096]
        assert len(late) == 1 and late == {before[-1]}, f"conversation {n}: {seen}"
    share = Counter(name for seen in homes.values() for _, name in seen)
    assert max(share.values()) <= 0.7 * sum(share.values()), share


@pytest.mark.parametrize("policy", ["prefix_affinity", "least_loaded"])
def test_case_31_misses_at_low_concurrency_take_turns(make_gate, make_engine, policy):
    gate = make_gate(
        *[make_engine(f"B{n}") for n in (1, 2, 3, 4)], config={"routing": {"policies": [policy]}}
    )
    prompts = [words((policy, n), 2000) for n in range(200)]
    first = [served_by(chat(gate, prompt)) for prompt in prompts]
    share = Counter(first)
    assert all(35 <= share[f"B{n}"] <= 65 for n in (1, 2, 3, 4)), share
    if policy == "prefix_affinity":
        again = [served_by(chat(gate, prompt)) for prompt in prompts]
        assert again == first


def test_case_32_a_restarted_or_removed_engine_is_not_preferred(make_gate, make_engine):
    """With the knowledge that text mode has: what was routed there."""
    engines = [make_engine(f"B{n}") for n in (1, 2, 3)]
    started = "process_start_time_seconds {}\nvllm:num_requests_running 0\nvllm:num_requests_waiting 0\n"
    for engine in engines:
        engine.metrics = started.format(1000)
    gate = make_gate(
        *engines,
        config={"routing": {"policies": ["prefix_affinity"]}, "engine_stats": {"interval": "100ms", "stale": "10s"}},
    )
    prompt = words("prefix", 8000)
    home = served_by(chat(gate, prompt))
    assert {served_by(chat(gate, prompt)) for _ in range(5)} == {home}
    owner = next(engine for engine in engines if engine.name == home)
    eventually(lambda: (gate.fleet()[owner.url]["reported"] or {}).get("started") == 1000)

    owner.metrics = started.format(2000)   # same address, new process
    gate.wait_line("(?i)started anew|restarted")
    home = served_by(chat(gate, prompt))
    assert home != owner.name, "picked longest ago wins, not the old belief"

    second = next(engine for engine in engines if engine.name == home)
    second.stop()
    assert served_by(chat(gate, prompt)) != second.name
    eventually(lambda: not gate.knows(second))
    assert second.name not in {served_by(chat(gate, prompt)) for _ in range(6)}


def test_a_model_has_chains_of_its_own(make_gate, make_engine):
    gate = make_gate(
        make_engine("B1", models=["m", "n"]), make_engine("B2", models=["m", "n"]),
        config={"models": {"n": {"routing": {"policies": ["prefix_affinity"]}}}},
    )
    prompt = words("own", 3000)
    assert {served_by(chat(gate, prompt, model="m")) for _ in range(4)} == {"B1", "B2"}
    assert len({served_by(chat(gate, prompt, model="n")) for _ in range(4)}) == 1


def test_pinning_by_id(make_gate, make_engine):
    engines = [make_engine(f"B{n}") for n in (1, 2)]
    gate = make_gate(engines[0], (engines[1], {"labels": {"id": "two"}}), config={"routing": {"pin_by_id": True}})
    ask = lambda pin: post(gate.port, f"/v1/completions?id={pin}", {"model": "m", "prompt": "x"})
    assert {served_by(ask("two")) for _ in range(4)} == {"B2"}
    assert {served_by(ask(engines[0].authority)) for _ in range(4)} == {"B1"}
    assert ask("three").status == 503


def test_a_header_chooses_a_pool(make_gate, make_engine):
    pools = [(make_engine(f"B{n}"), {"labels": {"pool": "a" if n < 3 else "b"}}) for n in (1, 2, 3)]
    gate = make_gate(
        *pools,
        config={"routing": {"filters": ["model", "healthy", "label", "capacity"]}, "label": {"header": "x-pool"}},
    )
    ask = lambda value: post(gate.port, "/v1/completions", {"model": "m", "prompt": "x"}, {"x-pool": value})
    assert {served_by(ask("pool=b")) for _ in range(4)} == {"B3"}
    assert {served_by(ask("pool=a")) for _ in range(4)} == {"B1", "B2"}
    assert ask("pool=c").status == 503


def test_urgent_requests_go_to_the_least_busy(make_gate, make_engine, connect):
    def hold_if_asked(request, conn):
        conn.hold() if request.json().get("hold") else completion(request, conn)

    engines = [make_engine(f"B{n}", script=hold_if_asked) for n in (1, 2)]
    gate = make_gate(*engines, config={"routing": {"policies": ["priority", "prefix_affinity"]}})
    prompt = words("urgent", 2000)
    home = served_by(chat(gate, prompt))
    holder = connect(gate)
    message = [{"role": "user", "content": prompt}]
    holder.send(holder.encode("POST", "/v1/chat/completions", {"model": "m", "hold": 1, "messages": message}))
    busy = next(engine for engine in engines if engine.name == home)
    eventually(lambda: any(request.json().get("hold") for request in busy.requests))
    assert served_by(chat(gate, prompt)) == home, "cached there"
    assert served_by(chat(gate, prompt, {"x-request-priority": "-1"})) != home
    body = {"model": "m", "priority": -5, "messages": message}
    assert served_by(post(gate.port, "/v1/chat/completions", body)) != home


def test_whatever_ends_a_request_its_work_is_given_back(make_gate, make_engine):
    """Clients and engines die at random; every gauge ends at 0 (the fixture looks as well)."""
    def moody(request, conn):
        kind = random.random()
        if kind < 0.2:
            conn.reset()
        elif kind < 0.4:
            conn.hold(5)
        elif kind < 0.5:
            conn.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n6\r\ndata:")
            conn.reset()
        else:
            completion(request, conn)

    random.seed(7)
    engines = [make_engine(f"B{n}", script=moody) for n in (1, 2, 3)]
    gate = make_gate(
        *engines,
        config={"routing": {"policies": ["prefix_affinity"]}, "retry": {"poison_ttl": "0s"},
                "proxy": {"timeouts": {"first_byte": "400ms"}}},
    )
    prompts = [words(n, 3000) for n in range(6)]

    def client(number):
        r = random.Random(number)
        for _ in range(25):
            try:
                body = {"model": "m", "n": r.random(), "messages": [{"role": "user", "content": r.choice(prompts)}]}
                with Client(gate.port, timeout=r.choice([0.05, 0.2, 5])) as client:
                    client.post("/v1/chat/completions", body)
            except (OSError, Closed):
                pass

    threads = [threading.Thread(target=client, args=(n,)) for n in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    for engine in engines:
        engine.script = completion
    gate.check_idle()
    eventually(lambda: all(e["in_flight"] == 0 and e["prefill_tokens"] == 0 for e in gate.fleet().values()), 5,
               lambda: gate.fleet())
