"""What the engines say of their own load: /engines and /metrics show it, and unknown is never shown as idle."""

import pytest

from support.client import complete
from support.engine import response
from support.gate import ROOT
from support.prometheus import select, total
from support.timing import eventually, stays

DATA = ROOT.parent / "shared" / "data"
FAST = {"engine_stats": {"interval": "50ms", "timeout": "300ms", "stale": "1s"}}
GAUGES = ("kvgate_engine_running", "kvgate_engine_waiting", "kvgate_engine_kv_usage", "vllm:num_requests_waiting")

CURRENT = """\
# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="m"} 3.0
vllm:num_requests_waiting{engine="0",model_name="m"} 2.0
vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.25
vllm:prefix_cache_queries_total{engine="0",model_name="m"} 200.0
vllm:prefix_cache_hits_total{engine="0",model_name="m"} 50.0
vllm:cache_config_info{block_size="32",engine="0",num_gpu_blocks="24"} 1.0
vllm:lora_requests_info{max_lora="2",running_lora_adapters="french",waiting_lora_adapters="german"} 1.79e+09
"""
OLD = "vllm:num_requests_running 1\nvllm:num_requests_waiting 0\nvllm:gpu_cache_usage_perc 0.5\n"
RANKS = """\
vllm:num_requests_running{engine="0"} NaN
vllm:num_requests_running{engine="1"} 2.0
vllm:num_requests_running{engine="2"} 4.0
vllm:num_requests_waiting{engine="1"} 1.0
vllm:num_requests_waiting{engine="2"} 1.0
vllm:kv_cache_usage_perc{engine="1"} 0.5
vllm:kv_cache_usage_perc{engine="2"} 1.0
"""


def recorded(name):
    path = DATA / name
    if not path.is_file():
        pytest.skip("no recordings")
    return path.read_text()


def load(running, started):
    return f"vllm:num_requests_running {running}\nvllm:num_requests_waiting 0\nprocess_start_time_seconds {started}\n"


def reported(gate, engine):
    return gate.fleet()[engine.url]["reported"]


def known(gate, engine):
    return eventually(lambda: reported(gate, engine))


def scrapes(gate, engine, result):
    return total(gate.metrics(), "kvgate_engine_scrapes_total", engine=engine.url, result=result)


def warnings(gate, engine, what):
    return [line for line in gate.logs if engine.url in line and what in line]


def probe(path, act):
    """A probe script that acts on `path` and leaves the rest as it is."""
    return lambda request, conn: request.path == path and (act(conn) or True)


def test_what_an_engine_says_is_shown(make_gate, engine):
    engine.metrics = CURRENT
    gate = make_gate(engine)
    told = known(gate, engine)
    assert 0 <= told.pop("age_seconds") < 15
    assert told == {
        "running": 3,
        "waiting": 2,
        "kv_usage": 0.25,
        "kv_blocks": 24,
        "block_size_tokens": 32,
        "sleeping": False,
        "started": None,
        "lora": {"max": 2, "running": ["french"], "waiting": ["german"]},
    }
    metrics = gate.metrics()
    for name, label, value in (
        ("kvgate_engine_running", "engine", 3),
        ("kvgate_engine_waiting", "engine", 2),
        ("kvgate_engine_kv_usage", "engine", 0.25),
        ("kvgate_engine_sleeping", "engine", 0),
        ("vllm:num_requests_waiting", "server", 2),
        ("vllm:gpu_prefix_cache_queries_total", "server", 200),
        ("vllm:gpu_prefix_cache_hits_total", "server", 50),
        ("vllm:gpu_prefix_cache_hit_rate", "server", 0.25),
    ):
        assert list(select(metrics, name, **{label: engine.url}).values()) == [value], name
    assert select(metrics, "kvgate_engine_stats_age_seconds", engine=engine.url)
    assert total(metrics, "vllm:num_requests_running", server=engine.url) == 0, "the gate's own requests, as ever"


@pytest.mark.parametrize(
    ("text", "running", "waiting", "usage"), [(OLD, 1, 0, 0.5), (RANKS, 6, 2, 0.75)], ids=["old-names", "ranks"]
)
def test_older_names_and_ranks(make_gate, engine, text, running, waiting, usage):
    engine.metrics = text
    told = known(make_gate(engine), engine)
    assert (told["running"], told["waiting"], told["kv_usage"]) == (running, waiting, usage)


