#!/usr/bin/env python3
"""How policies do on traffic and fleets out of the ordinary, side by side over the same simulated engines.

usage: shapes.py [--gate build/release/kvgate] [--engine PATH/mockllm] [--shapes a,b] [--policies a,b] [--seconds 8]
needs aiohttp. Without --engine the engines are `kvgate sim`; mockllm is another simulator, see its own usage.

Each line is one policy on one shape: requests that failed, share of prompt blocks that engines had cached (0 where the
engine does not tell), time to the first token, and requests by engine. Arrivals do not wait for answers, and every
policy gets the same ones.
"""

import argparse
import asyncio
import json
import random
import socket
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp

ROOT = Path(__file__).resolve().parents[1]
PREFILL_US, CACHE_BLOCKS = 800, 3000


@dataclass
class Shape:
    plan: list  # (seconds from the start, messages)
    engines: int = 4
    slow: dict = field(default_factory=dict)  # engine -> how many times slower it computes
    cache_blocks: int = CACHE_BLOCKS
    restart: tuple = ()  # (seconds from the start, engine)


def words(rng, size):
    out, length = [], 0
    while length < size:
        out.append("".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 9))))
        length += len(out[-1]) + 1
    return " ".join(out)


def user(text):
    return [{"role": "user", "content": text}]


def chats(seconds, rate, seed=11):
    """Chats of several turns over six system prompts; `rate` turns a second."""
    rng = random.Random(seed)
    systems = [words(rng, rng.randint(2000, 8000)) for _ in range(6)]
    start, out = 0.0, []
    while start < seconds:
        start += rng.expovariate(rate / 5)
        messages, at = [{"role": "system", "content": rng.choice(systems)}], start
        for _ in range(rng.randint(2, 8)):
            messages = messages + user(words(rng, rng.randint(200, 2500)))
            out.append((at, messages))
            messages = messages + [{"role": "assistant", "content": words(rng, rng.randint(200, 1200))}]
            at += 1 + rng.expovariate(0.7)
    return sorted((turn for turn in out if turn[0] < seconds), key=lambda turn: turn[0])


def bursts(seconds):
    """A hundred equal prompts at once, another prompt every second."""
    rng = random.Random(3)
    out = []
    for second in range(int(seconds)):
        text = words(rng, 8000)
        out += [(second + i * 1e-5, user(text)) for i in range(100)]
    return out


def short(seconds, rate=300):
    rng = random.Random(4)
    return [(i / rate, user(words(rng, 200))) for i in range(int(seconds * rate))]


def late(seconds, rate=12):
    """Long prompts that are equal in their first 100 KiB."""
    rng = random.Random(5)
    shared = words(rng, 100 << 10)
    return [(i / rate, user(shared + words(rng, rng.randint(1000, 6000)))) for i in range(int(seconds * rate))]


SHAPES = {
    "engines-2": lambda s: Shape(chats(s, 30), 2),
    "engines-8": lambda s: Shape(chats(s, 120), 8),
    "engines-32": lambda s: Shape(chats(s, 200), 32),
    "half-speed": lambda s: Shape(chats(s, 50), slow={0: 2}),
    "bursts": lambda s: Shape(bursts(s)),
    "short": lambda s: Shape(short(s)),
    "restart": lambda s: Shape(chats(s, 60), restart=(s / 2, 0)),
    "small-caches": lambda s: Shape(chats(s, 40), cache_blocks=CACHE_BLOCKS // 10),
    "late": lambda s: Shape(late(s), cache_blocks=2 * CACHE_BLOCKS),
}


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Fleet:
    """The engines of one shape and the gate in front of them."""

    def __init__(self, args, shape, policy):
        self.args, self.shape = args, shape
        self.gate_port, *self.ports = free_ports(shape.engines + 1)
        self.engines = [self.start_engine(i) for i in range(shape.engines)]
        urls = ",".join(f"http://127.0.0.1:{port}" for port in self.ports)
        command = [args.gate, "--port", str(self.gate_port), "--engines", urls, "--policy", policy]
        self.gate = subprocess.Popen([*command, "--debug-headers"], stdout=subprocess.DEVNULL)

    def start_engine(self, i):
        pace, port = PREFILL_US * self.shape.slow.get(i, 1), str(self.ports[i])
        if self.args.engine:
            options = {"itl_us": 8000, "prefill_us_per_block": pace, "cache_blocks": self.shape.cache_blocks, "slots": 24}
            command = [self.args.engine, port, f"name=e{i}", *(f"{key}={value}" for key, value in options.items())]
        else:
            command = [self.args.gate, "sim", "--port", port, "--model", "m", "--itl-ms", "8"]
            command += ["--ttft-ms", "0.5", "--prefill-us-per-block", str(pace), "--block-size", "16"]
            command += ["--num-gpu-blocks", str(self.shape.cache_blocks)]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL)

    async def restart_engine(self, session, started):
        if not self.shape.restart:
            return
        at, which = self.shape.restart
        await asyncio.sleep(max(0, started + at - time.perf_counter()))
        self.engines[which].kill()
        self.engines[which].wait()
        self.engines[which] = self.start_engine(which)

    def stop(self):
        for process in [self.gate, *self.engines]:
            process.terminate()
        for process in [self.gate, *self.engines]:
            process.wait(15)


