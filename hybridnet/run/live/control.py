# SPDX-License-Identifier: MIT
"""What can be asked of a running network by REST, as methods; `hybridnet.run.live.routes` says under which paths."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from hybridnet.describe.options import table
from hybridnet.describe.topo.direction import direction_options
from hybridnet.describe.topo.options import check_names
from hybridnet.describe.values import plain
from hybridnet.errors import UsageError
from hybridnet.run.live.captures import Captures
from hybridnet.run.live.drawing import describe_link
from hybridnet.run.live.flows import Flows
from hybridnet.run.live.metrics import Metrics
from hybridnet.run.live.network import Live
from hybridnet.run.live.response_schemas import Answer
from hybridnet.run.live.updates import detail, state
from hybridnet.run.live.watching import Watcher
from hybridnet.system.ending import Endings

__all__ = ["Control"]

OUTPUT_LIMIT = 1 << 20


class Control:
    """Acts on the network for the page and for clients. Usable from any thread; changes come one after the other."""

    def __init__(self, live: Live, watcher: Watcher) -> None:
        self._live = live
        self._watcher = watcher
        self._changing = threading.Lock()
        self.captures = Captures(live)
        self.flows = Flows(live)
        self.metrics = Metrics(live, watcher)

    def close(self) -> None:
        """End what was begun for somebody at the page."""
        Endings(self.captures.close, self.flows.close).close()

    def state(self) -> Answer:
        """The verdict, the instances, and how much there is."""
        drawing = self._watcher.drawing()
        counts = {name: len(drawing[name]) for name in ("machines", "nodes", "links")}
        return {**state(self._watcher.seen), "counts": counts}

    def verdict(self) -> Answer:
        """The verdict since the start, with what was compared with the limits."""
        return self._watcher.seen.verdict.to_json()

    def network(self) -> Answer:
        """Machines, nodes and links."""
        return self._watcher.drawing()

    def link(self, link: str) -> Answer:
        """One link: what it is, what was said of it, and what it carries now."""
        number = self._watcher.number_of(link)
        return {
            **describe_link(self._live, link),
            "number": number,
            "figures": detail(self._watcher.seen, number),
        }

    def history(self, link: str) -> Answer:
        """The last minutes of a link."""
        return self._watcher.history(link)

    def link_options(self) -> list[Answer]:
        """What `set_link` takes: the table of options of a link's direction."""
        return [
            {
                "name": name,
                "kind": option.kind,
                "unit": option.unit,
                "help": option.help,
                "choices": list(option.choices),
                "default": option.default if isinstance(option.default, str | int | float | bool) else None,
            }
            for name, option in table("direction").said.items()
        ]

    def set_link(self, link: str, options: Mapping[str, Any]) -> Answer:
        """Change options of a link; returns it as `link` does."""
        spec = self._live.link_spec(link)
        if not options:
            raise UsageError(
                f'link {link}: nothing is given that changes; write for example {{"delay": "5ms"}}'
            )
        of_both = [name for name in options if name not in ("params1", "params2")]
        check_names(of_both, direction_options(), {}, f"link {link}")
        with self._changing:
            self._live.net.set_link(spec.a.node, spec.b.node, spec.key, **options)
            self._watcher.redraw()
        return describe_link(self._live, link)

    def set_status(self, link: str, status: str) -> Answer:
        """Set the links between a link's two nodes up or down; returns it as `link` does."""
        plan = self._live.link(link)
        with self._changing:
            self._live.net.configLinkStatus(plan.a.node, plan.b.node, status)
            self._watcher.redraw()
        return describe_link(self._live, link)

    def exec(self, node: str, command: str, timeout: float = 10.0) -> Answer:
        """Run a command of the shell in a node, beside its own shell."""
        self._live.node(node)
        done = self._live.call(node, "exec", argv=command, timeout=timeout, node=node)
        out, err = (done[name][:OUTPUT_LIMIT].decode(errors="replace") for name in ("stdout", "stderr"))
        return {"output": out, "error": err, "exit_code": done["status"]}

    def programs(self, node: str) -> list[Answer]:
        """The programs that run in a host, without its shell for commands; a switch has none of its own."""
        self._live.node(node)
        return list(self._live.call(node, "programs_in", node=node))

    def start_capture(self, link: str, end: str = "a", filter: str = "") -> Answer:
        """Begin a capture; see `hybridnet.run.live.captures`."""
        return self.captures.start(link, end, filter)

    def list_captures(self) -> list[Answer]:
        """All captures."""
        return self.captures.list()

    def stop_capture(self, number: str) -> Answer:
        """End a capture."""
        return self.captures.stop(_number(number, "capture"))

    def capture_file(self, number: str) -> bytes:
        """What a capture has."""
        return self.captures.file(_number(number, "capture"))

    def start_flow(
        self, client: str, server: str, protocol: str = "TCP", rate: str | None = None, seconds: float = 10
    ) -> Answer:
        """Begin a flow; see `hybridnet.run.live.flows`."""
        return self.flows.start(client, server, protocol, rate, seconds)

    def list_flows(self) -> list[Answer]:
        """All flows."""
        return self.flows.list()

    def flow(self, number: str) -> Answer:
        """One flow."""
        return self.flows.get(_number(number, "flow"))

    def stop_flow(self, number: str) -> Answer:
        """End a flow."""
        return self.flows.stop(_number(number, "flow"))


def _number(text: str, what: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise UsageError(f"{what} {plain(text)}: write its number")
    return int(text)
