"""A raw HTTP/1.1 client: sends exactly the bytes it is told, returns exactly the bytes that came."""

import json
import random
import select
import socket
import time

from .engine import reset_socket
from .http_message import BodyDecoder, chunked, encode_head, events_of, parse_head, response_framing, to_bytes
from .timing import scaled


class Closed(Exception):
    """The peer closed before a whole response head had come. `how` is 'fin' or 'rst', `data` what came before."""

    def __init__(self, how, data=b""):
        super().__init__(f"connection closed ({how}) after {data!r}")
        self.how, self.data = how, data


class Response:
    """One response. `raw_body` has the chunk framing, `body` not; `complete`: the body came to its proper end."""

    def __init__(self, head, decoder, interim=()):
        self.head, self.decoder, self.interim = head, decoder, list(interim)
        self.version, status, self.reason = (head.start.split(" ", 2) + [""])[:3]
        self.status = int(status)
        self.fields = head.fields
        self.closed = None  # 'fin' or 'rst' when the connection ended inside, or as the end of, the body

    raw_body = property(lambda self: bytes(self.decoder.raw + self.decoder.pending))
    body = property(lambda self: bytes(self.decoder.body))
    chunks = property(lambda self: self.decoder.chunks)
    trailers = property(lambda self: self.decoder.trailers)
    framing = property(lambda self: self.decoder.framing.kind)

    @property
    def complete(self):
        return self.decoder.done or (self.framing == "close" and self.closed == "fin")

    def get(self, name, default=None):
        return self.head.get(name, default)

    def json(self):
        return json.loads(self.body)

    @property
    def events(self):
        return events_of(self.body)

    def __repr__(self):
        return f"<{self.status} {self.fields} {self.body[:300]!r} complete={self.complete}>"


class Client:
    """One connection. Use as a context manager or close() it."""

    def __init__(self, port, host="127.0.0.1", timeout=10.0, receive_buffer=None):
        self.sock = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        if receive_buffer:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.timeout = scaled(timeout)
        self.sock.settimeout(self.timeout)
        self.sock.connect((host, port))
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""
        self.host = f"{host}:{port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # sending -------------------------------------------------------------------------------------------------

    def send(self, data):
        self.sock.sendall(data)

    def send_cut(self, data, seed=0, pieces=12):
        """Sends in up to `pieces` pieces cut at random, each pushed out by itself."""
        dice = random.Random(seed)
        cuts = sorted(dice.randrange(1, max(len(data), 2)) for _ in range(pieces - 1))
        for start, end in zip([0, *cuts], [*cuts, len(data)]):
            self.send(data[start:end])
            time.sleep(dice.choice((0, 0, 0.001)))  # pacing of the input, not a wait for anything

    def encode(self, method, target, body=None, fields=(), **options):
        return encode_request(self.host, method, target, body=body, fields=fields, **options)

    def request(self, method, target, body=None, fields=(), **options):
        """Sends one request and reads its response."""
        self.send(self.encode(method, target, body, fields, **options))
        return self.read_response(method)

    def post(self, target, body, fields=(), **options):
        return self.request("POST", target, body, fields, **options)

    def get(self, target, fields=()):
        return self.request("GET", target, fields=fields)

    # receiving -----------------------------------------------------------------------------------------------

    def read_response(self, method="POST"):
        return self.finish(self.read_head(method))

    def read_head(self, method="POST"):
        """Reads up to the end of the final head; interim 1xx responses are kept in `.interim`."""
        interim = []
        while True:
            head = self._head()
            status = int(head.start.split(" ")[1])
            if status >= 200 or status == 101:
                break
            interim.append(status)
        response = Response(head, BodyDecoder(response_framing(head, method)), interim)
        self.buffer = response.decoder.feed(self.buffer)
        return response

    def read_interim(self):
        """Reads one 1xx head and returns its status."""
        return int(self._head().start.split(" ")[1])

    def more(self, response, timeout=None):
        """Waits for the next bytes of the body; False at its end (complete or not)."""
        if response.decoder.done or response.closed:
            return False
        try:
            data = self._receive(timeout)
        except Closed as closed:
            response.closed = closed.how
            return False
        self.buffer = response.decoder.feed(data)
        return True

    def finish(self, response):
        while self.more(response):
            pass
        return response

    def read_until(self, response, text, timeout=None):
        """Reads on until the body contains `text`."""
        while text not in response.body:
            assert self.more(response, timeout), f"body ended without {text!r}: {response!r}"
        return response

    def closed(self, timeout=5.0):
        """How the peer ended it: 'fin', 'rst', or None if it has not within `timeout`. Drops what still comes."""
        limit = time.monotonic() + scaled(timeout)
        while time.monotonic() < limit:
            try:
                self._receive(limit - time.monotonic())
            except Closed as closed:
                return closed.how
            except TimeoutError:
                break
        return None

    def readable(self, timeout=0.0):
        """True when bytes (or a close) wait to be read."""
        return bool(self.buffer) or bool(select.select([self.sock], [], [], timeout)[0])

    # leaving -------------------------------------------------------------------------------------------------

    def half_close(self):
        self.sock.shutdown(socket.SHUT_WR)

    def close(self):
        self.sock.close()

    def reset(self):
        reset_socket(self.sock)

    # ------------------------------------------------------------------------------------------------------------

    def _head(self):
        while b"\r\n\r\n" not in self.buffer:
            try:
                self.buffer += self._receive()
            except Closed as closed:
                raise Closed(closed.how, self.buffer) from None
        raw, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        return parse_head(raw + b"\r\n\r\n")

    def _receive(self, timeout=None):
        self.sock.settimeout(self.timeout if timeout is None else max(timeout, 0.001))
        try:
            data = self.sock.recv(1 << 18)
        except ConnectionResetError:
            raise Closed("rst") from None
        finally:
            self.sock.settimeout(self.timeout)
        if not data:
            raise Closed("fin")
        return data


def encode_request(authority, method, target, body=None, fields=(), **options):
    """The bytes of a request.

    options: version; host, in place of `authority` (None: no Host field); chunks, the chunk size (then the framing is
    chunked); content_type (None: no such field).
    """
    own = [] if options.get("host", authority) is None else [("Host", options.get("host", authority))]
    data = b"" if body is None else to_bytes(body)
    given = {name.lower() for name, _ in (fields.items() if isinstance(fields, dict) else fields)}
    if body is not None and "content-type" not in given and options.get("content_type", "application/json"):
        own.append(("Content-Type", options.get("content_type", "application/json")))
    if options.get("chunks"):
        own.append(("Transfer-Encoding", "chunked"))
        data = chunked(data, options["chunks"])
    elif body is not None:
        own.append(("Content-Length", len(data)))
    more = list(fields.items()) if isinstance(fields, dict) else list(fields)
    return encode_head(f"{method} {target} {options.get('version', 'HTTP/1.1')}", own + more) + data


def ask(port, method, target, body=None, fields=(), **options):
    """One request on a connection of its own."""
    with Client(port, timeout=options.pop("timeout", 10.0)) as client:
        return client.request(method, target, body, fields, **options)


def post(port, target, body, fields=(), **options):
    return ask(port, "POST", target, body, fields, **options)


def get(port, target, fields=(), **options):
    return ask(port, "GET", target, None, fields, **options)


def complete(port, model="m", **more):
    """A plain completion."""
    fields = more.pop("fields", ())
    return post(port, "/v1/completions", {"model": model, "prompt": "hi", **more}, fields)
