# SPDX-License-Identifier: MIT
"""The page's server: the routes of `hybridnet.run.live.routes`, the static files, the events and the terminals.

It runs in a thread of the head, in an event loop of its own. What asks the network waits in other threads.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import ipaddress
import json
import logging
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Any

import uvicorn
from jsonschema_rs import validator_for
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, WebSocketRoute
from starlette.routing import Route as Served

from hybridnet.describe.schema.check import told
from hybridnet.describe.values import shown
from hybridnet.errors import HybridnetError, MachineError, UsageError
from hybridnet.run.live.access import BODY_LIMIT, REQUESTS_AT_ONCE, BodyTooLongError, Gate, Tokens
from hybridnet.run.live.callers import Caller
from hybridnet.run.live.control import Control
from hybridnet.run.live.files import Files
from hybridnet.run.live.network import UnknownNameError
from hybridnet.run.live.page_options import LOOPBACK
from hybridnet.run.live.response_schemas import ANSWERS, Schema
from hybridnet.run.live.routes import PREFIX, ROUTES, Route, openapi
from hybridnet.run.live.terminals import Terminals
from hybridnet.run.live.updates import Updates
from hybridnet.run.live.watching import Watcher
from hybridnet.system.process_limits import allow_open_files
from hybridnet.system.rootless import is_rootless, listen_outside

__all__ = ["Feed", "Server", "application", "application_of"]

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
KEEP_ALIVE_S = 15
HEADER_LIMIT = 16 << 10
START_SECONDS = 10.0
BACKLOG = 64


class Feed:
    """Wakes those who listen for updates, each in the event loop in which it waits."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}
        self.closed = False
        self.rings = 0  # so far

    def ring(self) -> None:
        """There is something new. From any thread."""
        with self._lock:
            self.rings += 1
            for news, loop in self._waiting.items():
                if not loop.is_closed():
                    loop.call_soon_threadsafe(news.set)

    def close(self) -> None:
        """There will be nothing new any more."""
        self.closed = True
        self.ring()

    async def wait(self, known: int | None = None) -> None:
        """Wait for news, or the end.

        Args:
            known: how often it had rung when the listener looked for the last time; None: it looks now.
        """
        news = asyncio.Event()
        with self._lock:
            if known is not None and known != self.rings:
                return
            self._waiting[news] = asyncio.get_running_loop()
        try:
            if not self.closed:
                await news.wait()
        finally:
            with self._lock:
                del self._waiting[news]

    async def until_closed(self) -> None:
        """Wait until there will be nothing new."""
        while not self.closed:
            await self.wait()


def application(
    control: Control,
    watcher: Watcher,
    feed: Feed,
    terminals: Terminals,
    files: Files,
    routes: Sequence[Route] = ROUTES,
    answers: Mapping[str, Schema] = ANSWERS,
) -> Starlette:
    """What stands behind the gate of a network's page."""
    others = [
        WebSocketRoute(f"{PREFIX}/nodes/{{node}}/terminal", terminals.serve),
        Served("/metrics", partial(_metrics, control, feed), methods=["GET"]),
    ]
    streams = {"events": partial(_events, watcher, feed)}
    return application_of(control, feed, files, routes, answers, streams=streams, others=others)


def application_of(
    control: object,
    feed: Feed,
    files: Files,
    routes: Sequence[Route],
    answers: Mapping[str, Schema],
    *,
    title: str = "a running network",
    streams: Mapping[str, Callable[[], AsyncIterator[str]]] | None = None,
    others: Sequence[BaseRoute] = (),
) -> Starlette:
    """What stands behind the gate of any page.

    Args:
        control: has the methods that routes name.
        title: of the OpenAPI document.
        streams: what the routes say that answer without an end, by their calls.
        others: what is served besides routes and files.
    """
    # Asked for when it is wanted: hybridnet may run without being installed, and has no version then.
    document = cache(lambda: openapi(importlib.metadata.version("hybridnet"), routes, answers, title))
    served: list[BaseRoute] = [
        Served(
            PREFIX + route.path,
            _endpoint(route, control, feed, document, streams or {}),
            methods=[route.method],
        )
        for route in routes
    ]
    served += others
    served.append(Served("/{name:path}", partial(_file, files), methods=["GET"]))
    return Starlette(
        routes=served,
        exception_handlers={404: _no_such_path, 405: _no_such_path, 500: _defect, Exception: _defect},
    )


