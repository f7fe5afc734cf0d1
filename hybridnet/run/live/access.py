# SPDX-License-Identifier: MIT
"""Who may speak to the page: the gate before everything else that it serves.

A request is let through when all of this holds, and is refused with one sentence otherwise:

* Its Host header names the address that the page listens at. A name that an attacker's DNS points here does not
  (DNS rebinding).
* Where the browser says from which page it comes (Origin, Sec-Fetch-Site), that page is this one. Only the notebook
  that the user has named may show it inside its own page.
* It has the run's token: as a header (Authorization: Bearer), as the cookie of an earlier one, or in the link that
  hybridnet printed. The token that only reads gets no further than GET and HEAD.
* Its body is small, and not too many connections are open.
"""

from __future__ import annotations

import http.cookies
import ipaddress
import json
import secrets
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

__all__ = ["BODY_LIMIT", "Gate", "Tokens"]

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

BODY_LIMIT = 64 << 10
REQUESTS_AT_ONCE = 64
READING = frozenset({"GET", "HEAD"})

NOBODY = "'none'"  # as Content-Security-Policy writes it
_POLICY = (
    "default-src 'none'; script-src {scripts}; style-src 'self' 'unsafe-inline'; "
    "connect-src 'self'; img-src 'self' data:; frame-ancestors {frames}; base-uri 'none'; form-action 'none'"
)
_HEADERS = {
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
}

_WELCOME = """<!doctype html><meta charset="utf-8"><title>hybridnet</title>
<p>This is a page of hybridnet. Open the link that hybridnet printed: it has the token.</p>
"""


@dataclass(frozen=True)
class Tokens:
    """The secrets of one page: `full` may do everything, `reading` may look."""

    full: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    reading: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    def right_of(self, token: str) -> str | None:
        """ "full", "reading", or None: the token is neither."""
        given = token.encode()
        right = None
        for name, mine in (("full", self.full), ("reading", self.reading)):
            if secrets.compare_digest(given, mine.encode()):
                right = name
        return right


class Gate:
    """The ASGI application that stands before `app`.

    Args:
        hosts: what a Host header may say, such as ``127.0.0.1:8080``.
        any_address_at: of a page that listens at every address of its computer, the port: a Host header may then be any
            address with it, but still no other name.
        scripts: what a page may run beside the files of this server, as Content-Security-Policy writes it
            (``'sha256-…'``).
        body_limit: how many bytes a request may bring.
        frames: the origin that may show the page inside its own, such as ``http://localhost:8888``; None: nobody.
    """

    def __init__(
        self,
        app: App,
        tokens: Tokens,
        hosts: Iterable[str],
        cookie: str,
        any_address_at: int | None = None,
        scripts: Iterable[str] = (),
        body_limit: int = BODY_LIMIT,
        frames: str | None = None,
    ) -> None:
        self._body_limit = body_limit
        self._policy = _POLICY.format(scripts=" ".join(["'self'", *scripts]), frames=frames or NOBODY)
        self._app, self._tokens, self._cookie = app, tokens, cookie
        self._any_address_at = any_address_at
        self._hosts = frozenset(host.lower() for host in hosts)
        self._at_once = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return
        if self._at_once >= REQUESTS_AT_ONCE:
            await _refuse(scope, send, 503, "too many requests are open; try again later")
            return
        self._at_once += 1
        try:
            await self._let_in(scope, receive, send)
        finally:
            self._at_once -= 1

    async def _let_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = _headers(scope)
        if (why := self._wrong_origin(scope, headers)) is not None:
            await _refuse(scope, send, 403, why)
            return
        token, from_link = self._token(scope, headers)
        right = None if token is None else self._tokens.right_of(token)
        if right is None:
            await _refuse(
                scope, send, 401, "this needs the run's token; open the link that hybridnet printed"
            )
            return
        reads = scope["type"] == "http" and scope["method"] in READING
        if right != "full" and not reads:
            await _refuse(scope, send, 403, "this token only reads")
            return
        if scope["type"] == "http" and (why := _wrong_body(headers, self._body_limit)) is not None:
            await _refuse(scope, send, 413, why)
            return
        scope["state"] = {**scope.get("state", {}), "right": right}
        cookie = self._set_cookie(token) if from_link and scope["path"] == "/" else None
        await self._app(scope, _limited(receive, self._body_limit), _with_headers(send, self._policy, cookie))

    def _wrong_origin(self, scope: Scope, headers: dict[str, str]) -> str | None:
        """Why the request comes from elsewhere; None: it does not."""
        host = headers.get("host", "").lower()
        if host not in self._hosts and not self._is_address(host):
            return "this is not an address of the page"
        origin = headers.get("origin")
        if origin is not None and origin.lower() != f"http://{host}":
            return "another page may not send requests to this one"
        site = headers.get("sec-fetch-site", "none")
        opens = (
            headers.get("sec-fetch-mode") == "navigate"
            and scope.get("method") == "GET"
            and scope["path"] == "/"
        )
        if site not in ("same-origin", "none") and not opens:
            return "another page may not send requests to this one"
        return None

    def _is_address(self, host: str) -> bool:
        address, colon, port = host.rpartition(":")
        if self._any_address_at is None or not colon or port != str(self._any_address_at):
            return False
        try:
            ipaddress.ip_address(address.removeprefix("[").removesuffix("]"))
        except ValueError:
            return False
        return True

    def _token(self, scope: Scope, headers: dict[str, str]) -> tuple[str | None, bool]:
        """The token that a request brings, and whether it is in the link."""
        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            return given.strip(), False
        try:
            query = parse_qs(scope["query_string"].decode("latin-1"), max_num_fields=20)
        except ValueError:  # too many fields
            return None, False
        if "token" in query:
            return query["token"][0], True
        jar: http.cookies.SimpleCookie = http.cookies.SimpleCookie()
        try:
            jar.load(headers.get("cookie", ""))
        except http.cookies.CookieError:
            return None, False
        return (jar[self._cookie].value, False) if self._cookie in jar else (None, False)

    def _set_cookie(self, token: str | None) -> bytes:
        return f"{self._cookie}={token}; HttpOnly; SameSite=Strict; Path=/".encode()


