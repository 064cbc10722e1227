"""`kvgate tokenize --chat` against what vLLM made of the same requests: template input, rendered text, ids and errors, for
the templates of many models, and gpt-oss's own format."""

import json
import lzma
import pathlib
import subprocess

import pytest

from support.gate import binary

DATA = pathlib.Path(__file__).resolve().parents[3] / "shared" / "data" / "tokens"
GOLDENS = DATA / "goldens" / "chat"
NAMES = sorted(path.stem for path in GOLDENS.glob("*.jsonl")) if GOLDENS.exists() else []
NOW = "2025-03-09T14:05:07"
STUB_TOKENS = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}

# Its goldens were made with another template than the one that lies beside them, which ends "[/INST]" without a space.
OTHER_TEMPLATE = {"tok-mistral-7b-v0.1"}

pytestmark = pytest.mark.skipif(not NAMES, reason=f"{DATA} is not there")


def lines_of(path):
    return [json.loads(line) for line in path.read_text().split("\n") if line]


def unpack(name, folder):
    source = DATA / "tokenizers" / name
    for path in source.iterdir():
        if path.suffix == ".xz":
            (folder / path.stem).write_bytes(lzma.decompress(path.read_bytes()))
        else:
            (folder / path.name).write_bytes(path.read_bytes())


@pytest.fixture(scope="module")
def small_tokenizer():
    return lzma.decompress((DATA / "tokenizers" / "gpt2" / "tokenizer.json.xz").read_bytes())


@pytest.fixture(params=NAMES)
def model(request, tmp_path, small_tokenizer):
    """(name of the goldens, folder of the model)"""
    name = request.param
    if name == "harmony-gpt-oss":
        unpack("gpt-oss", tmp_path)
    elif name.startswith("tok-"):
        unpack(name.removeprefix("tok-"), tmp_path)
        if name == "tok-gpt-oss":  # rendered with its template here, which the engine never does
            (tmp_path / "config.json").write_text("{}")
    else:
        (tmp_path / "tokenizer.json").write_bytes(small_tokenizer)
        (tmp_path / "tokenizer_config.json").write_text(json.dumps(STUB_TOKENS))
        (tmp_path / "chat_template.jinja").write_bytes((DATA / "chat_templates" / f"{name}.jinja").read_bytes())
    return name, tmp_path


def ask(folder, *flags):
    requests = [case["request"] for case in lines_of(DATA / "goldens" / "chat_cases.jsonl")]
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    command = [binary(), "tokenize", "--tokenizer", str(folder), "--now", NOW, *flags]
    done = subprocess.run(command, input=lines.encode(), capture_output=True, check=True)
    answers = [json.loads(line) for line in done.stdout.decode().split("\n") if line]
    assert len(answers) == len(requests)
    return answers


def agrees(golden, answer):
    if "error" not in golden:
        return golden["rendered"] == answer.get("rendered") and golden.get("ids", answer["ids"]) == answer["ids"]
    meant_for_users = golden["error"].get("root") == "TemplateError"
    said = answer.get("error")
    return said is not None and (not meant_for_users or said in golden["error"]["message"])


def test_rendered_text_and_ids(model):
    name, folder = model
    if name in OTHER_TEMPLATE:
        pytest.skip("the goldens were made with another template")
    goldens = lines_of(GOLDENS / f"{name}.jsonl")
    wrong = [golden["name"] for golden, answer in zip(goldens, ask(folder, "--chat")) if not agrees(golden, answer)]
    assert wrong == []


def test_template_input(model):
    name, folder = model
    if name.startswith("harmony"):
        pytest.skip("gpt-oss has no template input")
    inputs = {line["key"]: line["input"] for line in lines_of(DATA / "goldens" / "chat_inputs.jsonl")}
    for golden, answer in zip(lines_of(GOLDENS / f"{name}.jsonl"), ask(folder, "--input")):
        if "input" not in golden:
            assert "error" in answer
            continue
        expected = inputs[golden["input"]]
        # Written out, since the order of keys is part of it.
        for key in ("messages", "tools", "add_generation_prompt"):
            assert json.dumps(answer["input"][key]) == json.dumps(expected[key]), (golden["name"], key)
        for key in expected.keys() - {"continue_final_message"}:
            assert answer["input"][key] == expected[key], (golden["name"], key)
