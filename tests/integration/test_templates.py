"""Chat templates: the recorded renderings of vLLM, and random templates against Jinja2 itself."""

import json
import sys
from pathlib import Path

import pytest

from support.gate import ROOT, binary

sys.path.insert(0, str(ROOT / "tests/fuzz"))

DATA = ROOT.parent / "shared/data/tokens"
TAG = "CONTINUE_FINAL_MESSAGE_TAG "
STUBS = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}


def goldens():
    files = sorted((DATA / "goldens/chat").glob("*.jsonl")) if DATA.is_dir() else []
    return [f for f in files if not f.name.startswith("harmony")]


@pytest.fixture(scope="module")
def tool():
    from jinja_diff import Tool

    return Tool(str(Path(binary()).parent / "tests/template_tool"))


@pytest.fixture(scope="module")
def inputs():
    lines = (DATA / "goldens/chat_inputs.jsonl").read_text(encoding="utf-8").splitlines()
    return {row["key"]: row["input"] for row in map(json.loads, lines)}


def template_of(name):
    """The source as it lies on disk, and the special tokens it sees."""
    if not name.startswith("tok-"):
        return (DATA / f"chat_templates/{name}.jinja").read_bytes().decode(), STUBS
    folder = DATA / "tokenizers" / name[4:]
    special = json.loads((folder / "effective.json").read_text())["special_tokens_map"]
    return (folder / "chat_template.jinja").read_bytes().decode(), special


def with_tag(messages):
    """As transformers does for continue_final_message: the last text is marked, the output is cut at the mark."""
    messages = json.loads(json.dumps(messages))
    content = messages[-1].get("content")
    if isinstance(content, list):
        next(part for part in reversed(content) if "text" in part)["text"] += TAG
    else:
        messages[-1]["content"] = (content or "") + TAG
    return messages


def cut_at_tag(text):
    at = text.rfind(TAG.strip())
    return text[:at] if text[at:].startswith(TAG) else text[:at].rstrip()


def globals_of(case, special):
    values = {**special, "documents": None, **case}
    if values.pop("continue_final_message", False):
        values["messages"] = with_tag(values["messages"])
    return values


def mismatch(row, case, result):
    """None, or what is not as vLLM had it."""
    wanted = row.get("error")
    if wanted:
        if "continue_final_message is set" in wanted["message"]:
            return None  # found after rendering, from the missing tag
        error = result.get("error")
        if not error:
            return f"renders instead of {wanted['message']!r}"
        raised = wanted["root"] == "TemplateError"
        same = error["message"] == wanted["message"] and raised == (error["failure"] == "raised")
        return None if same or not raised else f"{error} instead of {wanted}"
    if "error" in result:
        return f"{result['error']} instead of {row['rendered'][:80]!r}"
    text = cut_at_tag(result["text"]) if case.get("continue_final_message") else result["text"]
    return None if text == row["rendered"] else f"{text!r} instead of {row['rendered']!r}"


@pytest.mark.skipif(not goldens(), reason="no recorded renderings beside the checkout")
@pytest.mark.parametrize("golden", goldens(), ids=lambda path: path.stem)
def test_renders_as_recorded(golden, tool, inputs):
    source, special = template_of(golden.stem)
    rows = [row for row in map(json.loads, golden.read_text(encoding="utf-8").splitlines()) if "input" in row]
    answer = tool.ask(source, [globals_of(inputs[row["input"]], special) for row in rows])
    assert "results" in answer, answer
    assert {row["format"] for row in rows if "format" in row} <= {answer["format"]}
    wrong = {row["name"]: mismatch(row, inputs[row["input"]], result) for row, result in zip(rows, answer["results"])}
    assert not {name: what for name, what in wrong.items() if what}


def cases(kind, count):
    import random

    import jinja_diff

    templates = [path.read_bytes().decode() for path in sorted((DATA / "chat_templates").glob("*.jinja"))]
    make = jinja_diff.cases_from_files if kind == "files" else jinja_diff.cases_from_grammar
    for number in range(count):
        yield make(random.Random(f"ci/{number}"), templates)


@pytest.mark.parametrize("kind, count", [("grammar", 1500), ("files", 150)])
def test_renders_as_jinja2(kind, count, tool):
    pytest.importorskip("jinja2")
    import jinja_diff
    import jinja_environment

    if kind == "files" and not goldens():
        pytest.skip("no templates beside the checkout")
    env, comparison = jinja_environment.environment(), jinja_diff.Comparison(False)
    for source, values in cases(kind, count):
        expected = jinja_diff.python_renders(env, source, values)
        difference = comparison.compare(source, expected, tool.ask(source, values))
        assert not difference, f"{difference}\ntemplate: {source!r}\ninputs: {values!r}"
    assert comparison.counts["texts"] > count / 2


@pytest.mark.parametrize(
    "source",
    [
        "{% set a = 1 %}{{ a }}{{ b }}{% if c %}{% set d = 1 %}{% endif %}{{ d }}",
        "{% for m in messages %}{{ m.x ~ loop.index ~ y }}{% set z = m %}{% endfor %}{{ z }}{{ range(3) }}",
        "{% macro f(p, q=r) %}{{ p }}{{ s }}{{ caller() }}{% endmacro %}{% call f(t) %}{{ u }}{% endcall %}",
        "{% set ns = namespace(v=w) %}{% set ns.k = n %}{{ raise_exception(e) }}{{ strftime_now('%Y') }}{{ joiner(x) }}",
    ],
)
def test_knows_the_variables_that_jinja2_finds(source, tool):
    pytest.importorskip("jinja2")
    import jinja_environment

    assert tool.ask(source, [])["undeclared"] == jinja_environment.undeclared(jinja_environment.environment(), source)
