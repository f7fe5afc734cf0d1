# SPDX-License-Identifier: MIT
"""Client: a running network from another program, over the page's REST interface. Only the standard library.

net = Client("http://127.0.0.1:8080/?token=…")
net.set_link("s1-s2", delay="20ms")
print(net.exec("h1", "ping -c 3 10.0.0.2")["output"], net.verdict()["word"])
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import parse_qs, quote, urlsplit
from urllib.request import Request, urlopen

from hybridnet.describe.values import number, shown, text
from hybridnet.errors import MachineError, UsageError
from hybridnet.run.live.response_schemas import Answer
from hybridnet.run.live.routes import PREFIX

__all__ = ["Client"]

PATIENCE_S = 120.0
_TOKEN = re.compile(r"[A-Za-z0-9_-]+")  # as `secrets.token_urlsafe` makes it: a header takes nothing else


class Client:
    """What the page of a running network can be asked.

    Args:
        url: the link that hybridnet printed, with its token.
        timeout: seconds to wait for an answer.

    Raises:
        UsageError: it is no such link; or, of each method, what is asked makes no sense.
        MachineError: of each method: the network refuses, or is not there any more.
    """

    def __init__(self, url: str, timeout: float = PATIENCE_S) -> None:
        try:
            parts = urlsplit(text(url, "Client: url"))
            token = parse_qs(parts.query).get("token", [""])[0]
            _ = parts.port
        except ValueError:  # brackets that hold no address, a port that is no number
            parts, token = urlsplit(""), ""
        if parts.scheme != "http" or not parts.netloc or not _TOKEN.fullmatch(token):
            raise UsageError(
                f"Client: url {shown(url)} is not a page's; write the link that hybridnet printed"
            )
        self._base = f"http://{parts.netloc}{PREFIX}"
        self._token = token
        self._timeout = number(timeout, "Client: timeout", 0.01, 86_400)

    def state(self) -> Answer:
        """The verdict, the instances, and how much there is."""
        return self._get("state")

    def verdict(self) -> Answer:
        """``word``, ``reasons``, ``notes`` and ``figures``."""
        return self._get("verdict")

    def network(self) -> Answer:
        """``machines``, ``nodes`` and ``links``."""
        return self._get("network")

    def link(self, name: str) -> Answer:
        """A link: options, and what it carries now."""
        return self._get("links", name)

    def history(self, link: str) -> Answer:
        """The last five minutes of a link."""
        return self._get("links", link, "history")

    def set_link(self, link: str, **options: Any) -> Answer:
        """Change options of a link while it runs, as `hybridnet.Net.set_link`."""
        return self._send("PATCH", {"options": options}, "links", link)

    def set_status(self, link: str, status: str) -> Answer:
        """Set the links between a link's two nodes ``"up"`` or ``"down"``."""
        return self._send("PUT", {"status": status}, "links", link, "status")

    def exec(self, node: str, command: str, timeout: float = 10) -> Answer:
        """Run a command in a host: ``output``, ``error``, ``exit_code``."""
        return self._send("POST", {"command": command, "timeout": timeout}, "nodes", node, "exec")

    def programs(self, node: str) -> list[Answer]:
        """The programs that run in a host: ``pid`` and ``name`` of each."""
        return self._list("nodes", node, "programs")

    def start_capture(self, link: str, end: str = "a", filter: str = "") -> int:
        """Begin a capture at an end of a link, emulated or simulated. Returns its number."""
        return int(self._send("POST", {"link": link, "end": end, "filter": filter}, "captures")["number"])

    def captures(self) -> list[Answer]:
        """All captures: whether each is ``running``, and of one at a simulated end how many frames are ``lost``."""
        return self._list("captures")

    def stop_capture(self, capture: int) -> bytes:
        """End a capture. Returns its pcap file."""
        self._send("POST", None, "captures", capture, "stop")
        return self._ask("GET", None, "captures", capture, "file")

    def start_flow(self, client: str, server: str, **options: Any) -> int:
        """Begin an iperf3 flow; options: protocol, rate, seconds. Returns its number."""
        return int(self._send("POST", {"client": client, "server": server, **options}, "flows")["number"])

    def flow(self, flow: int) -> Answer:
        """A flow: its ``state``, and the rate of every second."""
        return self._get("flows", flow)

    def stop_flow(self, flow: int) -> Answer:
        """End a flow before its time."""
        return self._send("POST", None, "flows", flow, "stop")

    def events(self) -> Iterator[Answer]:
        """Updates, two a second, until the network stops."""
        with self._open("GET", None, ("events",)) as answer:
            for line in answer:
                if line.startswith(b"event: end"):
                    return
                if line.startswith(b"data: "):
                    yield json.loads(line[6:])

    # Of a page of a simulation in virtual time only

    def simulation(self) -> Answer:
        """Where it is, and whether it goes on."""
        return self._get("simulation")

    def step(self, events: int = 1) -> Answer:
        """Handle so many events, and pause."""
        return self._send("POST", {"events": events}, "simulation", "step")

    def run(
        self,
        until: str | None = None,
        *,
        speed: float | None = None,
        condition: Mapping[str, object] | None = None,
    ) -> Answer:
        """Go on to an instant such as ``"20ms"``, until a condition holds, or to the end. Returns at once; see `wait`.

        Args:
            speed: simulated seconds in a second; None: as fast as it can.
            condition: ``section``, ``element``, ``figure``, ``comparison`` and ``value``, as those of
                `hybridnet.simulate.offline.Condition`.
        """
        body = {"speed": speed, "condition": condition, **({} if until is None else {"until": until})}
        return self._send("POST", body, "simulation", "run")

    def pause(self) -> Answer:
        """Stop where it is."""
        return self._send("POST", None, "simulation", "pause")

    def wait(self) -> Answer:
        """Wait until it does not go on by itself any more."""
        for event in self.events():
            # The first one may be of before it went on.
            if not event["simulation"]["running"] and not (now := self.simulation())["running"]:
                return now
        return self.simulation()

    def next_events(self) -> list[Answer]:
        """The next 50 events, as things stand."""
        return self._list("simulation", "next-events")

    def queue(self, link: str) -> list[Answer]:
        """What is in both directions of a link."""
        return self._list("links", link, "queue")

    def connections(self) -> list[Answer]:
        """The TCP connections of simulated hosts."""
        return self._list("simulation", "connections")

    def messages(self) -> list[Answer]:
        """The latest 200 packets that interfaces sent or got."""
        return self._list("simulation", "messages")

    def follow(self, interfaces: list[str]) -> None:
        """Keep only the packets of these interfaces; of all where none is named."""
        self._send("PUT", {"interfaces": interfaces}, "simulation", "messages")

    def _list(self, *path: Any) -> list[Answer]:
        return list(self._json("GET", None, *path))

    def _get(self, *path: Any) -> Answer:
        return dict(self._json("GET", None, *path))

    def _send(self, method: str, body: Mapping[str, object] | None, *path: Any) -> Answer:
        return dict(self._json(method, body, *path))

    def _json(self, method: str, body: Mapping[str, object] | None, *path: Any) -> Any:
        answer = self._ask(method, body, *path)
        try:
            return json.loads(answer)
        except ValueError:
            raise MachineError(
                f"{_where(path)}: what answers at {self._base} is no page of hybridnet's; write the link that "
                "hybridnet printed"
            ) from None

    def _ask(self, method: str, body: Mapping[str, object] | None, *path: Any) -> bytes:
        with self._open(method, body, path) as answer:
            try:
                return bytes(answer.read())
            except (OSError, HTTPException) as error:
                raise self._silent(path, error) from None

    def _open(self, method: str, body: Mapping[str, object] | None, path: tuple[Any, ...]) -> Any:
        where = _where(path)
        try:
            data = None if body is None else json.dumps(body, allow_nan=False).encode()
        except (TypeError, ValueError):
            raise UsageError(f"{where}: {shown(body)} cannot be sent as JSON") from None
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        try:
            return urlopen(
                Request(f"{self._base}/{where}", data, headers, method=method), timeout=self._timeout
            )
        except HTTPError as error:
            raise _refused(error, where) from None
        except (URLError, OSError, HTTPException) as error:
            raise self._silent(path, error) from None

    def _silent(self, path: tuple[Any, ...], error: Exception) -> MachineError:
        return MachineError(f"{_where(path)}: the page at {self._base} does not answer: {error}")


def _where(path: tuple[Any, ...]) -> str:
    return "/".join(quote(str(part), safe="") for part in path)


def _refused(error: HTTPError, where: str) -> UsageError | MachineError:
    try:
        said = str(json.loads(error.read())["error"])
    except (ValueError, KeyError, TypeError):
        said = f"status {error.code}"
    kind = UsageError if error.code in (400, 404, 413, 415) else MachineError
    return kind(f"{where}: {said}")
