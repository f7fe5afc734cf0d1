# SPDX-License-Identifier: MIT
"""Runs every row under the Mininet that it imports: ``python -m tests.system.mininet_rows.runner REPORT [GROUP…]``.

A row's result is its value, what it printed, what it raised, and what it changed: interfaces, addresses and routes in
the hosts and on the computer, Open vSwitch's database, processes, files. What differs from run to run (process numbers,
MAC addresses that nobody chose, times) is written as a word.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import inspect
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import traceback

from tests.system.mininet_rows.table import GROUPS

MODULES = [
    "clean",
    "cli",
    "link",
    "log",
    "moduledeps",
    "net",
    "node",
    "nodelib",
    "term",
    "topo",
    "topolib",
    "util",
]
PATIENCE_S = 20
PRELUDE = """
import os, re, select, signal, subprocess, sys, time
from functools import partial
from mininet import clean, cli, link, log, moduledeps, net, node, nodelib, term, topo, topolib, util
from mininet.clean import *
from mininet.cli import CLI
from mininet.link import *
from mininet.log import *
from mininet.net import Mininet, MininetWithControlNet
from mininet.node import *
from mininet.nodelib import LinuxBridge, NAT
from mininet.topo import *
from mininet.topolib import TorusTopo, TreeNet, TreeTopo
from mininet.util import *

# Open vSwitch forwards in user space on both: the kernel of the test's computer may have no datapath.
Bridge = partial(OVSSwitch, datapath="user", failMode="standalone")
Bare = partial(Mininet, controller=None, switch=Bridge)
"""

SAME = (
    (r"\\r(?=\\n)|\r(?=\n)", ""),  # Mininet ends lines with CR LF; a row says it
    (r"0x[0-9a-f]{6,}", "<address>"),
    (r"\b(?!00:00:00:)([0-9a-f]{2}:){5}[0-9a-f]{2}\b", "<mac>"),
    (r"\bpid=\d+", "pid=<pid>"),
    (r"time=[\d.]+ ms|time \d+ms", "<time>"),
    (r"[\d.]+ [KMG]?bits/sec", "<rate>"),
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "<uuid>"),
    (r"\b(hybridnet\.compat\.)?mininet\.([a-z]\w*\.)+", "mininet."),
    (r"\[(\d+)\] \d+\b", r"[\1] <pid>"),
    (r"rtt min/avg/max/mdev [\d./]+|<times>", "<times>"),
    (r"Elapsed time: [\d.]+", "Elapsed time: <time>"),
    (r"Results: \[[\d., ]+\]", "Results: <rates>"),
)


class Late(BaseException):
    """A row takes too long."""


def same(text: str) -> str:
    """Without what differs from run to run."""
    for pattern, word in SAME:
        text = re.sub(pattern, word, text)
    return text


def run_row(code: str, names: dict) -> dict:
    """Run one row. Returns its value, what it raised and what it printed."""
    tree = ast.parse(code)
    last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None
    result = {"value": "", "raised": []}
    with tempfile.TemporaryFile() as printed:
        kept = [os.dup(1), os.dup(2)]
        sys.stdout.flush(), sys.stderr.flush()
        os.dup2(printed.fileno(), 1), os.dup2(printed.fileno(), 2)
        signal.alarm(PATIENCE_S)
        try:
            exec(compile(tree, "row", "exec"), names)
            if last is not None:
                result["value"] = same(repr(eval(compile(last, "row", "eval"), names)))
        except Late:
            result["raised"] = ["late"]
        except (Exception, SystemExit) as problem:
            kinds = [kind.__name__ for kind in type(problem).__mro__ if kind not in (object, BaseException)]
            result["raised"] = kinds
            result["why"] = traceback.format_exception_only(type(problem), problem)[-1].strip()[:300]
        finally:
            signal.alarm(0)
            sys.stdout.flush(), sys.stderr.flush()
            os.dup2(kept[0], 1), os.dup2(kept[1], 2)
            os.close(kept[0]), os.close(kept[1])
        printed.seek(0)
        result["printed"] = same(printed.read().decode(errors="replace"))
    return result


def said(*command: str) -> list[str]:
    """What a program prints, line by line."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return done.stdout.splitlines()


LOOK = "ip -o link; ip -o address; ip route; ip neigh show nud permanent; ip -6 route show default"


