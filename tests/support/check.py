"""Assertions that many tests share."""

import re

PRINTABLE = re.compile(r"[\x20-\x7e]{1,128}\Z")


def is_error(response, status, shape="openai", param=...):
    """An error of the gate itself: status, shape of the body, request id. Returns the error object."""
    assert response.status == status, response
    assert response.complete, response
    assert response.get("content-type", "").startswith("application/json"), response
    assert PRINTABLE.match(response.get("x-request-id", "")), response
    body = response.json()
    if shape == "anthropic":
        assert body.get("type") == "error" and isinstance(body["error"]["type"], str), response
    else:
        assert {"message", "type", "param", "code"} <= set(body["error"]), response
    assert isinstance(body["error"]["message"], str) and body["error"]["message"], response
    if param is not ...:
        assert body["error"]["param"] == param, response
    return body["error"]


def is_final_error(response, status, **more):
    """An error where repeating cannot help: SDKs are told so."""
    error = is_error(response, status, **more)
    assert response.get("x-should-retry") == "false", response
    return error


def served_by(response):
    assert response.status == 200, response
    return response.get("x-mock")


def aborted(response):
    """The body did not come to a clean end: a client can tell."""
    return response.framing == "chunked" and not response.complete


def no_invented_end(response):
    """Nothing that says 'this is the whole answer'."""
    return (
        b"[DONE]" not in response.body
        and b'"finish_reason": "stop"' not in response.body
        and b'"finish_reason":"stop"' not in response.body
    )
