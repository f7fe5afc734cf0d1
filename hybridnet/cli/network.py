# SPDX-License-Identifier: MIT
"""Options that say how a network is built, shared by `run` and `plan`."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypedDict

from hybridnet.cli.time_options import slow_asked
from hybridnet.cli.topology import parse_call
from hybridnet.describe.kinds import OWN_KINDS
from hybridnet.describe.quantities import format_delay, parse_delay
from hybridnet.describe.topo import Topo
from hybridnet.describe.topo.node_options import MOST_INSTANCES
from hybridnet.describe.topo.switch_options import protocols
from hybridnet.errors import UsageError
from hybridnet.plan.choices.from_command_line import Asked
from hybridnet.plan.choices.options import AUTO, FIDELITIES, LEAST_CUT_DELAY_NS, PORT_TYPES, RealtimeOptions
from hybridnet.plan.choices.peering import parse_peering

MOST_MACHINES = 1000

if TYPE_CHECKING:
    from hybridnet.run.controllers.kinds import RemoteController

__all__ = [
    "SPREAD",
    "add_asked_arguments",
    "add_cut_delay_argument",
    "add_fidelity_argument",
    "add_instances_arguments",
    "add_machines_argument",
    "add_network_arguments",
    "add_wait_argument",
    "asked_of",
    "asked_words",
    "controllers_of",
    "cut_delay_ns",
    "fidelity_of",
    "instances_asked",
    "machine_names",
    "plan_options",
    "simulated_protocols",
]


SPREAD = (
    "spread a network that names no machines itself over N machines on this computer (m1, m2 ...), or over machines "
    "with these names (default: the machines that the topology names, else m1)"
)


def add_machines_argument(parser: Any, what: str = SPREAD) -> None:
    """Add --machines, which does `what`."""
    parser.add_argument("--machines", metavar="N|NAME,NAME", help=what)


def add_cut_delay_argument(parser: argparse.ArgumentParser) -> None:
    """Add --cut-delay."""
    parser.add_argument(
        "--cut-delay",
        metavar="DELAY",
        default=format_delay(LEAST_CUT_DELAY_NS).replace(" ", ""),
        help="least delay of the links between the machines over which a network is spread; packets that take longer "
        "are late (default: %(default)s)",
    )


def cut_delay_ns(text: str) -> int:
    """The delay that --cut-delay means. Raises UnitError or UsageError.

    Example:
        >>> cut_delay_ns("1ms")
        1000000
    """
    delay = parse_delay(text, "--cut-delay")
    if delay < LEAST_CUT_DELAY_NS:
        raise UsageError(f"--cut-delay {text}: write {format_delay(LEAST_CUT_DELAY_NS)} or more")
    return delay


def machine_names(text: str | None) -> list[str]:
    """The names that --machines means; none where it is not given.

    Example:
        >>> machine_names("2"), machine_names("a,b"), machine_names(None)
        (['m1', 'm2'], ['a', 'b'], [])
    """
    if text is None:
        return []
    if text.isdecimal() and 1 <= int(text) <= MOST_MACHINES:
        return [f"m{number}" for number in range(1, int(text) + 1)]
    names = text.split(",")
    if not all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_.-]*", name) for name in names):
        raise UsageError(
            f"--machines {text}: write a number from 1 to {MOST_MACHINES}, or names such as m1,m2"
        )
    return names


def add_network_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that `plan_options` reads, and --controller."""
    parser.add_argument(
        "--controller",
        metavar="APP",
        action="append",
        help="Ryu apps (files or modules, joined by commas), osken:APPS, faucet:FILE.yaml, gauge:FILE.yaml, "
        "remote[,ip=A][,port=N], or none; may be repeated (default: tree_switch, or ecmp_switch if the topology has "
        "loops)",
    )
    parser.add_argument(
        "--controller-arguments",
        metavar="WORDS",
        help="options of the apps' framework, such as '--observe-links --user-flags flags.py'",
    )
    parser.add_argument(
        "--port-type",
        choices=PORT_TYPES,
        default="auto",
        help="how frames get into Open vSwitch (default: auto, what fits the machine)",
    )
    parser.add_argument(
        "--seed", type=int, default=1, help="seed of the simulator's random streams (default: 1)"
    )
    parser.add_argument(
        "--ip-base", default="10.0.0.0/8", metavar="PREFIX", help="the hosts' network (default: 10.0.0.0/8)"
    )
    parser.add_argument(
        "--ip6-base",
        metavar="PREFIX",
        help="give IPv6 addresses too, from this prefix, such as fd00::/48 (default: only where the topology has one)",
    )
    parser.add_argument("--mac", action="store_true", help="MAC addresses count from 00:00:00:00:00:01")
    parser.add_argument(
        "--arp", action="store_true", help="hosts know each other's MAC addresses from the start"
    )
    parser.add_argument("--pcap", action="store_true", help="portals use libpcap instead of packet sockets")
    parser.add_argument(
        "--record",
        metavar="DIR",
        help="record what crosses the portals in DIR/INSTANCE.pcapng, for `hybridnet replay`",
    )
    add_fidelity_argument(parser)
    add_asked_arguments(parser)


