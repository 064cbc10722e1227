"""A scripted engine on raw sockets: logs what it was sent byte for byte, answers what the test's script says.

A script is `script(request, conn)`. It runs in the thread of its connection and writes raw bytes with conn.send();
when the peer goes away meanwhile, conn.send(), conn.pause() raise PeerGone, which ends the connection quietly.
"""

import json
import random
import select
import socket
import struct
import threading
import time

from .http_message import (
    DONE,
    LAST_CHUNK,
    BodyDecoder,
    Malformed,
    chunk,
    encode_head,
    event,
    parse_head,
    request_framing,
    to_bytes,
)

RDHUP = select.POLLRDHUP | select.POLLHUP | select.POLLERR
PROBES = ("/health", "/v1/models", "/metrics")
HOP_BY_HOP = (
    "upgrade",
    "te",
    "trailer",
    "proxy-connection",
    "proxy-authenticate",
    "proxy-authorization",
    "http2-settings",
    "expect",
    "keep-alive",
)


class PeerGone(Exception):
    """The gate closed the connection while the script was at work."""


class Request:
    """What the engine was sent, as bytes and taken apart. `body` is decoded, `raw` is everything as it came."""

    def __init__(self, head, conn, decoder):
        self.method, self.target, self.version = head.start.split(" ")
        self.head, self.conn_number, self.engine = head, conn.number, conn.engine.name
        self.framing = decoder.framing.kind
        self.trailers = decoder.trailers
        self.body = bytes(decoder.body)
        self.raw = head.raw + bytes(decoder.raw)
        self.time = time.monotonic()

    @property
    def path(self):
        return self.target.partition("?")[0]

    def json(self):
        return json.loads(self.body)

    @property
    def streams(self):
        try:
            return bool(self.json().get("stream"))
        except (ValueError, AttributeError, RecursionError):
            return False

    def __repr__(self):
        return f"<{self.engine} {self.method} {self.target} {len(self.body)} B>"


class Conn:
    """One connection from the gate. closed_at and closed_how ('fin', 'rst') tell when and how the gate left."""

    def __init__(self, engine, sock, number):
        self.engine, self.sock, self.number = engine, sock, number
        self.requests = 0
        self.closed_at = self.closed_how = None
        self.left = threading.Event()
        self.working = False  # a script is at work
        self._ours = False
        self._buffer = b""
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    # for scripts ---------------------------------------------------------------------------------------------

    def send(self, data):
        try:
            self.sock.sendall(data)
        except (BrokenPipeError, ConnectionResetError) as error:
            self._peer_left("rst")
            raise PeerGone from error

    def pause(self, seconds):
        """Waits, but not on when the gate leaves: that raises PeerGone."""
        if self.hold(seconds):
            raise PeerGone

    def hold(self, seconds=120.0):
        """Answers nothing until the gate closes the connection; True if it did, False after `seconds`."""
        poll = select.poll()
        poll.register(self.sock, RDHUP)
        if not poll.poll(seconds * 1000) or self._ours:
            return self._ours
        self._peer_left("rst" if self.sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) else "fin")
        return True

    def read_out(self):
        """Reads and drops all that comes until the gate leaves."""
        while self._receive():
            pass

    def close(self):
        """A clean FIN, nothing more is read or sent."""
        self._ours = True
        _quietly(self.sock.shutdown, socket.SHUT_RDWR)

    def reset(self):
        """RST at once, from whatever thread."""
        self._ours = True
        set_abortive(self.sock)
        _quietly(self.sock.shutdown, socket.SHUT_RD)  # wakes the connection's thread, which holds the socket in recv()
        _quietly(self.sock.close)

    def drip(self, pieces, interval):
        for piece in pieces:
            self.send(piece)
            self.pause(interval)

    # the connection's own thread -----------------------------------------------------------------------------

    def serve(self):
        try:
            while not self._ours and self._one_request():
                pass
        except PeerGone:
            pass
        except (Malformed, ValueError) as error:
            if not self._ours:
                self.engine.violations.append(f"connection {self.number}: {error}")
        except OSError as error:
            self._peer_left("rst" if isinstance(error, ConnectionResetError) else "error")
        except Exception as error:  # a defect of the script: the test must fail, not hang
            self.engine.violations.append(f"script failed: {error!r}")
        finally:
            self.finish()

    def finish(self):
        self._ours = True
        self.left.set()
        _quietly(self.sock.close)

    def _one_request(self):
        head = self._read_head()
        if head is None:
            return False
        if self.engine.on_head and self.engine.on_head(head, self):
            return False
        decoder = BodyDecoder(request_framing(head))
        self._buffer = decoder.feed(self._buffer)
        while not decoder.done:
            data = self._receive()
            if not data:
                return False
            self._buffer = decoder.feed(data)
        self.requests += 1
        self.engine.dispatch(Request(head, self, decoder), self)
        return True

    def _read_head(self):
        while b"\r\n\r\n" not in self._buffer:
            data = self._receive()
            if not data:
                return None
            self._buffer += data
        raw, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
        return parse_head(raw + b"\r\n\r\n")

    def _receive(self):
        if self._ours:
            return b""
        data = self.sock.recv(1 << 20)
        if self._ours:
            return b""
        if not data:
            self._peer_left("fin")
        self.engine.bytes_in += len(data)
        return data

    def _peer_left(self, how):
        if not self._ours and self.closed_at is None:
            self.closed_at, self.closed_how = time.monotonic(), how
            self.left.set()


