# SPDX-License-Identifier: MIT
"""Options of commands that keep a record of what they run: --out, --series, --series-of, --trace."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from hybridnet.describe.topo import Topo, natural
from hybridnet.describe.user_files import told_of_files
from hybridnet.errors import UsageError
from hybridnet.observe.results.verdict import Verdict
from hybridnet.run.prompt.ending import ending_with_verdict
from hybridnet.run.prompt.exit_codes import code_of_error
from hybridnet.system.log import info

__all__ = ["add_recording_arguments", "add_set_argument", "check_trace", "ending_with_record"]


def add_recording_arguments(parser: argparse._ActionsContainer) -> None:
    """Add --out, --series, --series-of and --trace."""
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="keep the results, and what is needed to repeat the run, in this run directory (default with --series and "
        "--trace: a new one in runs)",
    )
    parser.add_argument(
        "--series",
        metavar="TIME",
        help="sample counters at this interval, such as 100ms, into the run directory",
    )
    parser.add_argument(
        "--series-of",
        metavar="NAME,NAME|all",
        help="what --series samples: names of nodes, links, interfaces or applications, or all (default: links between "
        "machines, portals, applications, TCP connections, hosts' interfaces, lateness, processors)",
    )
    parser.add_argument(
        "--trace",
        metavar="NAME,NAME",
        help="write the frames at these simulated interfaces, as text and pcap, and the state of the TCP connections "
        "of these simulated hosts, whenever it changes, into the run directory",
    )


def add_set_argument(parser: argparse._ActionsContainer) -> None:
    """Add --set."""
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="set what hybridnet.value(NAME, DEFAULT) returns, or a parameter of the topology; may be repeated",
    )


def check_trace(written: str | None, topo: Topo, *, switches_simulated: bool) -> None:
    """Check what --trace names, before there is a run directory: simulated hosts and interfaces of this network.

    Args:
        switches_simulated: all OpenFlow switches are, whatever the description says.

    Raises:
        UsageError: a name is that of another node, or no simulated interface has it.
    """
    from hybridnet.observe.recording.trace_files import split_traced

    specs = {spec.name: spec for spec in topo.node_specs()}
    interfaces, _ = split_traced(_names_of(written), {name: spec.role for name, spec in specs.items()})
    simulated = {
        end.interface
        for link in topo.link_specs()
        for end in (link.a, link.b)
        if specs[end.node].simulated or (switches_simulated and specs[end.node].role == "switch")
    }
    for name in interfaces:
        if name not in simulated:
            known = sorted(simulated, key=natural)
            there = ", ".join([*known[:20], *(["..."] if len(known) > 20 else [])])
            raise UsageError(
                f"--trace {name}: there is no simulated interface or host of that name; the interfaces are "
                f"{there or 'none: no node is simulated'}"
            )


def _names_of(trace: str | None) -> list[str]:
    names = [] if trace is None else trace.split(",")
    if not all(names) or len(set(names)) < len(names):
        raise UsageError(f"--trace {trace}: write NAME,NAME, each once")
    return names


def ending_with_record(
    arguments: argparse.Namespace, name: str, body: Callable[[], int], *, strict: bool
) -> int:
    """As `ending_with_verdict`; with --out, --series or --trace in a run directory.

    Args:
        name: of the script or topology.
        body: runs networks, and returns an exit code.
    """
    if arguments.series_of is not None and arguments.series is None:
        raise UsageError("--series-of says what --series samples; also write --series 100ms")
    trace = _names_of(arguments.trace)
    if arguments.out is None and arguments.series is None and not trace:
        return ending_with_verdict(body, strict=strict)
    # Only who records waits for these imports.
    from hybridnet.observe.recording.capsule import capsule_of
    from hybridnet.observe.recording.current_record import recording
    from hybridnet.observe.recording.run_record import RunRecord, default_path, series_interval_s

    if arguments.series is not None:
        series_interval_s(arguments.series, "--series")
    of = arguments.series_of
    capsule = capsule_of(arguments.command_line)
    record = RunRecord(
        default_path(name) if arguments.out is None else arguments.out,
        series=arguments.series,
        elements=of if of in (None, "all") else of.split(","),
        trace=trace,
        facts=capsule.facts(),
        seed=getattr(arguments, "seed", 1),
    )
    capsule.keep(record.directory.path)

    def keep(named: str, path: Path) -> None:
        capsule.add(named, path)
        capsule.keep(record.directory.path)
        record.note(capsule.facts())

    code = 1
    verdicts: list[Verdict] = []
    with recording(record), told_of_files(keep):
        try:
            code = ending_with_verdict(body, strict=strict, told=verdicts.extend)
        except BaseException as error:
            code = code_of_error(error)
            raise
        finally:
            record.end(code, verdicts)
    info(f"*** Run directory: {record.directory.path}\n")
    return code
