"""Deadlines. Nothing here waits for a fixed time: every wait ends as soon as its condition holds."""

import os
import time

SANITIZED = bool(os.environ.get("KVGATE_SANITIZER"))
SCALE = 3 if SANITIZED else 1


def scaled(seconds):
    """`seconds` as a limit that also holds for instrumented binaries."""
    return seconds * SCALE


def eventually(condition, timeout=5.0, what=None):
    """Polls `condition` until it is true and returns its value; the limit is scaled. `what` names it on failure."""
    limit = time.monotonic() + scaled(timeout)
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > limit:
            text = what() if callable(what) else what
            raise AssertionError(f"not within {scaled(timeout):.1f} s: {text or condition!r} (last value {value!r})")
        time.sleep(0.01)


def stays(condition, seconds):
    """Asserts that `condition` holds for `seconds`: for what must NOT happen, where no event can be awaited."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        assert condition(), "did not stay true"
        time.sleep(0.01)


class Stopwatch:
    """Seconds since it was made."""

    def __init__(self):
        self.start = time.monotonic()

    @property
    def elapsed(self):
        return time.monotonic() - self.start
