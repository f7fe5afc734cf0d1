# SPDX-License-Identifier: MIT
"""Controllers as a script names them: one that runs elsewhere, or apps of Ryu or os-ken, Faucet among them, that the
network starts and stops.
"""

from __future__ import annotations

import ipaddress
import json
import re
import socket
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from hybridnet.describe.user_files import user_file
from hybridnet.describe.values import shown, text
from hybridnet.errors import ControllerError, ControllerLateError, UsageError
from hybridnet.run.controllers.frameworks import OSKEN, RYU, Framework
from hybridnet.run.controllers.process import (
    EVERYWHERE,
    ControllerProcess,
    check_module,
    find_app,
    free_port,
    with_files,
)
from hybridnet.system.command import run
from hybridnet.system.journal import alias_of
from hybridnet.system.rootless import unseen

__all__ = ["Controller", "Faucet", "Gauge", "OVSController", "OsKen", "RemoteController", "Ryu"]

OPENFLOW_PORTS = (6653, 6633)
DEFAULT_APP = "tree_switch"
GAUGES_OWN_PORT = 9303
LOOP_APP = "ecmp_switch"  # of topologies with loops
_FOR_LOOPS = (LOOP_APP, "failover_switch", "hedera_switch")  # they know the links, and flood along a tree
_SPANNING_TREE = ("simple_switch_stp",)

_SETTLED = re.compile(r"settled: (\d+) switches")
_READY = re.compile(r"switch ([0-9a-f]{16}) (connected|left)")
_REFUSED = re.compile(r"unsupported version 0x(\w+).*use one of the versions \[([\d, ]+)\]")
"""How an app says in its log that it does not speak a switch's version of OpenFlow: by numbers of the wire."""
_REJECTED = re.compile(r"New config bad \((.*)\) - rejecting|invalid config: (.*)")
_TAKEN = re.compile(r"Add new datapath|config complete")
"""How Faucet and Gauge say in their logs what they think of their files."""
_POLL_S = 0.02
_LOOPBACK = ("127.0.0.1", "localhost", "0.0.0.0")


# Of Mininet's controllers, with what to do instead.
_UNSUPPORTED = {
    "command": "name Ryu apps: Ryu('c0', 'my_app.py')",
    "cargs": "give arguments= to Ryu",
    "cdir": "name apps by their path",
    "inNamespace": "controllers live in this computer's namespace",
}


class RemoteController:
    """A controller that somebody else runs.

    Args:
        name: as the script calls it.
        ip: where it listens: an address, or the name of a computer. A loopback address means this computer: machines
            are told this computer's address toward them, so the controller must listen there too (0.0.0.0 does).
        port: default: 6653 or 6633, whichever answers.
        machines: the machines whose switches it controls; default: all.
        protocol: ``"tcp"``, as MiniEdit's scripts say.

    Raises:
        UsageError: an option does not exist, or its value makes no sense.
    """

    def __init__(
        self,
        name: str = "c0",
        ip: str = "127.0.0.1",
        port: int | None = None,
        *,
        machines: Sequence[str] | None = None,
        protocol: str = "tcp",
        **unknown: Any,
    ) -> None:
        self.name = text(name, "controller: name")
        self.environment: Mapping[str, str] | None = None  # of programs that it starts; None: this process's
        what = f"controller {self.name}"
        for option in sorted(unknown):
            cure = _UNSUPPORTED.get(option)
            raise UsageError(
                f"{what}: unknown option {option!r}; the options are ip, port, protocol, machines"
                if cure is None
                else f"{what}: {option}= is not supported; {cure}"
            )
        if protocol != "tcp":
            raise UsageError(f"{what}: protocol {shown(protocol)} is not supported; write 'tcp'")
        self.ip = _address(ip, f"{what}: ip")
        self.port = _tcp_port(port, what)
        if machines is not None and (not isinstance(machines, Sequence) or isinstance(machines, str | bytes)):
            raise UsageError(f"{what}: machines {shown(machines)} is not a list of names; write ['m1']")
        self.machines = (
            None if machines is None else [text(name, f"{what}: machines: name") for name in machines]
        )

    def what(self) -> str:
        """What it is, for people."""
        return f"one that runs elsewhere, at {self.ip}"

    def suit(self, loop: Sequence[str]) -> str:
        """Be told a loop of the topology, as names of switches; empty: there is none. Returns what to tell the user."""
        return ""

    at_several_addresses = True
    """Whether machines may reach it at several addresses of this computer, as in several subnets."""

    def begin(self, head_address: str, others: Sequence[str] = ()) -> None:
        """Check that it listens. Raises ControllerError if nothing does.

        Args:
            head_address: this computer's, by which the machines reach it.
            others: by which further machines do.
        """
        hosts = (head_address, *others) if self.ip in _LOOPBACK else (self.ip,)
        ports = OPENFLOW_PORTS if self.port is None else (self.port,)
        reasons = []
        for port in ports:
            try:
                for host in hosts:
                    socket.create_connection((host, port), timeout=5).close()
            except (OSError, UnicodeError) as error:  # the second: no name of a computer has this form
                reasons.append(f"{host}:{port}: {getattr(error, 'strerror', None) or error}")
                continue
            self.port = port
            return
        raise ControllerError(
            f"controller {self.name}: nothing answers ({'; '.join(reasons)}){unseen()}; start it first, listening on "
            "0.0.0.0"
        )

    def ready(self) -> None:
        """Wait until it listens; `begin` has already checked."""

    def settle(self, switches: int, dpids: Collection[str], patience_s: float) -> None:
        """Wait until it is ready for the traffic of so many switches, as most are once these are connected."""

    def target(self, head_address: str) -> str:
        """Return what a switch is told, if this computer has `head_address` toward it."""
        return f"tcp:{head_address if self.ip in _LOOPBACK else self.ip}:{self.port}"

    refusal = ""
    """Why it has refused a switch, and the cure; empty: it has not, as far as is known."""

    def check(self) -> None:
        """Do nothing: somebody else runs it, and its failure shows at the switches."""

    @property
    def pid(self) -> int | None:
        """Its process, while it is to run; None: somebody else's."""
        return None

    def end(self) -> None:
        """Do nothing: somebody else runs it."""

    # Scripts made with MiniEdit start and stop controllers themselves; the network does it.
    def start(self) -> None:
        """Do nothing: the network uses it when it starts."""

    def stop(self) -> None:
        """Do nothing: the network releases it when it stops."""

    def IP(self) -> str:
        """Return where it listens."""
        return self.ip

    def __str__(self) -> str:
        return self.name


