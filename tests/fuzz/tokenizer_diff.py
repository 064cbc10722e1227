#!/usr/bin/env python3
"""Compares `kvgate tokenize` with the Python package `tokenizers` on random texts. Needs `pip install tokenizers==0.23.3`.

    tests/fuzz/tokenizer_diff.py --kvgate build/test/kvgate --texts 100000 [--folder DIR] [--only NAME] [--made 200]

DIR has a folder for each tokenizer, with tokenizer.json or tokenizer.json.xz, and samples of text in
../goldens/tokens/NAME.jsonl if there are any. `--made N` adds N tokenizers that are made up on the fly. Exit code 1 and
one line for each difference; a seed repeats a run.
"""
import argparse
import json
import lzma
import os
import pathlib
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from tokenizers import Tokenizer  # noqa: E402

from tokenizer_made import made_tokenizer  # noqa: E402
from tokenizer_texts import TextMaker  # noqa: E402

DATA = pathlib.Path(__file__).resolve().parents[3] / "shared" / "data" / "tokens" / "tokenizers"
REFUSED = object()
GOES_WRONG = "do not go together"  # where the package miscounts, and fails or gives something odd


class Reference:
    """The package, without its truncation and padding."""

    def __init__(self, text):
        self.tokenizer = Tokenizer.from_str(text)
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()

    def encode(self, texts, special):
        try:
            return [e.ids for e in self.tokenizer.encode_batch_fast(texts, add_special_tokens=special)]
        except BaseException as error:  # a Rust panic is no Exception
            if isinstance(error, KeyboardInterrupt):
                raise
            return [self.encode_one(text, special) for text in texts]

    def encode_one(self, text, special):
        try:
            return self.tokenizer.encode(text, add_special_tokens=special).ids
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            return None


def reference(text):
    try:
        return Reference(text)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return str(error)


def ours(kvgate, path, texts, special, extra=()):
    command = [kvgate, "tokenize", "--tokenizer", str(path), *extra] + ([] if special else ["--no-special"])
    lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
    done = subprocess.run(command, input=lines.encode(), capture_output=True, check=False)
    if done.returncode == 1:
        return done.stderr.decode(errors="replace").strip()
    if done.returncode != 0:
        raise SystemExit(f"kvgate ended with {done.returncode}: {command}\n{done.stderr.decode(errors='replace')}")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return [REFUSED if GOES_WRONG in answer.get("error", "") else answer.get("ids") for answer in answers]


class Run:
    def __init__(self, options):
        self.options = options
        self.texts = self.differences = self.refused = 0

    def differ(self, name, what):
        self.differences += 1
        print(f"DIFFERENT {name}: {what}", flush=True)

    def batch(self, name, path, peer, texts, special):
        """False when the tokenizer is refused."""
        got = ours(self.options.kvgate, path, texts, special, self.options.extra)
        if isinstance(got, str):
            return got
        want = peer.encode(texts, special)
        if len(got) != len(want):
            self.differ(name, f"{len(want)} texts, {len(got)} answers")
        for text, a, b in zip(texts, got, want):
            if a is not REFUSED and a != b:
                self.differ(name, json.dumps({"special": special, "text": text, "ours": a, "theirs": b}))
        self.texts += len(texts)
        return None

    def tokenizer(self, name, path, maker, count):
        peer = reference(path.read_text())
        if isinstance(peer, str):
            got = ours(self.options.kvgate, path, [], True, self.options.extra)
            if not isinstance(got, str):
                self.differ(name, f"loads what the package refuses: {peer}")
            return
        special = True
        while count > 0:
            size = min(count, self.options.batch)
            refusal = self.batch(name, path, peer, [maker.text() for _ in range(size)], special)
            if refusal is not None:
                self.refused += 1
                print(f"refused {name}: {refusal}", flush=True)
                return
            count -= size
            special = not special


def kept(folder, work):
    """The tokenizers of a folder: (name, path, added tokens, samples)."""
    for entry in sorted(folder.iterdir()):
        packed, path = entry / "tokenizer.json.xz", entry / "tokenizer.json"
        if packed.exists():
            path = work / entry.name / "tokenizer.json"
            path.parent.mkdir()
            path.write_bytes(lzma.decompress(packed.read_bytes()))
        if not path.exists():
            continue
        golden = folder.parent / "goldens" / "tokens" / f"{entry.name}.jsonl"
        samples = [json.loads(line)["text"] for line in golden.open()] if golden.exists() else []
        tokens = [token["content"] for token in json.loads(path.read_text())["added_tokens"]]
        yield entry.name, path, tokens, samples


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kvgate", default="build/test/kvgate")
    parser.add_argument("--folder", type=pathlib.Path, default=DATA)
    parser.add_argument("--only", help="names, with commas")
    parser.add_argument("--texts", type=int, default=2000, help="for each tokenizer")
    parser.add_argument("--made", type=int, default=0, help="tokenizers to make up")
    parser.add_argument("--made-texts", type=int, default=400, help="for each of them")
    parser.add_argument("--batch", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--extra", nargs="*", default=[], help="further arguments for kvgate tokenize, without dashes")
    parser.add_argument("--keep", type=pathlib.Path, help="where made-up tokenizers that differ are kept")
    options = parser.parse_args()
    options.extra = ["--" + flag for flag in options.extra]
    run = Run(options)
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        if options.texts and options.folder.exists():
            for name, path, tokens, samples in kept(options.folder, work):
                if not options.only or name in options.only.split(","):
                    run.tokenizer(name, path, TextMaker(f"{options.seed} {name}", tokens, samples), options.texts)
                    print(f"{name}: {run.texts} texts so far, {run.differences} differences", flush=True)
        for number in range(options.made):
            seed = f"{options.seed} made {number}"
            path = work / "made.json"
            made, tokens = made_tokenizer(seed)
            path.write_text(json.dumps(made))
            before = run.differences
            run.tokenizer(f"made-{options.seed}-{number}", path, TextMaker(seed, tokens, []), options.made_texts)
            if run.differences > before and options.keep:
                (options.keep / f"made-{options.seed}-{number}.json").write_text(path.read_text())
    print(f"texts {run.texts}  differences {run.differences}  refused {run.refused}")
    return 1 if run.differences else 0


if __name__ == "__main__":
    sys.exit(main())