def add_fidelity_argument(parser: argparse.ArgumentParser) -> None:
    """Add --fidelity, which `fidelity_of` reads."""
    parser.add_argument(
        "--fidelity",
        metavar="FORM[,error=PERCENT]",
        help="what classes of background TCP flows are: fluid, packets, or auto: packets, and fluid while the "
        "simulator would be late, if they then carry at most PERCENT more or less, 1 to 50 (default: fluid; auto: 2)",
    )


class _Fidelity(TypedDict, total=False):
    """Fields of PlanOptions."""

    fidelity: str
    error: str


def fidelity_of(text: str | None) -> _Fidelity:
    """The fields of PlanOptions that --fidelity means. Raises UsageError.

    Example:
        >>> fidelity_of("auto,error=5%"), fidelity_of(None)
        ({'fidelity': 'auto', 'error': '5%'}, {})
    """
    if text is None:
        return {}
    form, *rest = text.split(",")
    if form not in FIDELITIES or len(rest) > 1 or (rest and not rest[0].startswith("error=")):
        raise UsageError(f"--fidelity {text}: write {', '.join(FIDELITIES)}, or auto,error=2%")
    if not rest:
        return {"fidelity": form}
    if form != AUTO:
        raise UsageError(f"--fidelity {text}: an error is of {AUTO} only; leave it out")
    return {"fidelity": form, "error": rest[0].removeprefix("error=")}


def add_asked_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that `asked_of` reads and `asked_words` repeats: --instances, --peering, --switches and so on."""
    add_instances_arguments(parser)
    parser.add_argument(
        "--switches",
        choices=OWN_KINDS,
        help="the kind of switches that choose neither their kind nor their datapath themselves (default: openvswitch)",
    )
    parser.add_argument(
        "--protocols",
        metavar="VERSIONS",
        help="versions of OpenFlow of switches that do not say, such as OpenFlow10 or OpenFlow10,OpenFlow13 (default: "
        "OpenFlow13)",
    )
    add_wait_argument(parser)


def add_instances_arguments(parser: argparse.ArgumentParser) -> None:
    """Add --instances and --peering, which `instances_asked` reads."""
    parser.add_argument(
        "--instances",
        metavar="N|auto",
        help="divide what each machine simulates among N instances, if the topology names none itself; auto: "
        "one for each free processor (default: 1)",
    )
    parser.add_argument(
        "--peering",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="an option of the peering between instances, such as transport=tcp or compression=auto; may be repeated "
        "(docs/peering.md)",
    )


def add_wait_argument(parser: argparse.ArgumentParser, default: str = "what fits the machine") -> None:
    """Add --wait; `default` is what its help says."""
    parser.add_argument(
        "--wait",
        metavar="POLICY",
        help="how the simulator waits for frames and events: sleep (least processor time), adaptive, or dedicated (a "
        f"core for each instance, least delay); see docs/portals.md (default: {default})",
    )


def plan_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The fields of PlanOptions that the arguments set."""
    return asked_of(arguments).and_own(
        {
            "port_type": arguments.port_type,
            "seed": arguments.seed,
            "ip_base": arguments.ip_base,
            "ip6_base": arguments.ip6_base,
            "auto_set_macs": arguments.mac,
            "auto_static_arp": arguments.arp,
            "backend": "pcap" if arguments.pcap else "packet",
            "record": None if arguments.record is None else os.path.abspath(arguments.record),
            **fidelity_of(arguments.fidelity),
        }
    )


def asked_of(arguments: argparse.Namespace) -> Asked:
    """What the arguments ask of every network, also of a script's own. Raises UsageError or PlanError."""
    if arguments.wait is not None:
        RealtimeOptions(wait=arguments.wait)  # which refuses what is none
    if arguments.protocols is not None:
        protocols(arguments.protocols, "--protocols")
    return replace(
        instances_asked(arguments),
        wait=arguments.wait,
        switches=arguments.switches,
        protocols=arguments.protocols,
    )


def asked_words(arguments: argparse.Namespace) -> list[str]:
    """The same options that were given, as words of another command line. Raises UsageError or PlanError.

    Example:
        >>> parser = argparse.ArgumentParser()
        >>> add_asked_arguments(parser)
        >>> asked_words(parser.parse_args(["--peering", "flush=packet", "--instances", "2"]))
        ['--instances', '2', '--peering', 'flush=packet']
    """
    asked_of(arguments)  # what makes no sense is said here
    words = [f"--{name}" for name in ("instances", "protocols", "switches", "wait")]
    given = [(word, getattr(arguments, word.removeprefix("--"))) for word in words]
    given += [("--peering", each) for each in arguments.peering]
    return [text for word, value in given if value is not None for text in (word, value)]