def fabric_of(address: str) -> str | None:
    """Where a run's local machines and nobody else are, as `ControllerProcess` takes it, if `address` is that of this
    computer there.
    """
    for link in filter(None, json.loads(run(["ip", "-json", "-4", "address", "show", "to", address]))):
        if (alias_of(link["ifname"]) or "").startswith("hybridnet:"):
            # `ip` says {} for each other address of the device.
            [length] = [each["prefixlen"] for each in link["addr_info"] if each.get("local") == address]
            return f"{link['ifname']} {ipaddress.ip_interface(f'{address}/{length}').network}"
    return None


class Ryu(RemoteController):
    """Apps of Ryu, unmodified, in a process and an environment of their own; they live as long as the network.

    Args:
        name: as the script calls it.
        apps: files, names of files in ``controllers/``, or modules such as ``ryu.app.ofctl_rest``. None: ours for the
            topology, ``tree_switch``, or ``ecmp_switch`` where there are loops.
        port: TCP port for the switches; None: a free one.
        rest_port: TCP port for apps with a REST interface; None: Ryu's own choice.
        arguments: more of the framework's options.
        log: file for its output.
        on_line: called with each line of its output.
        machines: the machines whose switches it controls; default: all.
        ip, protocol: as Mininet's scripts say: this computer, ``"tcp"``.

    Raises:
        UsageError: a file or module that is named does not exist, or an option makes no sense.
    """

    framework: ClassVar[Framework] = RYU

    def __init__(
        self,
        name: str = "c0",
        *apps: str | Path,
        port: int | None = None,
        rest_port: int | None = None,
        arguments: Sequence[str] = (),
        log: Path | None = None,
        on_line: Callable[[str], None] | None = None,
        machines: Sequence[str] | None = None,
        ip: str = "127.0.0.1",
        protocol: str = "tcp",
        **unknown: Any,
    ) -> None:
        super().__init__(name, ip, port, machines=machines, protocol=protocol, **unknown)
        what = f"controller {self.name}"
        if self.ip not in _LOOPBACK:
            raise UsageError(
                f"{what}: ip {shown(ip)} is another computer; this controller runs here: leave it out, or use "
                "RemoteController"
            )
        self._named = bool(apps)
        self.apps = apps or (DEFAULT_APP,)
        for app in self.apps:
            found = find_app(text(str(app) if isinstance(app, Path) else app, f"{what}: app"))
            if not found.endswith(".py"):
                check_module(found, self.framework)
        self.rest_port = _tcp_port(rest_port, what)
        if not isinstance(arguments, Sequence) or isinstance(arguments, str | bytes):
            raise UsageError(f"{what}: arguments {shown(arguments)} is not a list; write ['--observe-links']")
        self._arguments = [text(word, f"{what}: arguments: word") for word in arguments]
        if log is not None and not isinstance(log, str | Path):
            raise UsageError(f"{what}: log {shown(log)} is not a file; write Path('c0.log')")
        self._log = None if log is None else Path(log)
        if on_line is not None and not callable(on_line):
            raise UsageError(
                f"{what}: on_line {shown(on_line)} cannot be called; give a function that takes a line"
            )
        self._on_line = on_line
        self._settled = 0  # switches, as its log says
        # dpids of the switches that have their flows, as the log of `tree_switch` says
        self._ready: set[str] = set()
        self.refusal = ""  # of a switch, because of its version of OpenFlow, as its log says; and the cure
        self.process: ControllerProcess | None = None
        self._wanted = False

    def what(self) -> str:
        """What it is, for people."""
        return f"{', '.join(map(str, self.apps))} under {self.framework.title}"

    def settings(self, address: str) -> dict[str, str]:
        """Environment variables that its process gets, which listens at an address of this computer."""
        return {}

    def suit(self, loop: Sequence[str]) -> str:
        """Choose the app that suits the topology, unless one was named. Returns what to tell the user."""
        names = f"{' - '.join(loop[:6])}{' ...' if len(loop) > 6 else ''}"
        if not self._named:
            self.apps = (LOOP_APP,) if loop else (DEFAULT_APP,)
            why = f"the switches have loops ({names})"
            return f"Controller {self.name} is {LOOP_APP}: {why}" if loop else ""
        return _said_of_loops([str(app) for app in self.apps], names) if loop else ""

    def begin(self, head_address: str, others: Sequence[str] = ()) -> None:
        """Start it, and do not wait: it takes a second that others can use. Raises ControllerError,
        EnvironmentLackError.
        """
        if self.port is None:
            self.port = free_port(EVERYWHERE if others else head_address)
        settings = self.settings(head_address)
        self.process = ControllerProcess(
            self.apps,
            framework=self.framework,
            settings=settings,
            address=head_address,
            others=others,
            port=self.port,
            rest_port=self.rest_port,
            fabric=fabric_of(head_address),
            arguments=with_files(self._arguments),
            log=self._log,
            on_line=self._line,
        )
        self._settled, self.refusal = 0, ""
        self._ready.clear()
        self._wanted = True
        self.process.launch()

    def target(self, head_address: str) -> str:
        """Return what a switch is told, if this computer has `head_address` toward it.

        Raises:
            ControllerError: it runs, and does not listen there.
        """
        if self.process is not None and head_address not in self.process.addresses:
            raise ControllerError(
                f"controller {self.name}: it listens at {', '.join(self.process.addresses)}, and a machine "
                f"reaches this computer at {head_address}; have machines join in a subnet that the network has had "
                "from its start"
            )
        return super().target(head_address)

    def ready(self) -> None:
        """Wait until it listens for switches. Raises ControllerError if it died or takes too long."""
        if self.process is not None:
            self.process.await_listening()

    def settle(self, switches: int, dpids: Collection[str], patience_s: float) -> None:
        """Wait until `ecmp_switch` knows the links of so many switches, and `tree_switch` has given these their flows;
        other apps are ready for what connects.

        Raises:
            ControllerError: it has died; or, as ControllerLateError, is not ready in time.
        """
        apps = [str(app) for app in self.apps]
        if LOOP_APP in apps:
            self._await(
                lambda: self._settled == switches,
                lambda: f"{LOOP_APP} knows the links of {self._settled} of {switches} switches",
                patience_s,
            )
        if DEFAULT_APP in apps:
            self._await(
                lambda: bool(self.refusal) or self._ready.issuperset(dpids),
                lambda: (
                    f"{DEFAULT_APP} has set up {len(self._ready.intersection(dpids))} of {len(dpids)} switches"
                ),
                patience_s,
            )

    def _await(self, is_so: Callable[[], bool], told: Callable[[], str], patience_s: float) -> None:
        """Wait until something is so that its log says. Raises ControllerError: it has died; or
        ControllerLateError: the time is up, with what is so then.
        """
        deadline = time.monotonic() + patience_s
        while not is_so():
            self.check()
            if time.monotonic() > deadline:
                raise ControllerLateError(
                    f"controller {self.name}: {told()} after {patience_s:g} s; is this computer overloaded? "
                    "waitConnected=False does not wait"
                )
            time.sleep(_POLL_S)

    def _line(self, line: str) -> None:
        if said := _SETTLED.match(line):
            self._settled = int(said[1])
        if said := _READY.match(line):
            (self._ready.add if said[2] == "connected" else self._ready.discard)(said[1])
        if (said := _REFUSED.search(line)) and not self.refusal:
            own = [_version(number) for number in said[2].split(",")]
            self.refusal = (
                f"controller {self.name}: its apps speak {', '.join(own)}, and a switch speaks {_version(said[1])}; "
                f"write --protocols {own[-1]}, or addSwitch(..., protocols={own[-1]!r})"
            )
        if self._on_line is not None:
            self._on_line(line)

    def rest(self, path: str, body: Any = None, method: str | None = None) -> Any:
        """Ask an app with a REST interface, which answers nobody without its secret; see `Rest.call`.

        Raises:
            ControllerError: it is not started, refuses, or does not answer.
        """
        if self.process is None:
            raise ControllerError(f"controller {self.name}: {path} cannot be requested before it is started")
        return self.process.rest.call(path, body, method)

    def check(self) -> None:
        """Raise ControllerError if it has died."""
        if self.process is not None:
            self.process.check()

    @property
    def pid(self) -> int | None:
        """Its process, while it is to run."""
        return self.process.pid if self.process is not None and self._wanted else None

    def end(self) -> None:
        """Stop it."""
        self._wanted = False
        if self.process is not None:
            self.process.stop()
            self.process = None


