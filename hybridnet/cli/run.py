# SPDX-License-Identifier: MIT
"""``hybridnet run``: run a script, or start a topology and open the prompt."""

from __future__ import annotations

import argparse
import ast
import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hybridnet.cli.detach_options import add_detach_argument, run_detached
from hybridnet.cli.live import LIVE, add_live_arguments, with_page
from hybridnet.cli.network import (
    SPREAD,
    add_cut_delay_argument,
    add_network_arguments,
    asked_of,
    controllers_of,
    cut_delay_ns,
    machine_names,
    plan_options,
)
from hybridnet.cli.places import PLACE_OPTIONS, add_place_arguments, places_of
from hybridnet.cli.record_options import (
    add_recording_arguments,
    add_set_argument,
    check_trace,
    ending_with_record,
)
from hybridnet.cli.rootless_options import add_rootless_argument, begins_as_user
from hybridnet.cli.time_options import (
    add_slow_argument,
    add_time_argument,
    begins_in_real_time,
    run_in_simulated_time,
)
from hybridnet.cli.topology import (
    add_topology_arguments,
    find_topology,
    is_description,
    notes_of,
    require_script,
    topologies_of,
)
from hybridnet.compat.mininet.loading import importing
from hybridnet.compat.mininet.loading.python2 import run_script
from hybridnet.describe.kinds import SIMULATED
from hybridnet.describe.topo import Topo
from hybridnet.errors import ExperimentError, UsageError
from hybridnet.machines.cluster.kernels import kernels_of_run
from hybridnet.observe.results.on_loss import ON_LOSS, STOP, on_loss
from hybridnet.plan.choices.from_command_line import asking
from hybridnet.plan.placement.spread import spread
from hybridnet.run.prompt.ending import add_strict_argument
from hybridnet.run.prompt.user_code import user_code
from hybridnet.system.log import LEVELS, info, setLogLevel
from hybridnet.tools.sweep.values import given, parse_settings, refuse_unasked

if TYPE_CHECKING:
    from hybridnet.machines.cluster.places import Places