@pytest.mark.parametrize(
    ("name", "blocks", "sleeping"), [("vllm-metrics.txt", 24, True), ("vllm-metrics-dp2.txt", 48, False)]
)
def test_recorded_engines(make_gate, engine, name, blocks, sleeping):
    engine.metrics = recorded(name)
    filters = {"filters": ["model", "healthy", "capacity"]}
    told = known(make_gate(engine, config={"routing": filters}), engine)
    assert (told["running"], told["waiting"], told["kv_usage"]) == (0, 0, 0)
    assert (told["kv_blocks"], told["block_size_tokens"], told["sleeping"]) == (blocks, 32, sleeping)


def test_case_38_unknown_is_told_apart_from_idle(make_gate, make_engine):
    """Other names, a 404 and a hanging /metrics: no zeros, one warning each, counted, and nobody waits for them."""
    other, missing, hanging, good = (make_engine(f"B{n}") for n in (1, 2, 3, 4))
    other.metrics = "sglang:num_running_reqs 99\nsglang:token_usage 0.9\n"
    missing.probe_script = probe("/metrics", lambda conn: conn.send(response(b"", status=404)))
    hanging.probe_script = probe("/metrics", lambda conn: conn.hold())
    good.metrics = CURRENT
    gate = make_gate(other, missing, hanging, good, config=FAST)
    eventually(lambda: scrapes(gate, hanging, "failed") >= 3 and scrapes(gate, other, "no_known_series") >= 3)
    assert scrapes(gate, missing, "failed") >= 3 and scrapes(gate, good, "ok") >= 3
    metrics = gate.metrics()
    for engine in (other, missing, hanging):
        assert reported(gate, engine) is None
        for name in GAUGES:
            assert not select(metrics, name, engine=engine.url) and not select(metrics, name, server=engine.url), name
        assert len(warnings(gate, engine, "cannot be read")) == 1, gate.logs
        assert gate.fleet()[engine.url]["health"] == "up"
    assert not warnings(gate, good, "cannot be read")
    assert reported(gate, good)["running"] == 3
    for _ in range(20):
        assert complete(gate.port).status == 200


def test_what_an_engine_said_grows_old(make_gate, engine):
    engine.metrics = CURRENT
    gate = make_gate(engine, config=FAST)
    known(gate, engine)
    engine.probe_script = probe("/metrics", lambda conn: conn.hold())
    eventually(lambda: reported(gate, engine) is None, 5)
    metrics = gate.metrics()
    assert not [name for name in GAUGES if select(metrics, name)]
    assert total(metrics, "kvgate_engine_stats_age_seconds", engine=engine.url) > 1
    assert gate.fleet()[engine.url]["health"] == "up", "what an engine says of its load is not its health"
    engine.probe_script = None
    assert known(gate, engine)["running"] == 3


def test_a_restarted_engine_is_noticed(make_gate, engine):
    engine.metrics = load(3, 1000.5)
    gate = make_gate(engine, config=FAST)
    known(gate, engine)
    engine.models = ["m", "new"]
    engine.metrics = load(0, 1060.5)
    gate.wait_line(f"{engine.url} has been restarted")
    eventually(lambda: gate.fleet()[engine.url]["models"] == ["m", "new"])
    stays(lambda: len(warnings(gate, engine, "restarted")) == 1, 0.3)


def test_switched_off_nothing_is_asked(make_gate, engine):
    gate = make_gate(engine, config={"engine_stats": {"enabled": False}})
    assert complete(gate.port).status == 200
    assert reported(gate, engine) is None
    assert not [request for request in engine.probes if request.path == "/metrics"]


def test_another_path_is_taken_below_the_engines_base(make_gate, engine):
    engine.probe_script = None
    gate = make_gate(engine, config={"engine_stats": {"path": "/health?metrics"}})
    eventually(lambda: scrapes(gate, engine, "no_known_series") == 1)
    assert [request for request in engine.probes if request.target == "/health?metrics"]
