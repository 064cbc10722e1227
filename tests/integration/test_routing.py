"""The first policies and filters, from outside."""

import threading
from collections import Counter

from support.check import is_error, served_by
from support.client import complete
from support.engine import completion, silent
from support.timing import eventually


def spread(gate, count, model="m"):
    return Counter(served_by(complete(gate.port, model)) for _ in range(count))


def test_round_robin_is_exactly_fair_per_model(make_gate, make_engine):
    gate = make_gate(*[make_engine(f"B{n}", models=["m1"] if n < 3 else ["m2"]) for n in (1, 2, 3, 4)])
    seen = Counter()
    for n in range(100):
        seen[served_by(complete(gate.port, "m1" if n % 2 else "m2"))] += 1
    assert max(seen.values()) - min(seen.values()) <= 1 and len(seen) == 4, seen


def test_round_robin_is_fair_from_many_threads(make_gate, make_engine):
    gate, seen = make_gate(*[make_engine(f"B{n}") for n in (1, 2, 3)]), Counter()

    def work():
        mine = spread(gate, 60)
        with lock:
            seen.update(mine)

    lock = threading.Lock()
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(seen.values()) == 240 and max(seen.values()) - min(seen.values()) <= 3, seen


def test_least_loaded_avoids_the_busy_engine(make_gate, engines, connect):
    def hold_if_asked(request, conn):
        if request.json().get("hold"):
            conn.hold()
        else:
            completion(request, conn)

    for engine in engines:
        engine.script = hold_if_asked
    gate = make_gate(*engines, config={"routing": {"policies": ["least_loaded"]}})
    holder = connect(gate)
    holder.send(holder.encode("POST", "/v1/completions", {"model": "m", "hold": 1}))
    eventually(lambda: sum(len(engine.requests) for engine in engines) == 1)
    busy = next(engine for engine in engines if engine.requests)
    idle = next(engine for engine in engines if not engine.requests)
    assert spread(gate, 20) == {idle.name: 20}
    assert len(busy.requests) == 1


def test_an_idle_fleet_is_used_evenly_by_least_loaded(make_gate, make_engine):
    gate = make_gate(*[make_engine(f"B{n}") for n in (1, 2, 3, 4)], config={"routing": {"policies": ["least_loaded"]}})
    seen = spread(gate, 80)
    assert len(seen) == 4 and max(seen.values()) - min(seen.values()) <= 2, seen


def test_random_uses_every_engine(make_gate, make_engine):
    gate = make_gate(*[make_engine(f"B{n}") for n in (1, 2, 3)], config={"routing": {"policies": ["random"]}})
    seen = spread(gate, 150)
    assert len(seen) == 3 and min(seen.values()) >= 20, seen


def test_max_concurrent_bounds_one_engine(make_gate, make_engine, connect):
    one = make_engine("B1", script=silent)
    gate = make_gate((one, {"max_concurrent": 2}))
    for _ in range(2):
        client = connect(gate)
        client.send(client.encode("POST", "/v1/completions", {"model": "m", "prompt": "x"}))
    eventually(lambda: len(one.requests) == 2)
    answered = complete(gate.port)
    is_error(answered, 503)
    assert int(answered.get("retry-after")) >= 1
