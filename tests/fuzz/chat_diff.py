#!/usr/bin/env python3
"""Random requests to vLLM's own request code and to `kvgate tokenize`: the texts and ids must be equal, and so must be
which requests are refused.

usage: chat_diff.py --python PYTHON [--kvgate BINARY] [--count N] [--seed N] [--api NAME ...] FOLDER ...
PYTHON is that of an environment with vLLM (scripts/test-vllm makes one), FOLDER a model's. What kvgate cannot tell is
counted. Ends with 1 at a difference, and prints the request that made it.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "vllm"))

import random_requests  # noqa: E402

NOW = "2025-03-09T14:05:07"
SHOWN = 3


def answers_of(command, lines):
    done = subprocess.run(command, input="".join(line + "\n" for line in lines).encode(), stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=True)
    answers = [json.loads(line) for line in done.stdout.decode().split("\n") if line]
    if len(answers) != len(lines):
        raise RuntimeError(f"{len(answers)} answers to {len(lines)} lines from {command}")
    return answers


def agree(theirs, ours):
    if "error" in theirs or "error" in ours:
        return "error" in theirs and "error" in ours
    return theirs["rendered"] == ours["rendered"] and theirs["ids"] == ours["ids"]


def compare(options, folder, api):
    rng = random.Random(f"{options.seed} {api}")
    requests = [random_requests.MAKERS[api](rng) for _ in range(options.count)]
    kvgate = [options.kvgate, "tokenize", "--tokenizer", folder, "--api", api, "--now", NOW]
    ours = answers_of(kvgate, [json.dumps(request) for request in requests])
    oracle = [options.python, str(ROOT / "tests" / "vllm" / "oracle.py"), folder]
    theirs = answers_of(oracle, [json.dumps({"api": api, "request": request}) for request in requests])
    refused = sum("error" in answer for answer in theirs)
    unknown = sum("unknown" in answer for answer in ours)
    wrong = [at for at in range(options.count) if "unknown" not in ours[at] and not agree(theirs[at], ours[at])]
    print(f"{folder} {api}: {len(wrong)} different of {options.count}, {refused} refused, {unknown} unknown", flush=True)
    for at in wrong[:SHOWN]:
        print(json.dumps(requests[at]), "vLLM  " + json.dumps(theirs[at]), "kvgate" + json.dumps(ours[at]), sep="\n")
    return len(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--python", required=True)
    parser.add_argument("--kvgate", default=str(ROOT / "build" / "test" / "kvgate"))
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--api", nargs="+", default=sorted(random_requests.MAKERS), choices=sorted(random_requests.MAKERS))
    parser.add_argument("folders", nargs="+")
    options = parser.parse_args()
    sys.exit(1 if sum(compare(options, folder, api) for folder in options.folders for api in options.api) else 0)


if __name__ == "__main__":
    main()
