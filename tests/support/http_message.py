"""HTTP/1.1 messages as bytes, shared by the scripted engine and the raw client.

Strict on purpose: whatever two parsers could read differently raises Malformed, so that a test fails where a lenient
library would hide it.
"""

import json
import re
from dataclasses import dataclass

TOKEN = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z")
HEX = re.compile(rb"[0-9A-Fa-f]{1,15}\Z")


class Malformed(Exception):
    """The peer sent what no HTTP/1.1 peer may send."""


@dataclass
class Head:
    """Start line and header fields in their order; `raw` includes the empty line."""

    start: str
    fields: list
    raw: bytes

    def all(self, name):
        return [value for key, value in self.fields if key.lower() == name.lower()]

    def get(self, name, default=None):
        values = self.all(name)
        return values[0] if values else default

    def __contains__(self, name):
        return bool(self.all(name))


def parse_field(line):
    name, colon, value = line.partition(b":")
    if not colon or not TOKEN.match(name):
        raise Malformed(f"field line {line!r}")
    return name.decode("latin-1"), value.strip(b" \t").decode("latin-1")


def parse_head(raw):
    lines = raw[:-4].split(b"\r\n")
    for line in lines:
        if re.search(rb"[\r\n\0]", line) or (line[:1] in (b" ", b"\t")):
            raise Malformed(f"line {line!r}")
    return Head(lines[0].decode("latin-1"), [parse_field(line) for line in lines[1:]], raw)


@dataclass
class Framing:
    """How the end of a body is found: none, sized, chunked or close."""

    kind: str
    length: int = 0


def _length_of(head):
    values = head.all("content-length")
    if len(values) != 1 or not re.fullmatch(r"[0-9]{1,18}", values[0]):
        raise Malformed(f"Content-Length {values!r}")
    return int(values[0])


def _coded(head):
    codings = head.all("transfer-encoding")
    if codings and ("content-length" in head or [coding.lower() for coding in codings] != ["chunked"]):
        raise Malformed(f"Transfer-Encoding {codings!r} with Content-Length {head.all('content-length')!r}")
    return bool(codings)


def request_framing(head):
    if _coded(head):
        return Framing("chunked")
    if "content-length" in head:
        return Framing("sized", _length_of(head))
    return Framing("none")


def response_framing(head, method):
    status = int(head.start.split(" ")[1])
    if method == "HEAD" or status in (204, 304) or status < 200:
        return Framing("none")
    if _coded(head):
        return Framing("chunked")
    if "content-length" in head:
        return Framing("sized", _length_of(head))
    return Framing("close")


class BodyDecoder:
    """Takes bytes as they come. `raw` is the body with its chunk framing, `body` without; `done` once the end was seen.

    `pending` is the beginning of a chunk or chunk line that has not come to its end.
    """

    def __init__(self, framing):
        self.framing = framing
        self.raw = bytearray()
        self.body = bytearray()
        self.chunks = []
        self.trailers = []
        self.pending = bytearray()
        self._want = framing.length
        self._step = self._size_line
        self.done = framing.kind == "none" or (framing.kind == "sized" and framing.length == 0)

    def feed(self, data):
        """Returns what follows the end of the body; b"" while the body goes on."""
        if self.done:
            return data
        return getattr(self, "_feed_" + self.framing.kind)(data)

    def _feed_close(self, data):
        self.raw += data
        self.body += data
        return b""

    def _feed_sized(self, data):
        taken, rest = data[: self._want], data[self._want :]
        self._want -= len(taken)
        self.raw += taken
        self.body += taken
        self.done = self._want == 0
        return rest

    def _feed_chunked(self, data):
        self.pending += data
        while not self.done and self._step():
            pass
        if not self.done:
            return b""
        rest, self.pending = bytes(self.pending), bytearray()
        return rest

    def _take(self, count):
        taken = bytes(self.pending[:count])
        del self.pending[:count]
        self.raw += taken
        return taken

    def _line(self):
        end = self.pending.find(b"\r\n")
        if end < 0:
            return None
        line = self._take(end + 2)[:-2]
        if b"\n" in line or b"\r" in line:
            raise Malformed(f"chunk line {line!r}")
        return line

    def _size_line(self):
        line = self._line()
        if line is None:
            return False
        size = line.split(b";")[0]
        if not HEX.match(size):
            raise Malformed(f"chunk size {line!r}")
        self._want = int(size, 16)
        self._step = self._chunk_data if self._want else self._trailer_line
        return True

    def _chunk_data(self):
        if len(self.pending) < self._want + 2:
            return False
        data = self._take(self._want + 2)
        if data[-2:] != b"\r\n":
            raise Malformed(f"chunk of {self._want} bytes ends with {data[-2:]!r}")
        self.chunks.append(data[:-2])
        self.body += data[:-2]
        self._step = self._size_line
        return True

    def _trailer_line(self):
        line = self._line()
        if line is None:
            return False
        if line:
            self.trailers.append(parse_field(line))
        self.done = not line
        return True


def chunked(data, size=None):
    """`data` in chunks of `size` bytes (one chunk when None), with the last chunk."""
    step = size or max(len(data), 1)
    pieces = [data[i : i + step] for i in range(0, len(data), step)]
    return b"".join(chunk(piece) for piece in pieces) + LAST_CHUNK


def chunk(data):
    return b"%x\r\n%b\r\n" % (len(data), data)


LAST_CHUNK = b"0\r\n\r\n"


def encode_head(start, fields=()):
    lines = [start] + [f"{name}: {value}" for name, value in _pairs(fields)]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"


def _pairs(fields):
    return fields.items() if isinstance(fields, dict) else fields


def to_bytes(body):
    """JSON for dicts and lists; text as UTF-8; bytes as they are."""
    if isinstance(body, bytes):
        return body
    return body.encode() if isinstance(body, str) else json.dumps(body).encode()


def event(data, name=None):
    """One server-sent event."""
    text = data if isinstance(data, str) else json.dumps(data)
    return ((f"event: {name}\n" if name else "") + f"data: {text}\n\n").encode()


DONE = event("[DONE]")


def events_of(body):
    """The events of an SSE body as (name, data text)."""
    out = []
    for block in body.decode("utf-8", "replace").split("\n\n"):
        lines = [line for line in block.split("\n") if line]
        name = next((line[7:] for line in lines if line.startswith("event: ")), None)
        data = "\n".join(line[6:] for line in lines if line.startswith("data: "))
        if lines:
            out.append((name, data))
    return out
