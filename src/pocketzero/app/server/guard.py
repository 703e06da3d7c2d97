"""What stands before every request: whose it may be, how large, and which headers its answer carries.

A page of another site can make a browser send requests to this server. Such requests name that site in ``Origin``,
or, by a changed address of their own name, in ``Host``; both are refused.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

DRAIN_SECONDS, DRAIN_TIMES = 3.0, 20  # how long, and how many times the largest body, is read to be polite
LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
HEADERS = {
    "content-security-policy": "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
}


class TooLarge(Exception):
    """The body of a request is larger than allowed."""


def host_name(host: str) -> str:
    """The name in a Host header, without the port."""
    name, colon, port = host.strip().lower().rpartition(":")
    return name if colon and port.isdecimal() else host.strip().lower()


def site_of(origin: str) -> str:
    """Name and port in an Origin header; empty if it is no address."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


class Guard:
    """Wraps the application."""

    def __init__(self, app: App, *, hosts: Iterable[str], body_bytes: int) -> None:
        self._app = app
        self._hosts = LOOPBACK | {host.lower() for host in hosts}
        self._body_bytes = body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        if reason := self._refusal(headers):
            await self._refuse(scope, receive, send, 403, reason)
        elif (
            headers.get("content-length", "0").isdecimal() and int(headers.get("content-length", 0)) > self._body_bytes
        ):
            await self._refuse(scope, receive, send, 413, f"A request has at most {self._body_bytes} bytes.")
        elif scope["type"] == "websocket":
            await self._app(scope, receive, send)
        else:
            await self._serve(scope, receive, send)

    def _refusal(self, headers: dict[str, str]) -> str:
        """Why a request is refused, or an empty text."""
        host = headers.get("host", "")
        if host_name(host) not in self._hosts:
            return "This server answers only to its own name."
        origin = headers.get("origin")
        if origin is not None and site_of(origin) != host.strip().lower():
            return "Requests from other sites are refused."
        return ""

    async def _refuse(self, scope: Scope, receive: Receive, send: Send, status: int, reason: str) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": reason})
            return
        await self._drain(receive)
        body = json.dumps({"detail": reason}).encode()
        headers = {"content-type": "application/json", "content-length": str(len(body)), "connection": "close"}
        await send({"type": "http.response.start", "status": status, "headers": _raw({**HEADERS, **headers})})
        await send({"type": "http.response.body", "body": body})

    async def _drain(self, receive: Receive) -> None:
        """Read what is left of a body, within reason: who is cut off while sending does not see the answer."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_SECONDS):
                read = 0
                while read < DRAIN_TIMES * self._body_bytes:
                    message = await receive()
                    read += len(message.get("body", b""))
                    if not message.get("more_body"):
                        return

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count the body as it comes, and add the headers to the answer."""
        read, begun = 0, False

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self._body_bytes:
                raise TooLarge
            return message

        async def with_headers(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                if read > self._body_bytes:  # the framework has taken our refusal for a damaged body
                    message = {**message, "status": 413}
                present = {name for name, _ in message["headers"]}
                added = [pair for pair in _raw(HEADERS) if pair[0] not in present]
                message = {**message, "headers": [*message["headers"], *added]}
            await send(message)

        try:
            await self._app(scope, counted, with_headers)
        except TooLarge:
            if not begun:
                await self._refuse(scope, receive, send, 413, f"A request has at most {self._body_bytes} bytes.")


def _raw(headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