def _endpoint(
    route: Route,
    control: object,
    feed: Feed,
    document: Callable[[], Schema],
    streams: Mapping[str, Callable[[], AsyncIterator[str]]],
) -> Callable[[Request], Any]:
    check = validator_for(route.body_schema)

    async def serve(request: Request) -> Response:
        if route.call in streams:
            return StreamingResponse(streams[route.call](), media_type=route.answer)
        if route.call == "openapi":
            return JSONResponse(document())
        try:
            arguments = {**request.path_params, **(await _body(request, check) if route.body else {})}
        except _WrongBodyError as wrong:
            return _error(wrong.status, str(wrong))
        except BodyTooLongError as error:
            return _error(413, str(error))
        except ClientDisconnect:
            return _error(400, "the request ended early")
        try:
            answer = await _answer(partial(getattr(control, route.call), **arguments), feed)
        except HybridnetError as error:
            return _error(status_of(error), str(error))
        if isinstance(answer, bytes):
            name = f'attachment; filename="{route.call.split("_")[0]}-{request.path_params["number"]}.pcap"'
            return Response(answer, media_type=route.answer, headers={"content-disposition": name})
        if route.call == "state":
            answer = {**answer, "right": request.state.right}
        return JSONResponse(answer)

    return serve


async def _answer(call: Callable[[], Any], feed: Feed) -> Any:
    """What a call returns, in a thread of its own. Raises as the call; MachineError: the page has ended meanwhile."""
    calling = asyncio.ensure_future(run_in_threadpool(call))
    ending = asyncio.ensure_future(feed.until_closed())
    await asyncio.wait((calling, ending), return_when=asyncio.FIRST_COMPLETED)
    ending.cancel()
    if calling.done():
        return calling.result()
    calling.add_done_callback(
        lambda late: late.cancelled() or late.exception()
    )  # nobody asks for it any more
    raise MachineError("the page, or its network, has ended before this was done")


class _WrongBodyError(Exception):
    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


async def _body(request: Request, check: Any) -> dict[str, object]:
    """The body, as the route's schema has it."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise _WrongBodyError(415, "the body is JSON; send it with Content-Type: application/json")
    try:
        body = json.loads(await request.body(), parse_constant=_no_number)
        wrong = next(check.iter_errors(body), None)
    except (ValueError, RecursionError):  # also of what is no Unicode
        raise _WrongBodyError(400, "the body is not JSON") from None
    if wrong is not None:
        where = ".".join(map(str, wrong.instance_path))
        raise _WrongBodyError(400, f"the body{f' ({where})' if where else ''}: {told(wrong)[:500]}")
    return dict(body)


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no JSON")


async def _events(watcher: Watcher, feed: Feed) -> AsyncIterator[str]:
    updates = Updates()
    known = feed.rings
    yield f"data: {updates.next(watcher.seen)}\n\n"
    while not feed.closed:
        await feed.wait(known)
        known = feed.rings
        if not feed.closed:
            yield f"data: {updates.next(watcher.seen)}\n\n"
    yield "event: end\ndata: {}\n\n"


async def _metrics(control: Control, feed: Feed, request: Request) -> Response:
    accept = request.headers.get("accept", "")
    try:
        data, kind = await _answer(partial(control.metrics.answer, accept), feed)
    except HybridnetError as error:
        return _error(status_of(error), str(error))
    return Response(data, headers={"content-type": kind})


async def _file(files: Files, request: Request) -> Response:
    found = files.get(request.path_params["name"])
    return _error(404, "there is nothing here") if found is None else Response(found[1], media_type=found[0])


def status_of(error: HybridnetError) -> int:
    """The status of an answer that is an error."""
    if isinstance(error, UnknownNameError):
        return 404
    return 400 if isinstance(error, UsageError) else 409


def _error(status: int, text: str) -> JSONResponse:
    return JSONResponse({"error": text}, status_code=status)


async def _no_such_path(request: Request, error: Exception) -> Response:
    return _error(getattr(error, "status_code", 404), f"{request.method}: there is nothing of that kind here")


async def _defect(request: Request, error: Exception) -> Response:
    return _error(500, "hybridnet failed to answer this; that is a defect of hybridnet")


def _is_of_ours(record: logging.LogRecord) -> bool:
    """Whether a line of the server's log tells a fault of ours, and not of who has connected, who gets an answer."""
    return record.levelno >= logging.ERROR and "Invalid UTF-8" not in record.getMessage()


