"""Simulated engines behind the gate, shared by the tests of one file."""

import pytest

from support.client import complete
from support.gate import Gate, Sim
from support.timing import eventually


@pytest.fixture(scope="module")
def sims():
    pair = [Sim(), Sim()]
    yield pair
    for sim in pair:
        sim.stop()


@pytest.fixture(scope="module")
def simulated(sims):
    """A gate in front of two simulated engines; its end is checked."""
    gate = Gate([sim.url for sim in sims], flags=["--debug-headers"], wait_ready=True)
    try:
        eventually(
            lambda: len({complete(gate.port, "sim-model").get("x-kvgate-engine") for _ in range(4)}) == len(sims)
        )
        yield gate
        gate.check()
        gate.stop()
    finally:
        gate.discard()


@pytest.fixture(autouse=True)
def idle_afterwards(request):
    """After each test nothing counts as in flight."""
    yield
    if "simulated" in request.fixturenames:
        request.getfixturevalue("simulated").check_idle()
