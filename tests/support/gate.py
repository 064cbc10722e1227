"""The gate as a child process with a temporary configuration, on a port of its own choosing."""

import atexit
import copy
import itertools
import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
import weakref
from pathlib import Path

from .client import complete, get
from .prometheus import parse_metrics, total
from .timing import eventually, scaled

ROOT = Path(__file__).resolve().parents[2]
IN_FLIGHT = (
    "kvgate_requests_in_flight",
    "vllm:num_requests_running",
    "vllm:num_prefill_requests",
    "vllm:num_decoding_requests",
)
REPORTS = re.compile(
    r"AddressSanitizer|ThreadSanitizer|LeakSanitizer|runtime error:|terminate called|Assertion .* failed"
)

QUICK = {
    "server": {"port": 0},
    "health": {"interval": "200ms"},
    "models": {"refresh": "1s"},
    "drain": {"settle": "0ms", "timeout": "5s"},
    "routing": {"policies": ["round_robin"]},
}


@atexit.register
def kill_all():
    """Nothing outlives the test run, however that ends."""
    for process in list(Process.started):
        process.kill()


UNIQUE = itertools.count()


def binary():
    return os.environ.get("KVGATE_BIN") or str(ROOT / "build/release/kvgate")


def merged(base, more):
    out = copy.deepcopy(base)
    for key, value in (more or {}).items():
        out[key] = (
            merged(out.get(key, {}), value) if isinstance(value, dict) and isinstance(out.get(key, {}), dict) else value
        )
    return out


class Process:
    """A child with its two outputs gathered line by line."""

    started = weakref.WeakSet()

    def __init__(self, command, env=None):
        self.stdout, self.stderr = [], []
        self.child = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            env={**os.environ, **(env or {})},
            text=True,
            errors="replace",
        )
        Process.started.add(self)
        pairs = ((self.child.stdout, self.stdout), (self.child.stderr, self.stderr))
        self._readers = [threading.Thread(target=self._read, args=pair, daemon=True) for pair in pairs]
        for reader in self._readers:
            reader.start()

    @staticmethod
    def _read(stream, lines):
        for line in stream:
            lines.append(line.rstrip("\n"))

    @property
    def logs(self):
        """The log lines so far."""
        return list(self.stdout)

    @property
    def pid(self):
        return self.child.pid

    @property
    def running(self):
        return self.child.poll() is None

    def wait_line(self, pattern, timeout=10.0):
        """The match in the first log line that has one."""

        def found():
            running = self.running
            for line in self.logs:
                match = re.search(pattern, line)
                if match:
                    return match
            assert running, f"ended with {self.child.returncode}: {self.stdout[-20:]} {self.stderr[-20:]}"
            return None

        return eventually(found, timeout, lambda: f"{pattern!r} in {self.logs[-20:]} {self.stderr[-20:]}")

    def signal(self, number):
        self.child.send_signal(number)

    def wait(self, timeout=10.0):
        """Exit code, with all output read."""
        code = self.child.wait(scaled(timeout))
        for reader in self._readers:
            reader.join(scaled(2))
        return code

    def kill(self):
        if self.running:
            self.child.kill()
            self.child.wait()


