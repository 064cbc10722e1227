"""Configuration and the small commands, as an operator meets them: exit codes, one-line errors, precedence, secrets."""

import json
import os
import subprocess

import pytest

from support.client import complete, get
from support.gate import binary
from support.timing import eventually, scaled


def kvgate(*arguments, **environment):
    """(exit code, standard output, standard error)"""
    done = subprocess.run(
        [binary(), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=scaled(20),
        env={**os.environ, **environment},
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def file(tmp_path):
    def write(text):
        path = tmp_path / "kvgate.yaml"
        path.write_text(text)
        return path

    return write


WRONG = {
    "unknown_key": ("server:\n  prot: 1\n", 2, "prot"),
    "wrong_type": ("server:\n  port: many\n", 2, "port"),
    "out_of_range": ("server:\n  port: 70000\n", 2, "port"),
    "bad_url": ("engines:\n  - url: ftp://x\n", 2, "url"),
    "bad_duration": ("health:\n  interval: 5 parsecs\n", 2, "interval"),
    "unknown_policy": ("routing:\n  policies: [fastest]\n", 2, "policies"),
    "duplicate_key": ("server:\n  port: 1\n  port: 2\n", 3, "port"),
    "no_yaml": ("server: [\n", None, ""),
    "missing_variable": ("admin:\n  key: ${KVGATE_TEST_NOT_SET}\n", 2, "key"),
    "route_that_nothing_is_proxied_on": (
        "proxy:\n  routes:\n    /v1/completions: {total: 1m}\n    /v1/chat/completion: {total: 1m}\n",
        4,
        "did you mean /v1/chat/completions?",
    ),
    "route_of_an_own_endpoint": ("proxy:\n  routes:\n    /metrics: {total: 1m}\n", 3, "allowed: the paths"),
    "device_as_secret": ("admin:\n  key: file:/dev/zero\n", 2, "/dev/zero: it is not a regular file; allowed"),
    "missing_secret_file": ("admin:\n  key: file:/nonexistent/key\n", 2, "key"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_file_is_exit_code_2_and_one_line_that_says_where(file, name):
    text, line, key = WRONG[name]
    path = file(text)
    for arguments in (("--config", path), ("--check-config", path)):
        code, out, err = kvgate(*arguments)
        assert code == 2 and out == "", (code, out, err)
        assert err.count("\n") == 1 and err.startswith(f"{path}:"), err
        assert key in err and (line is None or err.startswith(f"{path}:{line}: ")), err


def test_limits_for_an_extra_path_are_taken(file):
    routes = "  routes:\n    /v1/own/{}: {total: 1m}\n    /v1/chat/completions: {total: 1m}\n"
    path = file("engines: [http://127.0.0.1:1]\nproxy:\n  extra_paths: [\"POST /v1/own/{}\"]\n" + routes)
    assert kvgate("--check-config", path)[0] == 0


def test_a_fifo_as_secret_is_refused_and_not_waited_for(file, tmp_path):
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "link").symlink_to(tmp_path / "fifo")
    for name in ("fifo", "link"):
        code, out, err = kvgate("--check-config", file(f"admin:\n  key: file:{tmp_path}/{name}\n"))
        assert (code, out, err.count("\n")) == (2, "", 1) and "admin.key" in err and "not a regular file" in err, err


def test_a_secret_behind_symbolic_links_is_read(file, tmp_path):
    """As Kubernetes mounts them: key -> ..data/key, ..data -> ..2026_11_30."""
    (tmp_path / "..2026_11_30").mkdir()
    (tmp_path / "..2026_11_30" / "key").write_text("k\n")
    (tmp_path / "..data").symlink_to("..2026_11_30")
    (tmp_path / "key").symlink_to("..data/key")
    path = file(f"engines: [http://127.0.0.1:1]\nadmin:\n  key: file:{tmp_path}/key\n")
    assert kvgate("--check-config", path)[0] == 0


def test_an_unreadable_file_is_exit_code_2(tmp_path):
    code, out, err = kvgate("--config", tmp_path / "missing.yaml")
    assert (code, out, err.count("\n")) == (2, "", 1) and "missing.yaml" in err


@pytest.mark.parametrize(
    "arguments", [("--nonsense",), ("--port", "x"), ("--engines", "nope://x"), ("--policy", "fastest")]
)
def test_a_wrong_flag_is_exit_code_2(arguments):
    code, _, err = kvgate(*arguments)
    assert code == 2 and err.count("\n") == 1


def test_version_and_help():
    code, out, err = kvgate("--version")
    assert (code, err) == (0, "") and any(char.isdigit() for char in out)
    code, out, err = kvgate("--help")
    assert (code, err) == (0, "")
    for flag in (
        "--config",
        "--host",
        "--port",
        "--engines",
        "--policy",
        "--access-log",
        "--check-config",
        "--print-config",
    ):
        assert flag in out


def test_flag_beats_environment_beats_file_beats_default(file):
    path = file(
        "engines:\n  - url: http://127.0.0.1:1\nserver:\n  port: 1111\n  host: 127.0.0.3\nhttp:\n  max_head: 16KiB\n"
    )
    code, out, err = kvgate(
        "--config", path, "--port", "3333", "--print-config", KVGATE_SERVER_PORT="2222", KVGATE_SERVER_HOST="127.0.0.2"
    )
    assert (code, err) == (0, "")
    assert "3333" in out and "127.0.0.2" in out and "16KiB" in out
    assert "1111" not in out and "2222" not in out and "127.0.0.3" not in out


def test_printed_secrets_are_masked_and_come_from_files_and_variables(file, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("from-file-secret\n")
    path = file(
        "engines:\n  - url: http://127.0.0.1:1\n    key: ${TEST_ENGINE_KEY}\nadmin:\n  key: file:" + str(secret) + "\n"
    )
    code, out, err = kvgate("--config", path, "--print-config", TEST_ENGINE_KEY="from-variable-secret")
    assert (code, err) == (0, "") and "***" in out
    assert "from-file-secret" not in out and "from-variable-secret" not in out


def test_a_key_from_a_file_is_sent_without_its_line_break(make_gate, engine, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("k-1\n")
    gate = make_gate((engine, {"key": f"file:{secret}"}))
    assert complete(gate.port).status == 200
    assert engine.requests[-1].head.all("authorization") == ["Bearer k-1"]


def test_engines_and_policy_from_flags_alone(make_gate, engines):
    urls = ",".join(engine.url for engine in engines)
    gate = make_gate(config="{}", flags=["--port", "0", "--engines", urls, "--policy", "round_robin"])
    eventually(lambda: {complete(gate.port).get("x-mock") for _ in range(4)} == {"B1", "B2"})
    assert {entry["url"] for entry in get(gate.port, "/engines").json()} == set(urls.split(","))


def test_the_health_command_asks_a_running_gate(gate):
    base = f"http://127.0.0.1:{gate.port}"
    assert kvgate("health", base)[0] == 0
    assert kvgate("health", f"{base}/health")[0] == 0
    assert kvgate("health", "http://127.0.0.1:1")[0] != 0


@pytest.mark.parametrize("host", ["localhost", "[::1]"])
def test_an_engine_by_name_or_ipv6(make_gate, make_engine, host):
    try:
        engine = make_engine("B1", host="::1" if host == "[::1]" else "127.0.0.1")
    except OSError:
        pytest.skip("no IPv6 loopback")
    engine.authority_sent = f"{host}:{engine.port}"
    gate = make_gate(f"http://{host}:{engine.port}")
    eventually(lambda: complete(gate.port).status == 200)
    assert engine.requests[-1].head.all("host") == [f"{host}:{engine.port}"]


def test_config_shows_the_effective_configuration(make_gate, engine):
    gate = make_gate(engine, config={"http": {"max_body": "3MiB"}})
    shown = get(gate.port, "/config")
    assert shown.status == 200 and "3MiB" in json.dumps(shown.body.decode())