class FakeEngine:
    """Listens on loopback until stop(). Attributes that tests set: script, on_head, models, health, metrics, key."""

    def __init__(self, name="B1", models=("m",), script=None, host="127.0.0.1"):
        self.name, self.host, self.port = name, host, 0
        self.models = list(models)
        self.script = script or completion
        self.on_head = None  # on_head(head, conn) -> true: the connection is done with, the body is never read
        self.health = 200
        self.metrics = '# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running{engine="0"} 0.0\n'
        self.probe_script = None  # probe_script(request, conn) -> true: answered
        self.requests, self.probes, self.connections, self.violations = [], [], [], []
        self.bytes_in = 0
        self.authority_sent = None  # where the configured URL spells the address in another way
        self._lock = threading.Lock()
        self.start()

    @property
    def authority(self):
        """What stands in its URL, and in the Host field of all that it is sent."""
        return self.authority_sent or f"{self.host}:{self.port}"

    @property
    def url(self):
        return f"http://{self.authority}"

    @property
    def alive(self):
        return self._listener is not None

    def start(self):
        """Listens (again, on the same port)."""
        self._listener = socket.socket(socket.AF_INET6 if ":" in self.host else socket.AF_INET)
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind((self.host, self.port))
        self._listener.listen(4096)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def stop(self, how="close"):
        """Refuses connections from now on and ends the open ones: how is 'close' (FIN) or 'reset' (RST)."""
        listener, self._listener = self._listener, None
        if listener:
            _quietly(listener.shutdown, socket.SHUT_RDWR)
            listener.close()
        for conn in self.open_connections():
            getattr(conn, how)()

    def open_connections(self):
        with self._lock:
            return [conn for conn in self.connections if not conn.left.is_set()]

    def busy_connections(self):
        """Open connections on which a script is at work."""
        return [conn for conn in self.open_connections() if conn.working]

    def used_connections(self):
        """Connections on which something other than a probe was asked, open or not."""
        used = {request.conn_number for request in list(self.requests)}
        with self._lock:
            return [conn for conn in self.connections if conn.number in used]

    def dispatch(self, request, conn):
        self.check(request)
        if request.path in PROBES and request.method == "GET":
            self.probes.append(request)
            self._answer_probe(request, conn)
        else:
            conn.working = True
            self.requests.append(request)
            self.script(request, conn)
            conn.working = False

    def check(self, request):
        """What holds for every request that the gate may send, whatever the client sent."""
        fields = request.head
        problems = [name for name in HOP_BY_HOP if name in fields]
        if fields.all("host") != [self.authority]:
            problems.append(f"Host {fields.all('host')}")
        if fields.get("connection", "keep-alive").lower() not in ("keep-alive", "close"):
            problems.append(f"Connection {fields.all('connection')}")
        if request.version != "HTTP/1.1":
            problems.append(request.version)
        if problems:
            self.violations.append(f"{request!r}: {problems}")

    def model_list(self):
        data = [model if isinstance(model, dict) else vllm_model(model) for model in self.models]
        return {"object": "list", "data": data}

    def _answer_probe(self, request, conn):
        if self.probe_script and self.probe_script(request, conn):
            return
        if request.path == "/health":
            conn.send(response(b"", status=self.health, content_type=None))
        elif request.path == "/v1/models":
            conn.send(response(self.model_list()))
        else:
            conn.send(response(self.metrics, content_type="text/plain; version=0.0.4; charset=utf-8"))

    def _accept(self, listener):
        while True:
            try:
                sock, _ = listener.accept()
            except OSError:
                return
            with self._lock:
                conn = Conn(self, sock, len(self.connections) + 1)
                self.connections.append(conn)
            threading.Thread(target=conn.serve, daemon=True).start()