def _said_of_loops(apps: Sequence[str], loop: str) -> str:
    """What to tell who has named these apps for switches that have a loop."""
    known = [Path(app).stem if app.endswith(".py") else app.removeprefix("ryu.app.") for app in apps]
    if any(app.startswith(_SPANNING_TREE) for app in known):
        return (
            f"The switches have loops ({loop}); {', '.join(apps)} opens their ports about 30 s after the start: "
            "packets before are lost, so let tests wait"
        )
    if any(app in _FOR_LOOPS for app in known):
        return ""
    instead = f"{LOOP_APP}, hybridnet's default there, or ryu.app.simple_switch_stp_13"
    flooding = [app for app in known if app == DEFAULT_APP or app.startswith("simple_switch")]
    if flooding:
        return f"Warning: {flooding[0]} floods loops for ever, and the switches have some ({loop}); use {instead}"
    return (
        f"Warning: the switches have loops ({loop}): if {', '.join(apps)} floods there, packets circulate for ever, "
        f"and everything is lost; what keeps them from it is {instead}"
    )


class OsKen(Ryu):
    """Apps under os-ken, OpenStack's fork of Ryu, which is still maintained. As `Ryu`; an app that imports ``ryu`` gets
    os-ken's module of the same name, where there is one: os-ken has neither a REST interface (``ryu.app.wsgi``) nor
    Ryu's example switches.
    """

    framework = OSKEN