class Gate(Process):
    """engines: FakeEngine, (FakeEngine, more keys) or URL. config: a mapping over QUICK, or the whole file as text."""

    def __init__(self, engines=(), flags=(), config=None, env=None, wait_ready=None):
        pairs = [engine if isinstance(engine, tuple) else (engine, {}) for engine in engines]
        self.engines = [engine for engine, _ in pairs if hasattr(engine, "requests")]
        self._directory = tempfile.TemporaryDirectory(prefix="kvgate-test-")
        self.directory = Path(self._directory.name)
        self.config_file = self.directory / "kvgate.yaml"
        self.settings = {} if isinstance(config, str) else self._settings(pairs, config)
        self.config_file.write_text(config if isinstance(config, str) else json.dumps(self.settings, indent=1))
        super().__init__([binary(), "--config", str(self.config_file), *flags], env)
        try:
            self._come_up(wait_ready if wait_ready is not None else bool(self.engines))
        except BaseException:
            self.discard()
            raise

    def _come_up(self, wait_ready):
        self.port = int(self.wait_line(r"(?<!admin )listening on http://[^ ]*:(\d+)", 15)[1])
        separate = "port" in self.settings.get("admin", {})
        self.admin_port = int(self.wait_line(r"admin listening on http://[^ ]*:(\d+)")[1]) if separate else self.port
        if wait_ready:
            self.wait_ready()

    @staticmethod
    def _settings(pairs, config):
        specs = [{"url": getattr(engine, "url", engine), **more} for engine, more in pairs]
        return merged({**QUICK, "engines": specs}, config)

    # what it says of itself -------------------------------------------------------------------------------------

    @property
    def logs(self):
        """The log lines so far, from the file where one is configured."""
        file = self.settings.get("log", {}).get("file")
        if file and Path(file).exists():
            return super().logs + Path(file).read_text(errors="replace").splitlines()
        return super().logs

    def ready(self):
        return get(self.admin_port, "/ready").status == 200

    def wait_ready(self, timeout=10.0):
        """Until an engine is usable, and every engine that can be is up with its models known."""
        eventually(self.ready, timeout, lambda: f"ready; log {self.logs[-10:]}")
        for engine in self.engines:
            if engine.alive and engine.health == 200 and engine.models:
                eventually(lambda e=engine: self.knows(e), timeout, lambda e=engine: f"{e.name} in {self.fleet()}")

    def fleet(self):
        """What /engines says, by URL."""
        return {entry["url"]: entry for entry in get(self.admin_port, "/engines").json()}

    def knows(self, engine):
        """Whether the gate takes `engine` for usable."""
        entry = self.fleet().get(engine.url, {})
        return entry.get("health") == "up" and entry.get("models_known")

    def metrics(self):
        response = get(self.admin_port, "/metrics")
        assert response.status == 200, response
        return parse_metrics(response.body.decode())

    def in_flight(self, **labels):
        metrics = self.metrics()
        return {name: total(metrics, name, **labels) for name in IN_FLIGHT}

    def fds(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def rss(self):
        """Resident bytes."""
        text = Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", text)[1]) * 1024

    def cpu_seconds(self):
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    # its end -------------------------------------------------------------------------------------------------

    def check_idle(self):
        """Alive, and nothing counts as in flight."""
        assert self.running, f"the gate ended with {self.child.returncode}: {self.stdout[-20:]} {self.stderr[-20:]}"
        eventually(
            lambda: not any(value > 0 for value in self.in_flight().values()),
            5,
            lambda: f"in flight: {self.in_flight()}",
        )
        below = {key: value for key, value in self.metrics().items() if key[0] in IN_FLIGHT and value < 0}
        assert not below, f"negative gauges: {below}"

    def check(self):
        """The convention for the end of every test: alive, idle, and a plain request works when an engine is left."""
        self.check_idle()
        left = [engine for engine in self.engines if engine.alive and engine.health == 200 and engine.models]
        if left:
            first = left[0].models[0]
            model = first["id"] if isinstance(first, dict) else first
            plain = lambda: complete(self.port, model, n=next(UNIQUE))  # a body that has lost no engine
            eventually(lambda: plain().status == 200, 5, lambda: repr(plain()))
        self.check_idle()

    def stop(self):
        """Ends it in order: exit code 0 and no report of a sanitizer."""
        if self.running:
            self.signal(signal.SIGINT)
        try:
            code = self.wait(10)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the gate did not end after SIGINT: {self.logs[-10:]}") from None
        finally:
            self.discard()
        self.check_output()
        assert code == 0, f"exit code {code}: {self.stdout[-20:]} {self.stderr[-20:]}"

    def check_output(self):
        reports = [line for line in self.stderr + self.stdout if REPORTS.search(line)]
        assert not reports, "\n".join(self.stderr[-60:])

    def discard(self):
        self.kill()
        self._directory.cleanup()


class Sim(Process):
    """`kvgate sim` on a free port."""

    def __init__(self, *flags):
        super().__init__([binary(), "sim", "--port", "0", *flags])
        match = self.wait_line(r"sim engine listening on http://127\.0\.0\.1:(\d+) model=(\S+)")
        self.port, self.model = int(match[1]), match[2]
        self.url = f"http://127.0.0.1:{self.port}"

    def stop(self):
        self.signal(signal.SIGTERM)
        try:
            self.wait(5)
        finally:
            self.kill()


def usage_of(process, action, seconds):
    """CPU seconds that the gate used while `action` ran for about `seconds`."""
    before, start = process.cpu_seconds(), time.monotonic()
    action()
    while time.monotonic() - start < seconds:
        time.sleep(0.01)
    return process.cpu_seconds() - before