def _is_no_full_house(record: logging.LogRecord) -> bool:
    """Whether a line of the event loop's log is other than of connections that found no descriptor, of which each turn
    of the loop would tell; it tries again by itself.
    """
    return "out of system resource" not in record.getMessage()


class Server:
    """Serves in a thread of its own, until it is closed.

    Args:
        app: what stands behind the gate.
        host: the address to listen at.
        port: 0: one that is free.
        names: further names by which browsers reach that address, such as ``lab7``.
        scripts, body_limit: what the page may run beside its files, and how much requests may bring; see `Gate`.
        notebook: the origin that may show the page inside its own; None: nobody.

    Raises:
        UsageError: `host` is no address, or the notebook's server is at another than the page.
        MachineError: nobody can listen there.
    """

    def __init__(
        self,
        app: Any,
        tokens: Tokens,
        host: str,
        port: int,
        names: tuple[str, ...] = (),
        scripts: Iterable[str] = (),
        body_limit: int = BODY_LIMIT,
        notebook: str | None = None,
    ) -> None:
        try:
            at = ipaddress.ip_address(LOOPBACK if host == "localhost" else host)
        except ValueError:
            raise UsageError(
                f"live page: {shown(host)} is not an address; write one such as {LOOPBACK}"
            ) from None
        family = socket.AF_INET6 if at.version == 6 else socket.AF_INET
        try:
            self._socket = (
                listen_outside(str(at), port, BACKLOG)
                if is_rootless()
                else socket.create_server((str(at), port), family=family, backlog=BACKLOG)
            )
        except OSError as error:
            raise MachineError(
                f"live page: cannot listen at {host}, port {port}: {error}; choose another port, or 0 for a free one"
            ) from None
        self.port: int = self._socket.getsockname()[1]
        own = str(at) if not at.is_unspecified else "::1" if at.version == 6 else LOOPBACK
        written = f"[{own}]" if at.version == 6 else own
        loopback = ("localhost",) if at.is_loopback or at.is_unspecified else ()
        self.address = f"{written}:{self.port}"
        hosts = [f"{name}:{self.port}" for name in (written, *loopback, *names)]
        anywhere = self.port if at.is_unspecified else None
        # Where a cell of the notebook finds the page; None: nowhere.
        self.framed: str | None = None
        if notebook is not None:
            self.framed = self._within(notebook, hosts, at)
        gate = Gate(app, tokens, hosts, f"hybridnet-{self.port}", anywhere, scripts, body_limit, notebook)
        logging.getLogger("uvicorn.error").addFilter(_is_of_ours)
        logging.getLogger("asyncio").addFilter(_is_no_full_house)
        allow_open_files()
        self._server = uvicorn.Server(
            uvicorn.Config(
                gate,
                log_config=None,
                access_log=False,
                lifespan="off",
                server_header=False,
                date_header=False,
                limit_concurrency=2 * REQUESTS_AT_ONCE,
                timeout_keep_alive=KEEP_ALIVE_S,
                timeout_graceful_shutdown=1,
                h11_max_incomplete_event_size=HEADER_LIMIT,
                ws="websockets-sansio",
                ws_max_size=HEADER_LIMIT,
                loop="asyncio",
                http=Caller,
                backlog=BACKLOG,
            )
        )
        self._thread = threading.Thread(
            target=self._server.run, args=([self._socket],), name="live page", daemon=True
        )
        self._thread.start()

    def _within(self, notebook: str, hosts: Iterable[str], at: _Address) -> str:
        """Where a notebook's page finds this one: under the notebook's own name, because a browser keeps the cookie
        from what is inside a page of another.
        """
        name = notebook.removeprefix("http://")
        name = name if name.endswith("]") else name.rpartition(":")[0] or name
        address = f"{name}:{self.port}"
        if address not in hosts and not at.is_unspecified:
            self._socket.close()
            raise UsageError(
                f"live: notebook {notebook} is at another name than the page, which is at {', '.join(hosts)}; open the "
                f"notebook by one of these names, or give the page that name, as in names=[{name!r}]"
            )
        return address

    def close(self) -> None:
        """End. A second call does nothing."""
        self._server.should_exit = True
        self._thread.join(START_SECONDS)
        self._socket.close()