SUMMARY = "Run a script, or start a topology and open the prompt."
EXAMPLES = """  sudo hybridnet run examples/two_machines.py
  sudo hybridnet run their_mininet_script.py -- its arguments
  sudo hybridnet run --machines 2 their_mininet_or_maxinet_script.py
  sudo hybridnet run --topo tree,2 --test pingall
  sudo hybridnet run --live --topo twotrees,depth=3                   a page of the network; open the link it prints
  sudo hybridnet run --strict my_experiment.py                        it exits with 4 if the verdict is broken
  sudo hybridnet run --topo twotrees,depth=3,join=routed,delay=5ms --controller my_app.py
  sudo hybridnet run my_topologies.py --topo mytopo --controller remote,port=6633
  sudo hybridnet run --series 100ms --out runs/one my_experiment.py   then: hybridnet plot runs/one
  sudo hybridnet run --set bw=100 my_experiment.py                    what hybridnet.value("bw", 10) returns there
  sudo hybridnet run --topo fattree,4 --test pingall
  sudo hybridnet run --topo Abilene.graphml,hosts=2
  sudo hybridnet run --topo my_network.yaml
  sudo hybridnet run lab.clab.yml                                     a lab of containerlab
  sudo hybridnet run their_lab/lab.conf --test pingall                a lab of Kathará
  sudo hybridnet run session.xml                                      a session of CORE; project.gns3: of GNS3
  hybridnet run --topo twotrees,depth=6 --ssh me@node1,me@node2
  hybridnet run --topo twotrees,depth=6 --cloudlab                    on a node of an experiment
  hybridnet run --detach --ssh me@node1,me@node2 --topo twotrees      then: hybridnet attach
  sudo hybridnet run --detach --on-loss continue my_experiment.py     the others go on without a machine that is lost
  sudo hybridnet run my_topologies.py --topo backbone --instances 4
  sudo hybridnet run --instances auto --wait sleep my_experiment.py   also for networks that a script makes itself
  sudo hybridnet run --topo tree,4 --switches simulated --test pingall
  hybridnet run --rootless examples/two_machines.py                   in a user namespace, without root
  hybridnet run --time simulated my_experiment.py                     equal results at any load, without root
  sudo hybridnet run --slow 10 --topo twotrees                        in real time, ten times slower than described
"""
_OF_ALL = {
    *(
        "file",
        "script_arguments",
        "verbosity",
        "strict",
        "on_loss",
        "out",
        "series",
        "series_of",
        "set",
        "trace",
        "time",
        "slow",
        "rootless",
    ),
    *("instances", "peering", "switches", "wait"),
    *LIVE,
}
TESTS = ("pingall", "pingpair", "iperf", "iperfudp", "none")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """FILE.py, --topo, and how to build it."""
    add_topology_arguments(parser)
    parser.add_argument(
        "script_arguments", nargs="*", metavar="ARGUMENT", help="the script's arguments, after --"
    )
    add_place_arguments(parser, SPREAD)
    add_detach_argument(parser)
    add_time_argument(parser)
    add_slow_argument(parser)
    add_rootless_argument(parser)
    parser.add_argument(
        "--on-loss",
        choices=ON_LOSS,
        default=STOP,
        help="what to do when a machine is lost: stop, or continue with the others; links to it are then down, and the "
        "verdict names it (default: %(default)s)",
    )
    add_cut_delay_argument(parser)
    add_strict_argument(parser)
    add_recording_arguments(parser)
    add_set_argument(parser)
    add_live_arguments(parser)
    parser.add_argument("--test", choices=TESTS, help="run this instead of opening the prompt")
    parser.add_argument(
        "-v",
        "--verbosity",
        choices=tuple(LEVELS),
        default="info",
        help="which messages to show (default: info)",
    )
    add_network_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run it, and say what its results are worth. Return 1 when the test lost pings."""
    if arguments.detach:
        return run_detached(arguments.command_line)
    if begins_as_user(arguments):
        from hybridnet.machines.workers.user_namespace import run_as_user

        return run_as_user(arguments.command_line)
    if begins_in_real_time(arguments):
        return run_in_simulated_time(arguments, arguments.out, machine_names(arguments.machines))
    setLogLevel(arguments.verbosity)
    cut_delay_ns(arguments.cut_delay)
    file = arguments.file
    if file in TESTS and not Path(file).exists():
        raise UsageError(f"{file}: there is no such file; the test of this name is --test {file}")
    with given(parse_settings(arguments.set)), with_page(arguments), on_loss(arguments.on_loss):
        if arguments.topo is None and arguments.file is not None and not is_description(arguments.file):
            require_script(arguments.file)
            name, body = Path(arguments.file).stem, lambda: _run_script(arguments)
        else:
            topo = find_topology(arguments.file, arguments.topo)
            refuse_unasked()
            for note in notes_of(topo):
                info(f"*** {note}\n")
            check_trace(arguments.trace, topo, switches_simulated=arguments.switches == SIMULATED)
            name, body = type(topo).__name__, lambda: _run_topology(arguments, topo)
        return ending_with_record(arguments, name, body, strict=arguments.strict)


def _run_topology(arguments: argparse.Namespace, topo: Topo) -> int:
    controllers = controllers_of(arguments.controller, topo, arguments.controller_arguments)
    from hybridnet.cli.progress import BuildProgress
    from hybridnet.run.net import Net

    places = places_of(arguments)
    with _machines(places) as cluster:
        names = cluster.machines if cluster is not None else places.names
        if names and not any(spec.machine for spec in topo.node_specs()):
            laid = spread(topo, names, least_cut_delay_ns=cut_delay_ns(arguments.cut_delay))
            info(f"*** Spreading {laid}\n")
            topo = laid.topo
        with BuildProgress() as progress:
            net = Net(
                topo,
                controller=controllers,
                cluster=cluster,
                on_progress=progress,
                switches=arguments.switches,
                **plan_options(arguments),
            )
            net.start()
        with net:
            _use(net, arguments.test)
            net.check()
    return 0


def _refuse_network_arguments(arguments: argparse.Namespace, of_scripts: set[str]) -> None:
    """Refuse options that a script would not see: it decides itself what it builds."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    defaults = vars(parser.parse_args([]))
    for name in sorted(set(defaults) - _OF_ALL - of_scripts):
        if getattr(arguments, name) != defaults[name]:
            option = f"--{name.replace('_', '-')}"
            raise UsageError(
                f"{option} needs --topo; {arguments.file} is a script that builds its own network: choose one of its "
                f"topologies with --topo, or set this in the script ({option} after -- goes to the script)"
            )