def instances_asked(arguments: argparse.Namespace) -> Asked:
    """What --instances, --peering and --slow ask of every network. Raises UsageError or PlanError."""
    return Asked(
        slow=slow_asked(arguments),
        instances=None if arguments.instances is None else _instances(arguments.instances),
        peering=parse_peering(arguments.peering) if arguments.peering else None,
    )


def _instances(text: str) -> int | str:
    if text == AUTO:
        return text
    if not text.isdecimal() or not 1 <= int(text) <= MOST_INSTANCES:
        raise UsageError(f"--instances {text}: write a number from 1 to {MOST_INSTANCES}, or {AUTO}")
    return int(text)


def controllers_of(
    texts: Sequence[str] | None, topo: Topo, arguments: str | None = None
) -> list[RemoteController]:
    """The controllers that each ``--controller`` names; without one those of the topology's file, or hybridnet's own.

    Args:
        texts: ``none``, ``remote[,ip=ADDRESS][,port=N]``, ``faucet:FILE``, ``gauge:FILE``, or apps joined by commas,
            after ``osken:`` such that run under os-ken; ``ryu`` or ``osken`` alone is hybridnet's own app there.
        arguments: of the apps' framework, as a shell would read them.
    """
    from hybridnet.plan.files import FileTopo
    from hybridnet.run.controllers.kinds import Ryu

    words = [] if arguments is None else framework_words(arguments)
    if texts is None and isinstance(topo, FileTopo) and topo.controllers is not None:
        if words:
            raise UsageError(
                "--controller-arguments: the topology's file names its controllers; give them arguments there"
            )
        return [_controller(name, options) for name, options in topo.controllers.items()]
    if texts is None:
        return [Ryu("c0", arguments=words, on_line=_printer("c0"))]
    if "none" in texts:
        if len(texts) > 1 or words:
            raise UsageError(
                "--controller none: it stands alone; leave the other --controller and --controller-arguments out"
            )
        return []
    made = [_named(f"c{number}", text, words) for number, text in enumerate(texts)]
    if words and not any(isinstance(controller, Ryu) for controller in made):
        raise UsageError(
            "--controller-arguments: somebody else runs the controller; give them there, or leave them out"
        )
    return made


def _named(name: str, text: str, words: list[str]) -> RemoteController:
    from hybridnet.run.controllers.kinds import Faucet, Gauge, OsKen, RemoteController, Ryu

    if text.partition(",")[0] == "remote":
        _, positional, named = parse_call(text)
        ip, port = named.pop("ip", "127.0.0.1"), named.pop("port", None)
        if positional or named or not isinstance(ip, str) or not isinstance(port, int | None):
            raise UsageError(f"--controller {text}: write remote,ip=ADDRESS,port=NUMBER")
        return RemoteController(name, ip, port)
    kind, _, rest = text.partition(":")
    on_line = _printer(name)
    if kind in ("faucet", "gauge"):
        if not rest:
            raise UsageError(f"--controller {text}: which configuration? Write {kind}:{kind}.yaml")
        return (Faucet if kind == "faucet" else Gauge)(name, rest, arguments=words, on_line=on_line)
    frameworks = {"ryu": Ryu, "osken": OsKen}  # alone: hybridnet's own app under it
    if kind in frameworks:
        return frameworks[kind](name, *filter(None, rest.split(",")), arguments=words, on_line=on_line)
    return Ryu(name, *text.split(","), arguments=words, on_line=on_line)


def framework_words(arguments: str) -> list[str]:
    """The words of --controller-arguments. Raises UsageError."""
    try:
        return shlex.split(arguments)
    except ValueError as error:
        raise UsageError(f"--controller-arguments {arguments}: {error}; close the quotation") from None


def simulated_protocols(text: str) -> tuple[str, ...]:
    """The versions of OpenFlow that --protocols means, where all switches are simulated. Raises UsageError.

    Example:
        >>> simulated_protocols("OpenFlow10,OpenFlow13")
        ('OpenFlow10', 'OpenFlow13')
    """
    from hybridnet.plan.network.openflow import SPOKEN

    protocols = tuple(text.split(","))
    if not set(protocols) <= set(SPOKEN):
        raise UsageError(
            f"--protocols {text}: a simulated switch speaks {' and '.join(SPOKEN)}; write one of them, or both"
        )
    return protocols


def _controller(name: str, options: dict[str, Any]) -> RemoteController:
    """A controller of a file: apps of Ryu's, or with an address or a port one that somebody else runs."""
    from hybridnet.run.controllers.kinds import RemoteController, Ryu

    if "apps" not in options and {"ip", "port"} & set(options):
        return RemoteController(name, **options)
    apps = options.pop("apps", [])
    return Ryu(name, *apps, on_line=_printer(name), **options)


def _printer(name: str) -> Callable[[str], None]:
    """Print a controller's lines, to standard error: they are no results of the script's. The thread that follows its
    log goes on when nobody reads them: the controller says there what it has found.
    """

    def say(line: str) -> None:
        with contextlib.suppress(BrokenPipeError):
            print(f"{name}: {line}", file=sys.stderr, flush=True)

    return say
