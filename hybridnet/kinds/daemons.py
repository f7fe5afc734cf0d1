# SPDX-License-Identifier: MIT
"""What routers with routing daemons have in common, whose daemons they are: `hybridnet.kinds.frr`,
`hybridnet.kinds.bird`.

Each router has private directories where its daemons keep their configuration and their sockets, so any number of them
run side by side. The daemons begin once the network has been built, and end with it. Routers of all these kinds speak
OSPF and BGP to each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from hybridnet.describe.kinds import KindOption, Reader
from hybridnet.describe.values import choice, flag, plain, shown, whole
from hybridnet.errors import EnvironmentLackError, MachineError, TopologyError, UsageError
from hybridnet.run.node import Host
from hybridnet.run.node.link import Intf

__all__ = [
    "DEAD_SECONDS",
    "HELLO_SECONDS",
    "LINK_COST",
    "OPTIONS",
    "PREFERENCE",
    "REPEAT_SECONDS",
    "DaemonRouter",
]

HELLO_SECONDS, DEAD_SECONDS, LINK_COST = 1, 10, 10
"""Of OSPF, on links between routers."""
REPEAT_SECONDS = 2  # the least that BIRD takes
"""After so long OSPF repeats there what was not answered, as news that came too soon after the last; daemons have 5, so
that it took up to 10 s, as FRR looks only that often."""
PREFERENCE = {"customer": 300, "peer": 200, "provider": 100}
"""What a neighbour may be to a router, and the local preference of its routes."""
MOST_AS = (1 << 32) - 1
MOST_TEXT = 32_768  # characters of a configuration
COMMAND_SECONDS = 60.0
_UNTIL_ENDED = "; n=0; while [ -e /proc/$p ] && [ $n -lt 50 ]; do sleep 0.1; n=$((n+1)); done"
"""For 5 s: waits for the process ``$p`` in a shell."""


class DaemonRouter(Host):
    """A host that forwards, and whose routes daemons find out."""

    directories: ClassVar[tuple[str, ...]] = ()
    """Of the daemons' configuration and sockets; the router has its own of each."""
    program: ClassVar[str] = ""
    """A file that is there where the daemons are installed."""
    package: ClassVar[str] = ""
    """Debian's, which brings them."""

    def __init__(self, name: str, **params: Any) -> None:
        super().__init__(name, **params)
        self._running: dict[str, int] = {}  # what is watched

    def described(self) -> dict[str, Any]:
        """The options with which it is built."""
        own = list(self.params.get("privateDirs") or [])
        taken = {each if isinstance(each, str) else each[0] for each in own}
        return {**self.params, "privateDirs": [*own, *({*self.directories} - taken)]}

    def config(self, **params: Any) -> None:
        """Have it forward, and start its daemons.

        Raises:
            EnvironmentLackError: its machine does not have them.
            MachineError: an interface has no address, or a daemon does not start; the message quotes it.
        """
        super().config(**params)
        for intf in [] if self.finds_addresses else self.intfList():
            if intf.ip is None and intf.ip6 is None:
                raise MachineError(
                    f"router {self.name}: its interface {intf.name} has no address; give the link one, as in "
                    "addLink('r1', 'r2', params1={'ip': '10.0.12.1/24'})"
                )
        if self._done(f"test -x {self.program}") is None:
            raise EnvironmentLackError(
                f"router {self.name}: machine {self.machine} has no {self.program}; run `apt-get install "
                f"{self.package}` there"
            )
        self._must("sysctl -q -w net.ipv4.ip_forward=1")
        self._done("sysctl -q -w net.ipv6.conf.all.forwarding=1")  # there may be no IPv6
        self.configure()
        self.restart()

    def configure(self) -> None:
        """Write what its daemons are told into its directories. Raises MachineError."""
        raise NotImplementedError

    @property
    def pid_files(self) -> dict[str, str]:
        """Where its daemons write their process numbers, by name, in the order in which they begin."""
        raise NotImplementedError

    def start(self) -> None:
        """Start its daemons, of which none runs, with its configuration, and return once each has written its number.
        Raises MachineError.
        """
        raise NotImplementedError

    def restart(self) -> None:
        """Start its daemons, with its configuration; those that run end first, and forget their routes. From then on
        the verdict says if one ends or is stopped.

        Raises:
            MachineError: one does not start; the message quotes it.
        """
        self.end()
        self.start()
        numbers = self._must(f"cat {' '.join(self.pid_files.values())}").split()
        self._running = dict(zip(self.pid_files, map(int, numbers), strict=True))
        self.watch(self._running)

    def end(self, *daemons: str) -> None:
        """End its daemons, or those named: neighbours are told. Those that do not run are none.

        Raises:
            UsageError: it has no daemon of that name.
        """
        self._forget(daemons)
        self._signal("TERM", daemons, _UNTIL_ENDED)

    def kill(self, *daemons: str) -> None:
        """End its daemons, or those named, as a crash does: neighbours are not told, and routes stay as they are. Those
        that do not run are none.

        Raises:
            UsageError: it has no daemon of that name.
        """
        self._forget(daemons)
        self._signal("KILL", daemons)

    def terminate(self) -> None:
        """Tell its daemons to end before the network is removed, which does not wait for them."""
        self._forget(())
        self._signal("TERM")
        super().terminate()

    def _signal(self, signal: str, daemons: Sequence[str] = (), then: str = "") -> None:
        """Send a signal to its daemons, or those named, the last one first. One that has crashed has left its file, and
        its number may be another process's by now.

        Args:
            then: what the shell does next, with the daemon's number as ``$p``.
        """
        pairs = " ".join(
            f"{name}:{file}"
            for name, file in reversed(self.pid_files.items())
            if not daemons or name in daemons
        )
        self._done(
            f"for e in {pairs}; do d=${{e%%:*}}; f=${{e#*:}}; p=$(cat $f 2>/dev/null) || continue; "
            f'if [ "$(cat /proc/$p/comm 2>/dev/null)" = $d ]; then kill -{signal} $p{then}; fi; rm -f $f; done'
        )

    def _forget(self, daemons: Sequence[str]) -> None:
        """Watch these, or all, no longer: their end is the run's own doing."""
        for each in daemons:
            choice(each, f"router {self.name}: daemon", tuple(self.pid_files), error=UsageError)
        left = {name: pid for name, pid in self._running.items() if daemons and name not in daemons}
        if left != self._running:
            self.watch(left)
        self._running = left

    def _bgp_neighbours(self) -> list[tuple[DaemonRouter, str]]:
        ends = [(other, intf.link) for intf, other in self._beside("bgp")]
        found = []
        for other, link in ends:
            assert link is not None
            far = next(end for end in (link.intf1, link.intf2) if isinstance(end, Intf) and end.node is other)
            if far.ip is not None:
                found.append((other, far.ip))
        return found

    def _relations(self) -> dict[str, str]:
        """By neighbour that speaks BGP, in the order of the links, what it is to this router; empty: nobody has said.

        Raises:
            TopologyError: the description contradicts itself, or names a router that is no such neighbour.
        """
        neighbours = {other.name: other for _, other in self._beside("bgp")}
        for option in ("providers", "peers"):
            for name in self._named(option):
                if name not in neighbours:
                    raise TopologyError(
                        f"router {self.name}: {option}: {plain(name)} is no neighbour that speaks BGP; join the two by "
                        "a link and give it `bgp`, or take the name out"
                    )
        found: dict[str, str] = {}
        for name, other in neighbours.items():
            said = [
                what
                for what, is_so in (
                    ("provider", name in self._named("providers")),
                    ("peer", name in self._named("peers") or self.name in other._named("peers")),
                    ("customer", self.name in other._named("providers")),
                )
                if is_so
            ]
            if len(said) > 1:
                raise TopologyError(
                    f"router {self.name}: {name} is said to be its {' and its '.join(said)}; write one of them in "
                    "`providers` and `peers` of the two"
                )
            if said:
                found[name] = said[0]
        return found

    def _named(self, option: str) -> Sequence[str]:
        return self.params.get(option) or ()

    def _beside(self, protocol: str) -> list[tuple[Intf, DaemonRouter]]:
        """The interfaces toward routers that speak it, too, and these."""
        found: list[tuple[Intf, DaemonRouter]] = []
        for intf in self.intfList():
            ends = () if intf.link is None else (intf.link.intf1, intf.link.intf2)
            for end in ends:
                other = end.node if isinstance(end, Intf) and end is not intf else None
                if isinstance(other, DaemonRouter) and other.params.get(protocol) not in (None, False):
                    found.append((intf, other))
        return found

    def _done(self, command: str) -> str | None:
        """What a command printed; None: it failed."""
        said = self.cmd(command, timeout=COMMAND_SECONDS)
        return said if self.last_status == 0 else None

    def _must(self, command: str) -> str:
        said = self.cmd(command, timeout=COMMAND_SECONDS)
        if self.last_status != 0:
            raise MachineError(
                f"router {self.name}: {shown(command[:80])} failed: {said.strip()[-300:] or 'it printed nothing'}"
            )
        return said


