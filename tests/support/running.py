"""A gate for the length of a `with`, looked over at its end."""

from contextlib import contextmanager

from .engine import completion
from .gate import Gate


@contextmanager
def running_gate(engines, passed=lambda: True, **options):
    """A gate whose end is checked, unless the test has ended it by itself or failed."""
    gate = Gate(engines, **options)
    try:
        yield gate
        if passed() and gate.child.returncode is None:
            for engine in gate.engines:
                engine.script, engine.on_head = completion, None
            gate.check()
            gate.stop()
        gate.check_output()
    finally:
        gate.discard()