class Faucet(OsKen):
    """Faucet, a controller that a YAML file configures: VLANs, access lists, routes, stacks of switches.

    Args:
        name: as the script calls it.
        config: its file. Datapaths there have the switches' dpids, and interfaces the numbers of their ports.
        options: those of `Ryu`, apart from apps.

    Raises:
        UsageError: there is no such file, or an option makes no sense.
    """

    _app: ClassVar[str] = "faucet"

    def __init__(self, name: str = "c0", config: str | Path = "faucet.yaml", **options: Any) -> None:
        super().__init__(name, f"faucet.{self._app}", **options)
        self._taken, self._rejection = False, ""  # of its file, as its log says
        what = f"controller {self.name}: config"
        path = user_file(text(str(config) if isinstance(config, Path) else config, what)).resolve()
        if not path.is_file():
            raise UsageError(
                f"controller {self.name}: {self._app.title()}'s configuration {shown(str(config))} is no file; name one"
            )
        self.config = path

    def what(self) -> str:
        """What it is, for people."""
        return f"{self._app.title()} with {self.config}"

    def suit(self, loop: Sequence[str]) -> str:
        """Nothing to tell: what happens in loops is in its configuration."""
        return ""

    def settings(self, address: str) -> dict[str, str]:
        """Environment variables that its process gets: its log is its output."""
        word = self._app.upper()
        if self.rest_port is None:
            self.rest_port = free_port(address)
        return {
            f"{word}_CONFIG": str(self.config),
            f"{word}_LOG": "STDOUT",
            f"{word}_EXCEPTION_LOG": "STDOUT",
            f"{word}_PROMETHEUS_ADDR": address,
            f"{word}_PROMETHEUS_PORT": str(self.rest_port),
        }

    def begin(self, head_address: str, others: Sequence[str] = ()) -> None:
        """As `Ryu.begin`."""
        self._taken, self._rejection = False, ""
        super().begin(head_address, others)

    def settle(self, switches: int, dpids: Collection[str], patience_s: float) -> None:
        """Wait until it has read its file.

        Raises:
            ControllerError: it rejects the file, or has died; or, as ControllerLateError, has not read it in time.
        """
        self._await(
            lambda: self._taken, lambda: f"{self._app.title()} has not read {self.config}", patience_s
        )

    def check(self) -> None:
        """Raise ControllerError if it has died, or has rejected the file with which it started."""
        super().check()
        if self._rejection:
            raise ControllerError(
                f"controller {self.name}: {self._app.title()} rejects {self.config}, and would forward nothing: "
                f"{self._rejection}; correct the file"
            )

    def _line(self, line: str) -> None:
        if _TAKEN.search(line):
            self._taken = True
        # A file that it rejects later leaves the one that it has in force.
        if (said := _REJECTED.search(line)) and not self._taken:
            self._rejection = said[1] or said[2]
        super()._line(line)

    def metrics(self) -> str:
        """What it counts, as Prometheus reads it; nobody gets it without the run's secret.

        Raises:
            ControllerError: it is not started, or does not answer.
        """
        if self.process is None:
            raise ControllerError(f"controller {self.name}: it counts nothing before it is started")
        return self.process.rest.text("/metrics")


