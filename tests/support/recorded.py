"""Exchanges recorded from a real vLLM, as bytes: NAME.req and NAME.resp side by side."""

import json
from dataclasses import dataclass
from functools import cached_property

from .gate import ROOT
from .http_message import BodyDecoder, parse_head, response_framing

DATA = ROOT.parent / "shared" / "data" / "vllm-http"


@dataclass(frozen=True)
class Exchange:
    """`name` is the path below DATA without suffix: chat, auth/overload_0, pooling/embeddings."""

    name: str

    @cached_property
    def request(self):
        return (DATA / f"{self.name}.req").read_bytes()

    @cached_property
    def response(self):
        return (DATA / f"{self.name}.resp").read_bytes()

    @cached_property
    def head(self):
        return parse_head(self.request.partition(b"\r\n\r\n")[0] + b"\r\n\r\n")

    @property
    def method(self):
        return self.head.start.split(" ")[0]

    @property
    def path(self):
        return self.head.start.split(" ")[1].partition("?")[0]

    @property
    def body(self):
        return self.request.partition(b"\r\n\r\n")[2]

    @property
    def model(self):
        """The model that the request names; None without one."""
        try:
            return json.loads(self.body).get("model")
        except ValueError:
            return None

    def answer(self):
        """(head, decoder) of the recorded response; decoder.done is False where the recording was cut off."""
        raw, _, rest = self.response.partition(b"\r\n\r\n")
        head = parse_head(raw + b"\r\n\r\n")
        decoder = BodyDecoder(response_framing(head, self.method))
        decoder.feed(rest)
        return head, decoder


def exchanges():
    """All of them in order; empty when the recordings are not there."""
    return (
        [Exchange(str(path.relative_to(DATA).with_suffix(""))) for path in sorted(DATA.rglob("*.req"))]
        if DATA.is_dir()
        else []
    )
