#!/usr/bin/env python3
"""Renders random templates with Jinja2 and with kvgate and compares: texts to the byte, and what is an error.

usage: jinja_diff.py TOOL [--seed N] [--count N] [--templates DIR]
TOOL is build/test/tests/template_tool; needs jinja2 3.1 (pip). With --templates the files of a folder are rendered with
random chats instead of random templates. Ends with 1 at a difference, and prints the template that made it.
"""

import argparse
import collections
import glob
import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import jinja_environment  # noqa: E402
import template_grammar  # noqa: E402


class Tool:
    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, template, inputs):
        line = json.dumps({"template": template, "inputs": inputs}, ensure_ascii=False)
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the tool died of {template!r} with {inputs!r}")
        return json.loads(answer)


def python_renders(env, source, inputs):
    """(compile error, results): each a text or an exception."""
    try:
        template = env.from_string(source)
    except RecursionError:
        raise
    except Exception as error:
        return error, []
    results = []
    for values in inputs:
        try:
            text = template.render(**values)
            text.encode()
            results.append(text)
        except Exception as error:
            results.append(error)
    return None, results


class Comparison:
    def __init__(self, verbose):
        self.counts = collections.Counter()
        self.messages = collections.Counter()
        self.unsupported = collections.Counter()
        self.verbose = verbose

    def compare(self, source, expected, answer):
        """None, or what is different."""
        compile_error, results = expected
        if "compile_error" in answer:
            error = answer["compile_error"]
            if error["failure"] == "unsupported":
                self.unsupported[error["message"]] += 1
                return None
            self.counts["not compiled"] += 1
            return None if compile_error is not None else f"does not compile: {error}"
        if compile_error is not None:
            return f"compiles, but Python says {compile_error!r}"
        for index, (want, got) in enumerate(zip(results, answer["results"])):
            difference = self.compare_one(want, got)
            if difference:
                return f"input {index}: {difference}"
        return None

    def compare_one(self, want, got):
        error = got.get("error")
        if error and error["failure"] in ("unsupported", "limit_reached"):
            self.unsupported[error["message"]] += 1
            return None
        if isinstance(want, Exception):
            self.counts["errors"] += 1
            if not error:
                return f"renders {got['text']!r}, but Python raises {want!r}"
            if str(want) != error["message"]:
                self.messages[(type(want).__name__, str(want)[:70], error["message"][:70])] += 1
            return None
        if " at 0x" in want:  # an address, which kvgate refuses to show
            return None
        self.counts["texts"] += 1
        if error:
            return f"raises {error}, but Python renders {want!r}"
        return None if got["text"] == want else f"renders\n  {got['text']!r}\nnot\n  {want!r}"


def cases_from_grammar(rng, _templates):
    grammar = rng.choice([template_grammar.Grammar, template_grammar.TypedGrammar, template_grammar.TypedGrammar])(rng)
    source = grammar.block(3) if rng.random() < 0.6 else grammar.output(4)
    return source, [template_grammar.random_globals(rng) for _ in range(2)]


def random_chat(rng):
    def content():
        text = rng.choice(template_grammar.TEXTS)
        return rng.choice([text, text, text, None, "", [{"type": "text", "text": text}], [{"type": "image"}]])

    def call():
        return {"id": rng.choice(["call_1", "abcdefghi"]), "type": "function", "function": {"name": "f", "arguments": template_grammar.random_value(rng, 3)}}

    messages = []
    for turn in range(rng.randrange(6)):
        message = {"role": rng.choice(["user", "assistant", "tool", "system"]) if rng.random() < 0.4 else ["user", "assistant"][turn % 2], "content": content()}
        if rng.random() < 0.2:
            message["tool_calls"] = [call() for _ in range(rng.randrange(1, 3))]
        if rng.random() < 0.2:
            message["reasoning_content"] = rng.choice(template_grammar.TEXTS)
        if rng.random() < 0.2:
            message["tool_call_id"] = message["name"] = "call_1"
        messages.append(message)
    tool = {"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object", "properties": template_grammar.random_value(rng, 3), "required": ["a"]}}}
    chat = {"messages": messages, "tools": rng.choice([None, [], [tool], [tool, tool]]), "add_generation_prompt": rng.random() < 0.7, "bos_token": "<s>", "eos_token": "</s>"}
    for option in ("enable_thinking", "thinking", "documents", "custom_tools", "date_string", "reasoning_effort", "system_prompt"):
        if rng.random() < 0.2:
            chat[option] = rng.choice([True, False, None, "low", "high", [], ["x"]])
    return chat


def mutated(rng, source):
    """The template with one small piece gone or doubled: odd, and still mostly valid."""
    if rng.random() < 0.5:
        return source
    at = rng.randrange(len(source))
    end = min(len(source), at + rng.randrange(1, 12))
    return source[:at] + rng.choice(["", source[at:end] * 2, "-", " ", "\n"]) + source[end:]


def cases_from_files(rng, templates):
    return mutated(rng, rng.choice(templates)), [random_chat(rng) for _ in range(4)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--templates")
    parser.add_argument("--keep-going", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    templates = [open(f, newline="").read() for f in sorted(glob.glob((options.templates or "") + "/*.jinja"))]
    make = cases_from_files if options.templates else cases_from_grammar
    env = jinja_environment.environment()
    tool = Tool(options.tool)
    comparison = Comparison(options.verbose)
    different = 0
    for number in range(options.count):
        rng = random.Random(f"{options.seed}/{number}")
        source, inputs = make(rng, templates)
        if options.templates and rng.random() < 0.1:
            env.cache.clear()
        try:
            expected = python_renders(env, source, inputs)
        except RecursionError:
            continue
        difference = comparison.compare(source, expected, tool.ask(source, inputs))
        if difference:
            different += 1
            print(f"case {number} of seed {options.seed}: {difference}\ntemplate: {source[:1500]!r}")
            if options.verbose:
                print("inputs:", json.dumps(inputs, ensure_ascii=False))
            if not options.keep_going:
                return 1
    print(f"{options.count} templates, {different} different;", dict(comparison.counts))
    if options.verbose:
        for kind, counter in (("unsupported", comparison.unsupported), ("other message", comparison.messages)):
            for what, count in counter.most_common(40):
                print(f"{kind}: {count} {what}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