def look(names: dict) -> set[str]:
    """What there is: on the computer, in Open vSwitch, and in the hosts."""
    net = names.get("net")
    if not hasattr(net, "hosts"):
        return set()
    own = {"lo", *(str(intf) for node in [*net.hosts, *net.switches] for intf in node.intfList())}
    own |= {str(switch) for switch in net.switches}
    found = {f"computer: link {line.split()[1]}" for line in said("ip", "-o", "link")}
    found = {line for line in found if line.split()[2].split("@")[0].rstrip(":") in own}
    for bridge in said("ovs-vsctl", "list-br"):
        found.add(f"bridge {bridge}")
        found |= {f"bridge {bridge} port {port}" for port in said("ovs-vsctl", "list-ports", bridge)}
        found |= {
            f"bridge {bridge} controller {port}" for port in said("ovs-vsctl", "get-controller", bridge)
        }
        found |= {f"bridge {bridge} fails {mode}" for mode in said("ovs-vsctl", "get-fail-mode", bridge)}
    for host in net.hosts:
        try:
            pid = host.pid
        except Exception:
            continue
        if host.inNamespace and pid:
            for line in said("nsenter", "-n", "-t", str(pid), "sh", "-c", LOOK):
                if "fe80" in line or line.startswith("1: lo"):
                    continue
                line = re.sub(r"^\d+: ", "", line)
                line = re.sub(r"@\S+:|qdisc \w+ |qlen \d+|group default|link-netns\S* \S+|\\", " ", line)
                line = re.sub(
                    r"NO-CARRIER,|,LOWER_UP|state \w+|mode \w+", "", line
                )  # these follow a moment later
                line = re.sub(r"valid_lft.*|brd ff:.*|scope \w+|promiscuity.*|src \S+|proto \w+", "", line)
                found.add(f"{host}: {same(' '.join(line.split()))}")
    found |= {f"file {name}" for name in os.listdir(".")}
    prefixes = tuple(f"{node}{end}" for node in net for end in (".log", ".listen", "-of"))
    return found | {f"file {name}" for name in os.listdir("/tmp") if name.startswith(prefixes)}


def run_group(group, modules: dict) -> list[dict]:
    """Run the rows of a group."""
    names = dict(modules)
    results = []
    try:
        names["log"].setLogLevel("info")
        made = run_row(group.setup, names) if group.setup else {"raised": []}
        if made["raised"]:
            return [{"setup failed": made}] * len(group.rows)
        before = look(names)
        for row in group.rows:
            result = run_row(row.code, names)
            after = look(names)
            result["changed"] = [*(f"+ {line}" for line in sorted(after - before))]
            result["changed"] += [f"- {line}" for line in sorted(before - after)]
            before = after
            results.append(result)
    finally:
        with contextlib.suppress(Exception, Late):
            signal.alarm(PATIENCE_S)
            with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
                names["log"].setLogLevel("critical")
                if hasattr(names.get("net"), "hosts"):
                    names["net"].stop()
        signal.alarm(0)
    return results


def public_names() -> dict[str, list[str]]:
    """The public functions and classes, with their methods and attributes, and the arguments of each."""
    found: dict[str, list[str]] = {}

    def add(name: str, thing: object) -> None:
        try:
            found[name] = [
                each.name
                for each in inspect.signature(thing).parameters.values()
                if each.name not in ("self", "cls", "clas") and each.kind is each.POSITIONAL_OR_KEYWORD
            ]
        except (TypeError, ValueError):
            found[name] = []

    for module in map(importlib.import_module, (f"mininet.{name}" for name in MODULES)):
        for name, thing in vars(module).items():
            if name.startswith("_") or getattr(thing, "__module__", None) != module.__name__:
                continue
            if inspect.isclass(thing):
                for own, member in vars(thing).items():
                    function = getattr(member, "__func__", member)
                    if own == "__init__":
                        add(thing.__name__, function)
                    elif not own.startswith("_"):
                        add(f"{thing.__name__}.{own}", function)
            elif callable(thing):
                add(name, thing)
    return found


def main() -> None:
    """Run the rows of all groups, or of those named."""
    report, *chosen = sys.argv[1:]
    os.chdir(tempfile.mkdtemp())

    def late(*_: object) -> None:
        raise Late

    signal.signal(signal.SIGALRM, late)
    modules: dict = {}
    exec(PRELUDE, modules)
    results = {
        group.name: run_group(group, modules) for group in GROUPS if not chosen or group.name in chosen
    }
    with open(report, "w") as file:
        json.dump({"rows": results, "names": public_names()}, file, indent=1)


if __name__ == "__main__":
    main()
