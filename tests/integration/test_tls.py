"""Engines behind https: the same bytes, certificates checked."""

import shutil
import socket
import ssl
import subprocess
import threading

import pytest
from support.check import is_error
from support.client import complete, get
from support.engine import delta, stream_head
from support.http_message import chunk
from support.timing import eventually

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="no openssl command to make a certificate")


@pytest.fixture(scope="module")
def identity(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    key, cert = folder / "key.pem", folder / "cert.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days", "2"]
        + ["-subj", "/CN=engine", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"],
        check=True,
        capture_output=True,
    )
    return key, cert


class TlsFront:
    """Ends TLS in front of a FakeEngine."""

    def __init__(self, engine, identity):
        key, cert = identity
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cert, key)
        self.engine_port = int(engine.url.rsplit(":", 1)[1])
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.context = context
        self.closed = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                plain, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(plain,), daemon=True).start()

    def _serve(self, plain):
        try:
            client = self.context.wrap_socket(plain, server_side=True)
        except (OSError, ssl.SSLError):
            return
        engine = socket.create_connection(("127.0.0.1", self.engine_port))
        up = threading.Thread(target=self._pump, args=(client, engine), daemon=True)
        up.start()
        self._pump(engine, client)
        up.join()
        self.closed.append(True)

    @staticmethod
    def _pump(source, target):
        try:
            while data := source.recv(1 << 16):
                target.sendall(data)
        except (OSError, ssl.SSLError):
            pass
        for sock in (source, target):
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def stop(self):
        self.listener.close()


@pytest.fixture
def front(make_engine, identity):
    engine = make_engine("B1")
    front = TlsFront(engine, identity)
    front.engine = engine
    engine.authority_sent = f"127.0.0.1:{front.port}"
    yield front
    front.stop()


def ready(gate):
    eventually(lambda: get(gate.port, "/ready").status == 200)
    return gate


def test_requests_and_answers_of_every_size_pass(make_gate, front, identity):
    gate = ready(make_gate(f"https://127.0.0.1:{front.port}", config={"engine": {"tls": {"ca_file": str(identity[1])}}}))
    for size in (10, 1000, 20_000, 300_000, 3_000_000):
        assert complete(gate.port, pad="x" * size).status == 200
        assert len(front.engine.requests[-1].body) > size
    big = b"y" * 2_000_000
    front.engine.script = lambda request, conn: conn.send(
        b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(big) + big
    )
    assert complete(gate.port).body == big


def test_streams_pass_event_by_event(make_gate, front, identity, connect):
    permit = threading.Event()

    def script(request, conn):
        conn.send(stream_head())
        conn.send(chunk(delta("first")))
        permit.wait(10)
        conn.send(chunk(delta("second")) + b"0\r\n\r\n")

    front.engine.script = script
    gate = ready(make_gate(f"https://127.0.0.1:{front.port}", config={"engine": {"tls": {"ca_file": str(identity[1])}}}))
    client = connect(gate)
    client.send(client.encode("POST", "/v1/completions", {"model": "m", "prompt": "hi", "stream": True}))
    answer = client.read_head()
    client.read_until(answer, b"first")
    permit.set()
    assert client.finish(answer).complete


def test_a_client_that_leaves_ends_the_tls_connection(make_gate, front, identity, connect):
    front.engine.script = lambda request, conn: conn.hold()
    gate = ready(make_gate(f"https://127.0.0.1:{front.port}", config={"engine": {"tls": {"ca_file": str(identity[1])}}}))
    client = connect(gate)
    client.send(client.encode("POST", "/v1/completions", {"model": "m", "prompt": "hi"}))
    eventually(lambda: front.engine.used_connections())
    client.close()
    eventually(lambda: all(conn.closed_at for conn in front.engine.used_connections()), 2)


def test_a_certificate_that_nobody_vouches_for_is_refused(make_gate, front):
    gate = make_gate(f"https://127.0.0.1:{front.port}", config={"models": {"known": ["m"]}}, wait_ready=False)
    eventually(lambda: "probe_failed" in "".join(gate.logs))
    is_error(complete(gate.port), 503)
    assert not front.engine.requests


def test_the_check_can_be_switched_off(make_gate, front):
    gate = ready(make_gate(f"https://127.0.0.1:{front.port}", config={"engine": {"tls": {"insecure_skip_verify": True}}}))
    assert complete(gate.port).status == 200
