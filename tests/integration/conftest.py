"""One gate in front of one engine for all tests of a file that need nothing of their own."""

import pytest

from support.engine import FakeEngine, completion
from support.running import running_gate


@pytest.fixture(scope="module")
def b1():
    engine = FakeEngine("B1")
    yield engine
    engine.stop()
    assert not engine.violations, engine.violations


@pytest.fixture(scope="module")
def shared(b1):
    with running_gate([b1]) as gate:
        yield gate


@pytest.fixture(autouse=True)
def as_it_was(request):
    """The shared engine answers as usual again, and nothing is left in flight."""
    yield
    if "b1" in request.fixturenames:
        request.getfixturevalue("b1").script = completion
    if "shared" in request.fixturenames:
        request.getfixturevalue("shared").check_idle()