class Gauge(Faucet):
    """Gauge, which writes down what Faucet's switches count; its YAML file says what, and where. As `Faucet`.

    Without a Prometheus database in its file there are no `metrics`.
    """

    _app = "gauge"

    def __init__(self, name: str = "c0", config: str | Path = "gauge.yaml", **options: Any) -> None:
        super().__init__(name, config, **options)
        if self.rest_port is not None:
            raise UsageError(
                f"controller {self.name}: its file says rest_port; write prometheus_port there, at its database"
            )

    def settings(self, address: str) -> dict[str, str]:
        """Environment variables that its process gets. Raises UsageError: its file is no YAML."""
        import yaml

        try:
            databases = (yaml.safe_load(self.config.read_text()) or {}).get("dbs", {}).values()
            of_prometheus = [each for each in databases if each["type"] == "prometheus"]
            ports = [each.get("prometheus_port", GAUGES_OWN_PORT) for each in of_prometheus]
        except (yaml.YAMLError, OSError, UnicodeError, AttributeError, KeyError, TypeError) as error:
            raise UsageError(
                f"controller {self.name}: {self.config} is no configuration of Gauge's: "
                f"{type(error).__name__}: {error}"
            ) from None
        self.rest_port = ports[0] if ports else None
        return super().settings(address)


class Controller(Ryu):
    """The default controller: hybridnet's own switch under Ryu, one for loop-free networks or one for others."""


OVSController = Controller


def _version(number: str) -> str:
    """A version of OpenFlow by its number on the wire, in hexadecimal digits.

    Example:
        >>> _version("04"), _version("1")
        ('OpenFlow13', 'OpenFlow10')
    """
    return f"OpenFlow1{int(number, 16) - 1}"


_COMPUTER = re.compile(
    r"([A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9])?\.)*[A-Za-z]([A-Za-z0-9_-]*[A-Za-z0-9])?\.?"
)
_MOST_NAME = 253  # characters of a computer's name: RFC 1035, 2.3.4


def _address(value: Any, what: str) -> str:
    """An address, or the name of a computer (RFC 1123, 2.1), whose last part is no number. Raises UsageError."""
    written = text(value, what)
    try:
        ipaddress.ip_address(written)
    except ValueError:
        if len(written) > _MOST_NAME or not _COMPUTER.fullmatch(written):
            raise UsageError(
                f"{what} {shown(written)} is neither an address nor the name of a computer; write 192.0.2.1 or "
                "controller.example"
            ) from None
    return written


def _tcp_port(port: Any, what: str) -> int | None:
    if port is not None and not (type(port) is int and 1 <= port <= 65535):
        raise UsageError(f"{what}: port {shown(port)} is not a TCP port; write one from 1 to 65535")
    return port