def _headers(scope: Scope) -> dict[str, str]:
    """The headers; of one that comes twice, all its values, so that none of them slips by."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        found[key] = f"{found[key]}, {text}" if key in found else text
    return found


def _wrong_body(headers: dict[str, str], limit: int) -> str | None:
    length = headers.get("content-length", "0")
    if not length.isascii() or not length.isdecimal() or int(length[:12]) > limit:
        return f"a request has at most {limit} bytes"
    return None


class BodyTooLongError(Exception):
    """A body without a length turned out to be too long."""


def _limited(receive: Receive, limit: int) -> Receive:
    """The same, for a body that comes without a length: what is longer ends the request."""
    seen = 0

    async def limited() -> MutableMapping[str, Any]:
        nonlocal seen
        message = await receive()
        if message["type"] == "http.request":
            seen += len(message.get("body", b""))
            if seen > limit:
                raise BodyTooLongError(f"a request has at most {limit} bytes")
        return message

    return limited


def _with_headers(send: Send, policy: str, cookie: bytes | None = None) -> Send:
    headers = {**_HEADERS, "content-security-policy": policy}
    more = [(name.encode(), value.encode()) for name, value in headers.items()]
    if cookie is not None:
        more.append((b"set-cookie", cookie))

    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *more]}
        await send(message)

    return sending


async def _refuse(scope: Scope, send: Send, status: int, why: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 4000 + status, "reason": why})
        return
    page = status == 401 and scope["path"] == "/"
    body = _WELCOME.encode() if page else json.dumps({"error": why}).encode()
    kind = b"text/html; charset=utf-8" if page else b"application/json"
    sending = _with_headers(send, _POLICY.format(scripts=NOBODY, frames=NOBODY))
    start = {"type": "http.response.start", "status": status, "headers": [(b"content-type", kind)]}
    length = (b"content-length", str(len(body)).encode())
    leave = [(b"connection", b"close")] if status == 401 else []  # whoever has no token takes no place
    await sending({**start, "headers": [*start["headers"], length, *leave]})  # type: ignore[misc]
    await sending({"type": "http.response.body", "body": body})