def vllm_model(name, parent=None):
    return {
        "id": name,
        "object": "model",
        "created": 1796038800,
        "owned_by": "vllm",
        "root": name,
        "parent": parent,
        "max_model_len": 512,
        "permission": [{"id": "modelperm-1", "object": "model_permission"}],
    }


# answers ----------------------------------------------------------------------------------------------------

REASONS = {
    200: "OK",
    204: "No Content",
    304: "Not Modified",
    400: "Bad Request",
    401: "Unauthorized",
    404: "Not Found",
    429: "Too Many Requests",
    500: "Internal Server Error",
    503: "Service Unavailable",
}


def response(body=b"", status=200, fields=(), content_type="application/json"):
    """A sized answer; `body` as for to_bytes()."""
    data = to_bytes(body)
    own = [("content-type", content_type)] if content_type else []
    more = list(fields.items() if isinstance(fields, dict) else fields)
    return encode_head(_status_line(status), [*own, *more, ("content-length", len(data))]) + data


def stream_head(fields=(), content_type="text/event-stream; charset=utf-8"):
    return encode_head(_status_line(200), [("content-type", content_type), *fields, ("transfer-encoding", "chunked")])


def _status_line(status):
    return f"HTTP/1.1 {status} {REASONS.get(status, 'Status')}"


def delta(text, model="m", **more):
    choice = {"index": 0, "delta": {"content": text}, "text": text, "finish_reason": None}
    return event({"id": "cmpl-1", "object": "chat.completion.chunk", "model": model, "choices": [choice], **more})


def completion(request, conn):
    """The default: a fixed completion, streamed as vLLM does when the body asks for it."""
    mark = ("x-mock", conn.engine.name)
    if request.streams:
        conn.send(stream_head([mark]))
        for text in ("one", " two", " three"):
            conn.send(chunk(delta(text)))
        conn.send(chunk(DONE) + LAST_CHUNK)
    else:
        conn.send(response(completion_body(), fields=[mark]))


def completion_body():
    choice = {
        "index": 0,
        "text": "one two three",
        "message": {"role": "assistant", "content": "one two three"},
        "finish_reason": "stop",
    }
    return {
        "id": "cmpl-1",
        "object": "text_completion",
        "model": "m",
        "choices": [choice],
        "usage": {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8},
    }


def echo_head(request, conn):
    """Answers with the request as it was received: start line, fields, body digest."""
    fields = [[name, value] for name, value in request.head.fields]
    conn.send(
        response(
            {"start": request.head.start, "fields": fields, "bytes": len(request.body)},
            fields=[("x-mock", conn.engine.name)],
        )
    )


def silent(_request, conn):
    """Accepts the request and never answers."""
    conn.hold()


def answer(*args, **kwargs):
    """A script that gives one and the same sized answer."""
    return lambda request, conn: conn.send(response(*args, **kwargs))


def say(*steps):
    """A script from steps: bytes are sent, numbers are pauses in seconds, 'close', 'reset' and 'hold' are done."""

    def script(_request, conn):
        for step in steps:
            if isinstance(step, bytes):
                conn.send(step)
            elif isinstance(step, str):
                getattr(conn, step)()
            else:
                conn.pause(step)

    return script


def replay(raw, seed=0):
    """A script that sends recorded bytes with seeded random cuts and 1-ms pauses, and then closes."""

    def script(_request, conn):
        dice = random.Random(seed)
        rest, cuts = raw, 0
        while rest:
            size = dice.choice((1, 2, 3, 7, 40, 300, 5000)) if cuts < 40 else len(rest)
            conn.send(rest[:size])
            rest, cuts = rest[size:], cuts + 1
            if rest:
                conn.pause(0.001)
        conn.close()

    return script


class black_hole:
    """An address that swallows SYNs, at `url`: a listener whose backlog is full. A context manager."""

    def __enter__(self):
        self._sockets = [socket.socket()]
        self._sockets[0].bind(("127.0.0.1", 0))
        self._sockets[0].listen(0)
        address = self._sockets[0].getsockname()
        for _ in range(4):
            filler = socket.socket()
            filler.setblocking(False)
            filler.connect_ex(address)
            self._sockets.append(filler)
        self.url = f"http://127.0.0.1:{address[1]}"
        return self

    def __exit__(self, *_):
        for sock in self._sockets:
            sock.close()


def set_abortive(sock):
    """close() will send RST instead of FIN."""
    _quietly(sock.setsockopt, socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def reset_socket(sock):
    set_abortive(sock)
    _quietly(sock.close)


def _quietly(call, *args):
    try:
        call(*args)
    except OSError:
        pass