async def ask(session, url, messages):
    """Status, seconds to the first token, engine, (prompt tokens, cached tokens)."""
    body = {"model": "m", "stream": True, "max_tokens": 24, "messages": messages}
    body["stream_options"] = {"include_usage": True}
    began, first, tail = time.perf_counter(), None, b""
    try:
        async with session.post(url, data=json.dumps(body), headers={"content-type": "application/json"}) as answer:
            async for piece in answer.content.iter_any():
                first = first or time.perf_counter() - began
                tail = (tail + piece)[-2000:]
            return answer.status, first or 99, answer.headers.get("x-kvgate-engine"), usage_in(tail)
    except (aiohttp.ClientError, TimeoutError):
        return 599, 99, None, (0, 0)


def usage_in(tail):
    for line in reversed(tail.decode(errors="replace").splitlines()):
        if line.startswith("data: {") and '"usage":{' in line:
            usage = json.loads(line[6:])["usage"]
            return usage["prompt_tokens"], (usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0)
    return 0, 0


async def ready(session, url):
    for _ in range(200):
        if (await ask(session, url, user("are you there")))[0] == 200:
            return
        await asyncio.sleep(0.1)
    sys.exit("the gate does not answer")


async def run(args, shape, policy):
    fleet = Fleet(args, shape, policy)
    url = f"http://127.0.0.1:{fleet.gate_port}/v1/chat/completions"
    connector, timeout = aiohttp.TCPConnector(limit=0), aiohttp.ClientTimeout(total=120)
    try:
        async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:
            await ready(session, url)
            await asyncio.sleep(1)
            started = time.perf_counter() + 0.3

            async def one(at, messages):
                await asyncio.sleep(max(0, started + at - time.perf_counter()))
                return await ask(session, url, messages)

            restart = asyncio.create_task(fleet.restart_engine(session, started))
            answers = await asyncio.gather(*(one(*turn) for turn in shape.plan))
            await restart
            return answers, fleet.ports
    finally:
        fleet.stop()


def report(name, policy, answers, ports):
    good = [a for a in answers if a[0] == 200]
    ttft = sorted(a[1] for a in good) or [99]
    prompt, cached = (sum(a[3][i] for a in good) for i in (0, 1))
    spread = [sum(1 for a in good if a[2] and a[2].rstrip("/").endswith(f":{port}")) for port in ports]
    at = lambda share: ttft[min(len(ttft) - 1, int(share * len(ttft)))]
    print(
        f"{name:13} {policy:24} n {len(answers):5} bad {len(answers) - len(good):3} hit {cached / max(prompt, 1):.3f}"
        f"  TTFT mean {statistics.mean(ttft):7.3f} p50 {at(0.5):7.3f} p99 {at(0.99):7.3f} s"
        f"  least {min(spread)} most {max(spread)} {spread if len(spread) <= 8 else ''}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gate", default=str(ROOT / "build/release/kvgate"))
    parser.add_argument("--engine")
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--policies", default="session,prefix_affinity;least_loaded;round_robin", help="separated by ;")
    parser.add_argument("--seconds", type=float, default=8)
    args = parser.parse_args()
    for name in args.shapes.split(","):
        shape = SHAPES[name](args.seconds)
        for policy in args.policies.split(";"):
            answers, ports = asyncio.run(run(args, shape, policy))
            report(name, policy, answers, ports)


if __name__ == "__main__":
    main()
