# SPDX-License-Identifier: MIT
"""``hybridnet mn``: Mininet's command line."""

from __future__ import annotations

import argparse

from hybridnet.cli.network import (
    add_cut_delay_argument,
    add_instances_arguments,
    add_machines_argument,
    cut_delay_ns,
    instances_asked,
    machine_names,
)
from hybridnet.cli.record_options import add_recording_arguments, ending_with_record
from hybridnet.cli.time_options import (
    add_slow_argument,
    add_time_argument,
    begins_in_real_time,
    run_in_simulated_time,
)
from hybridnet.errors import UsageError
from hybridnet.plan.choices.from_command_line import asking
from hybridnet.run.prompt.ending import add_strict_argument
from hybridnet.system.log import LEVELS

SUMMARY = "Mininet's command line: make a network and open the prompt, or run tests."
EXAMPLES = """  sudo hybridnet mn
  sudo hybridnet mn --topo tree,2 --test pingall
  sudo hybridnet mn --topo linear,4 --controller remote,ip=127.0.0.1,port=6633 --mac
  sudo hybridnet mn --custom my_topologies.py --topo mytopo --link tc,bw=10,delay=5ms --test iperf
  sudo hybridnet mn --topo single,3 --switch ovsbr --test none
  sudo hybridnet mn --topo tree,4 --machines 2 --test pingall
  sudo hybridnet mn -c
"""
_MORE = "[,PARAMETER=VALUE...]"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of `mn`."""
    what = parser.add_argument_group("the network")
    what.add_argument(
        "--topo",
        default="minimal",
        metavar="NAME[,ARGUMENT...]",
        help="minimal, single,N, reversed,N, linear,N, tree,DEPTH,FANOUT, torus,X,Y, or one of --custom; "
        "default: minimal",
    )
    what.add_argument(
        "--custom",
        action="append",
        default=[],
        metavar="FILE,...",
        help="Python files that add topologies, classes, tests",
    )
    what.add_argument(
        "--switch", default="default", metavar=f"NAME{_MORE}", help="ovs (default), ovsbr, lxbr, user, ivs"
    )
    what.add_argument("--host", default="proc", metavar=f"NAME{_MORE}", help="proc (default), cfs, rt")
    what.add_argument(
        "--controller",
        action="append",
        default=[],
        metavar=f"NAME{_MORE}",
        help="default, ref, ovsc, ryu,APP..., remote, none; may be repeated",
    )
    what.add_argument("--link", default="default", metavar=f"NAME{_MORE}", help="default, tc, tcu, ovs")
    what.add_argument(
        "-i",
        "--ipbase",
        default="10.0.0.0/8",
        metavar="PREFIX",
        help="the hosts' network (default: 10.0.0.0/8)",
    )
    what.add_argument("--mac", action="store_true", help="MAC addresses count from 00:00:00:00:00:01")
    what.add_argument(
        "--arp", action="store_true", help="hosts know each other's MAC addresses from the start"
    )
    what.add_argument(
        "--nat", nargs="?", const="", metavar="PARAMETER=VALUE,...", help="add a NAT to the outside"
    )
    what.add_argument("--pin", action="store_true", help="pin hosts to cores; needs --host cfs or rt")
    what.add_argument(
        "--innamespace",
        action="store_true",
        help="accepted without effect: switches always reach their controllers outside the network",
    )
    what.add_argument(
        "--listenport",
        type=int,
        metavar="PORT",
        help="switches listen for OpenFlow at this port and the next ones (default: they do not)",
    )
    what.add_argument(
        "--nolistenport",
        dest="listenport",
        action="store_const",
        const=None,
        help="switches do not listen for OpenFlow; this is the default",
    )
    where = parser.add_argument_group("where").add_mutually_exclusive_group()
    add_machines_argument(
        where,
        "spread the network over N machines on this computer (m1, m2 ...), or over machines with these names (default: "
        "the network is on this computer itself)",
    )
    where.add_argument(
        "--cluster",
        metavar="HOST,HOST",
        help="spread the network over these computers, by SSH; localhost,localhost is --machines 2",
    )
    add_cut_delay_argument(parser)
    add_instances_arguments(parser)
    parser.add_argument(
        "--placement",
        choices=("block", "random"),
        help="accepted with --cluster, without effect: METIS chooses which node goes where",
    )
    use = parser.add_argument_group("what to do with it")
    use.add_argument(
        "--test",
        action="append",
        default=[],
        metavar="TEST[+TEST...]",
        help="pingall, pingpair, iperf, iperfudp, all, build, none, or a method of the network (default: the prompt)",
    )
    use.add_argument("--pre", metavar="FILE", help="commands of the prompt to run before the network starts")
    use.add_argument("--post", metavar="FILE", help="commands of the prompt to run after the tests")
    use.add_argument("-x", "--xterms", action="store_true", help="open a terminal for each node")
    use.add_argument(
        "-w",
        "--wait",
        action="store_true",
        default=False,
        help="wait until the switches have their controller",
    )
    use.add_argument(
        "-t",
        "--twait",
        dest="wait",
        type=float,
        metavar="SECONDS",
        help="as --wait, for at most this many seconds",
    )
    add_time_argument(use)
    add_slow_argument(use)
    add_strict_argument(use)
    add_recording_arguments(use)
    use.add_argument(
        "-c", "--clean", action="store_true", help="remove what killed runs left behind, and exit"
    )
    use.add_argument(
        "-v",
        "--verbosity",
        choices=tuple(LEVELS),
        default="info",
        help="which messages to show (default: info)",
    )
    use.add_argument(
        "--version",
        action="store_true",
        help="print the version of Mininet that hybridnet imitates, and exit",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run it, and say what its results are worth. A test that fails raises."""
    if arguments.pin and arguments.host.partition(",")[0] not in ("cfs", "rt"):
        raise UsageError(f"--pin: hosts of --host {arguments.host} cannot be pinned; add --host cfs")
    if arguments.cluster is not None and not all(arguments.cluster.split(",")):
        raise UsageError(f"--cluster {arguments.cluster}: write HOST,HOST, such as root@node1,root@node2")
    if begins_in_real_time(arguments):
        return run_in_simulated_time(arguments, arguments.out, machine_names(arguments.machines))
    arguments.machines = machine_names(arguments.machines)
    arguments.cut_delay = cut_delay_ns(arguments.cut_delay)
    from hybridnet.compat.mininet import runner  # only who wants Mininet waits for it

    with asking(instances_asked(arguments)):
        return ending_with_record(
            arguments, "mn", lambda: int(runner.run(arguments)), strict=arguments.strict
        )
