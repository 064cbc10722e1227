"""The text exposition format, strictly: what a Prometheus server would refuse raises ValueError."""

import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
SAMPLE = re.compile(rf"({NAME})(?:\{{(.*)\}})? (\S+)(?: -?\d+)?\Z")
LABEL = re.compile(rf'({NAME})="((?:[^"\\]|\\["\\n])*)"(?:,|\Z)')
VALUE = re.compile(r"(?i)[+-]?(inf|nan|\d+(\.\d*)?(e[+-]?\d+)?|\.\d+(e[+-]?\d+)?)\Z")


def parse_metrics(text):
    """{(name, frozenset of label pairs): value}"""
    out = {}
    for line in text.split("\n"):
        if not line or line.startswith("#"):
            continue
        match = SAMPLE.match(line)
        if not match or not VALUE.match(match[3]):
            raise ValueError(f"sample {line!r}")
        key = (match[1], frozenset(parse_labels(match[2] or "")))
        if key in out:
            raise ValueError(f"sample twice {line!r}")
        out[key] = float(match[3])
    return out


def parse_labels(text):
    labels, rest = [], text
    while rest:
        match = LABEL.match(rest)
        if not match:
            raise ValueError(f"labels {text!r}")
        labels.append((match[1], match[2]))
        rest = rest[match.end() :]
    return labels


def select(metrics, name, **labels):
    """The samples of `name` that carry these labels, as {labels: value}."""
    wanted = set(labels.items())
    return {key[1]: value for key, value in metrics.items() if key[0] == name and wanted <= key[1]}


def total(metrics, name, **labels):
    return sum(select(metrics, name, **labels).values())