def _ospf(value: Any, what: str) -> bool:
    return flag(value, what, error=TopologyError)


def _as_number(value: Any, what: str) -> int | None:
    return None if value is None else whole(value, what, 1, MOST_AS, error=TopologyError)


def _routers(value: Any, what: str) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
        raise TopologyError(f"{what} {shown(value)} is not a list of routers; write ['r2', 'r3']")
    return list(value)


def _lines(value: Any, what: str) -> str | None:
    if value is None:
        return None
    if (
        not isinstance(value, str)
        or len(value) > MOST_TEXT
        or not all(each.expandtabs().isprintable() for each in value.splitlines())
    ):
        raise TopologyError(
            f"{what} {shown(value)} is not text of at most {MOST_TEXT} characters; write lines as the daemons read them"
        )
    return value


OPTIONS: Mapping[str, Reader] = {
    "ospf": KindOption(_ospf, "it speaks OSPF in area 0, on all its interfaces", "flag"),
    "bgp": KindOption(
        _as_number, "number of its autonomous system: it speaks BGP to its neighbours with one", "count"
    ),
    "providers": KindOption(_routers, "neighbours with bgp whose customer it is, such as [r1]", "list"),
    "peers": KindOption(_routers, "neighbours with bgp whose peer it is, such as [r2]", "list"),
    "conf": KindOption(_lines, "further lines of configuration; they come last"),
}
"""Of all these kinds."""
