"""`kvgate tokenize` against the ids that HuggingFace `tokenizers` gave: whole tokenizers of well-known models and small
ones for every rarer component."""

import functools
import hashlib
import json
import lzma
import pathlib
import struct
import subprocess

import pytest

from fuzz.tokenizer_texts import TextMaker
from support.gate import binary

DATA = pathlib.Path(__file__).resolve().parents[3] / "shared" / "data" / "tokens"
NAMES = sorted(entry.name for entry in (DATA / "tokenizers").iterdir()) if DATA.exists() else []

pytestmark = pytest.mark.skipif(not NAMES, reason=f"{DATA} is not there")


@pytest.fixture(scope="module", params=NAMES)
def tokenizer(request, tmp_path_factory):
    """(name, folder with its tokenizer.json)"""
    folder = tmp_path_factory.mktemp(request.param)
    packed = DATA / "tokenizers" / request.param / "tokenizer.json.xz"
    (folder / "tokenizer.json").write_bytes(lzma.decompress(packed.read_bytes()))
    return request.param, folder


def encode(folder, texts, *flags):
    lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
    command = [binary(), "tokenize", "--tokenizer", str(folder), *flags]
    done = subprocess.run(command, input=lines.encode(), capture_output=True, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(texts)
    return answers


@functools.cache
def long_text(name):
    return lzma.open(DATA / "goldens" / "large_texts" / f"{name}.txt.xz").read().decode()


def lines_of(path):
    with path.open() as file:
        return [json.loads(line) for line in file]


def digest(ids):
    return hashlib.sha256(struct.pack(f"<{len(ids)}I", *ids)).hexdigest()


@pytest.mark.parametrize("way", [(), ("--general",)], ids=["usual", "general"])
@pytest.mark.parametrize("key, special", [("ids", ()), ("ids_no_special", ("--no-special",))])
def test_ids(tokenizer, way, key, special):
    name, folder = tokenizer
    short = lines_of(DATA / "goldens" / "tokens" / f"{name}.jsonl")
    long = lines_of(DATA / "goldens" / "tokens" / f"{name}.large.jsonl")
    texts = [case["text"] for case in short] + [long_text(case["name"]) for case in long]
    answers = encode(folder, texts, *special, *way)
    wrong = [case["text"] for case, answer in zip(short, answers) if answer.get("ids") != case[key]]
    wrong += [case["name"] for case, answer in zip(long, answers[len(short) :]) if digest(answer["ids"]) != case[f"{key}_sha256"]]
    assert wrong == []


def test_both_ways_agree_on_random_texts(tokenizer):
    name, folder = tokenizer
    tokens = [token["content"] for token in json.loads((folder / "tokenizer.json").read_text())["added_tokens"]]
    samples = [case["text"] for case in lines_of(DATA / "goldens" / "tokens" / f"{name}.jsonl")]
    maker = TextMaker(name, tokens, samples)
    texts = [maker.text() for _ in range(500)]
    for text, usual, general in zip(texts, encode(folder, texts), encode(folder, texts, "--general")):
        assert usual == general, text