def _machines(places: Places) -> contextlib.AbstractContextManager[Any]:
    """The machines elsewhere; None means local ones, which the network makes itself."""
    return places.open() if places.elsewhere else contextlib.nullcontext()


def _run_script(arguments: argparse.Namespace) -> int:
    """Run a script as `python FILE.py` would."""
    file = arguments.file
    of_mininet = importing.imports_mininet(Path(file))
    own = set() if kernels_of_run() is None else {"machines"}  # the run has them whatever the script builds
    _refuse_network_arguments(arguments, {*PLACE_OPTIONS, "cut_delay"} if of_mininet else own)
    if of_mininet and arguments.switches == SIMULATED:
        raise UsageError(
            f"--switches {SIMULATED}: {file} is written for Mininet, whose switches are bridges of Open vSwitch; leave "
            "the option out, or describe the network with hybridnet's Topo"
        )
    wanted = asked_of(arguments)
    before, sys.argv = sys.argv, [file, *arguments.script_arguments]
    place = contextlib.ExitStack()

    def take_place() -> None:
        place.enter_context(_in_place_of_mininet(arguments))

    try:
        with user_code(file, ExperimentError), asking(wanted), place:
            if of_mininet:
                take_place()
            else:
                place.enter_context(importing.once_imported(take_place))
            names = run_script(file, of_mininet)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)  # as Python does
        return 1
    finally:
        sys.argv = before
    refuse_unasked()
    wanted.refuse_unobeyed()
    if "topos" in names and "Net" not in names and "Mininet" not in names:
        raise UsageError(
            f"{file} only describes topologies; choose one with --topo: {', '.join(topologies_of(names))}"
        )
    if "topos" not in names and not wanted.has_network and (described := topologies_of(names)):
        if _only_describes(Path(file)):
            raise UsageError(
                f"{file} only describes topologies; choose one with --topo: {', '.join(described)}, as in `hybridnet "
                f"run {file} --topo {next(iter(described))}`"
            )
        # No error: the script may have had something else to do with them.
        info(
            f"*** {file} has started no network; --topo builds one of its topologies: {', '.join(described)}\n"
        )
    return 0


def _only_describes(file: Path) -> bool:
    """Whether a file has nothing that runs: definitions, imports and constants only."""
    try:
        statements = ast.parse(file.read_bytes()).body
    except (SyntaxError, ValueError):  # of Python 2
        return False
    quiet = (ast.Import, ast.ImportFrom, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Pass)
    return all(
        isinstance(each, quiet)
        or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        or (
            isinstance(each, ast.Assign | ast.AnnAssign)
            and not any(isinstance(part, ast.Call) for part in ast.walk(each))
        )
        for each in statements
    )


@contextlib.contextmanager
def _in_place_of_mininet(arguments: argparse.Namespace) -> Iterator[None]:
    """Have `import mininet` mean hybridnet's front of that name, on the machines that the arguments ask for."""
    info(f"*** {arguments.file} imports mininet: hybridnet takes its place\n")
    importing.take_the_name()
    from hybridnet.compat.mininet import machines  # only who wants Mininet waits for these
    from hybridnet.compat.mininet.network import remove_forgotten

    places = places_of(arguments)
    if places.names or places.elsewhere:
        opening = places.open if places.elsewhere else None
        delay_ns = cut_delay_ns(arguments.cut_delay)
        machines.spread_over(machines.Machines(places.names, opening, least_cut_delay_ns=delay_ns))
    try:
        yield
    finally:
        try:
            remove_forgotten()
        finally:
            machines.end_machines()


def _use(net: Any, test: str | None) -> None:
    if test is None:
        from hybridnet.run.prompt.shell import CLI

        CLI(net)
    elif test in ("pingall", "pingpair"):
        lost = net.pingAll() if test == "pingall" else net.pingPair()
        if lost:
            raise ExperimentError(
                f"{test}: {lost:.0f}% of the pings were lost; run it without `--test` and look around at the prompt"
            )
    elif test != "none":
        net.iperf(l4Type="UDP" if test == "iperfudp" else "TCP")
