"""Fixtures of the integration and end-to-end tests.

At the end of every test that started a gate the convention of the public cases is checked: the gate is alive, a plain
request answers 200 when an engine is left, nothing counts as in flight; then it must end with code 0 and without a
report of a sanitizer, and no engine may ever have been sent a request that is not strict HTTP/1.1.
"""

import os
import resource
import signal
import sys
import threading
from contextlib import ExitStack

import pytest

from support.client import Client
from support.engine import FakeEngine
from support.gate import binary
from support.running import running_gate
from support.timing import scaled

resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
threading.stack_size(256 * 1024)


def pytest_configure(config):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # a run that is cut off cleans up as well
    config.addinivalue_line("markers", "slow: takes more than ten seconds")


def pytest_collection_modifyitems(items):
    for item in items:
        if not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(scaled(60)))


def pytest_sessionstart(session):
    if not os.access(binary(), os.X_OK) and not session.config.option.collectonly:
        pytest.exit(f"{binary()} is missing: make build, or set KVGATE_BIN", 3)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.when == "call":
        item.passed = report.passed
    return report


@pytest.fixture
def make_engine(request):
    """make_engine('B1', models=[...], script=...)"""
    engines = []

    def make(name="B1", **options):
        engines.append(FakeEngine(name, **options))
        return engines[-1]

    yield make
    for engine in engines:
        engine.stop()
    if getattr(request.node, "passed", False):
        assert not [text for engine in engines for text in engine.violations]


@pytest.fixture
def engine(make_engine):
    return make_engine("B1")


@pytest.fixture
def engines(make_engine):
    """B1 and B2."""
    return [make_engine("B1"), make_engine("B2")]


@pytest.fixture
def make_gate(request, make_engine):
    """make_gate(engine, ..., config={...}, flags=[...])"""
    with ExitStack() as stack:

        def make(*engines, **options):
            passed = lambda: getattr(request.node, "passed", False)
            return stack.enter_context(running_gate(engines, passed, **options))

        yield make


@pytest.fixture
def gate(make_gate, engine):
    """A gate in front of `engine`."""
    return make_gate(engine)


@pytest.fixture
def connect(make_gate):
    """connect(gate): a client connection that is closed at the end, before the gate is looked at."""
    with ExitStack() as stack:
        yield lambda gate, **options: stack.enter_context(Client(gate.port, **options))
