"""House rules that a compiler does not check."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CODE = sorted((ROOT / "src").rglob("*.cpp")) + sorted((ROOT / "src").rglob("*.hpp"))

# gcc 12 destroys some temporaries of a co_await expression twice: braced aggregates, capturing lambdas, and class objects
# made from a string literal. They get a name first.
FORBIDDEN = {
    "braced temporary": re.compile(r"co_await[^;]*\([^;]*[({,]\s*\{[^;]*\}"),
    "capturing lambda": re.compile(r"co_await[^;]*\([^;]*\[[^\]\s]+\]\s*[({]"),
    "string literal": re.compile(r'co_await[^;(]*\w\((?:[^;()]|\([^;()]*\))*"'),
}


def strip_comments(text):
    return re.sub(r"//[^\n]*", "", text)


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_coroutine_trips_over_gcc_12(what):
    found = []
    for path in CODE:
        text = strip_comments(path.read_text())
        for match in FORBIDDEN[what].finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            found.append(f"{path.relative_to(ROOT)}:{line}: {match.group(0)[:100]}")
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "what, line",
    [
        ("braced temporary", "co_await write(stream, {data, size});"),
        ("capturing lambda", "co_await run([this] { go(); });"),
        ("string literal", 'co_await client.write("HTTP/1.1 100 Continue");'),
    ],
)
def test_the_lint_would_notice(what, line):
    assert FORBIDDEN[what].search(line)
