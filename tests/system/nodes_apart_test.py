# SPDX-License-Identifier: MIT
"""Computers that share nothing, reached by SSH as a user with sudo; one of them is the head, as on CloudLab."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hybridnet.machines.manifests import manifest_of
from tests.system.nodes_apart import USER, Node, nodes_apart

pytestmark = pytest.mark.system

# As CloudLab's own on a node: the manifest of the experiment, and the key that its nodes share.
GENI_GET = r"""
printf '#!/bin/sh\ncase $1 in manifest) cat /etc/manifest.xml ;; key) cat /etc/experiment-key ;; esac\n' \
  >/usr/local/bin/geni-get
chmod +x /usr/local/bin/geni-get
cat >/etc/manifest.xml <<'END'
MANIFESTEND
cat >/etc/experiment-key <<'END'
KEYEND
"""
LOOKS = (
    "ip -o link | cut -d: -f2 | sort; find /run/hybridnet /run/netns -mindepth 1 2>/dev/null; "
    "ps ax -o comm= | grep -v -e ps -e sh | sort"
)


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Node]]:
    folder = tmp_path_factory.mktemp("nodes")
    names = ("node-0", "node-1")
    key = folder / "experiment"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)

    def geni_get(addresses: list[str]) -> str:
        where = {n: (a, f"{n}.nowhere.invalid") for n, a in zip(names, addresses, strict=True)}
        text = GENI_GET.replace("MANIFEST", manifest_of(where, (USER,))).replace("KEY", key.read_text())
        return (
            text + f"echo '{key.with_suffix('.pub').read_text().strip()}' >>/home/{USER}/.ssh/authorized_keys"
        )

    with nodes_apart(folder, names, geni_get) as made:
        yield made


def settled(node: Node, wanted: str) -> str:
    """What is there once it is as wanted; the processes of closed connections end by and by."""
    deadline = time.monotonic() + 15
    while (seen := node.run(LOOKS).stdout) != wanted and time.monotonic() < deadline:
        time.sleep(0.1)
    return seen


def test_a_network_on_the_nodes_of_an_experiment_by_a_user_who_is_not_root(nodes: list[Node]) -> None:
    head, _ = nodes
    shown = head.run("hybridnet cloudlab --json")
    assert [each["target"] for each in json.loads(shown.stdout)] == [
        f"{USER}@{node.address}" for node in nodes
    ]
    before = [node.run(LOOKS).stdout for node in nodes]
    done = head.run("hybridnet run --topo twotrees,depth=2,delay=5ms --cloudlab --test pingall")
    assert "0% dropped (56/56 received)" in done.stderr + done.stdout, done.stderr
    assert done.returncode == 0
    assert [settled(node, was) for node, was in zip(nodes, before, strict=True)] == before


def test_an_experiment_runs_there_and_its_results_come_back(nodes: list[Node], tmp_path: Path) -> None:
    over = ["--ssh", f"{USER}@{nodes[1].address}"]
    program = [sys.executable, "-m", "hybridnet.cli", "reproduce", "inet-loss", "--quick", "--json", *over]
    folder = Path(nodes[0].ssh[2]).parent / "bin"
    done = subprocess.run(
        [*program, "--out", str(tmp_path / "run")],
        capture_output=True, text=True, check=False, env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"},
    )  # fmt: skip
    assert json.loads(done.stdout)["checks"], done.stderr
    assert (tmp_path / "run" / "loss.csv").read_text().count("\n") == 5
    assert not nodes[1].run("ls /tmp").stdout


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_comparison_runs_on_an_experiments_nodes_from_manifest_to_figure(nodes: list[Node]) -> None:
    head, _ = nodes
    before = [node.run(LOOKS).stdout for node in nodes]
    done = head.run(
        "hybridnet reproduce maxinet --cloudlab --rounds 1 --seconds-per-step 3 --json --out run",
        timeout_s=1700,
    )
    checks = json.loads(done.stdout)["checks"]
    # What holds wherever the comparison runs; the rest depends on what else this computer does.
    ratios = [check["holds"] for check in checks if "hybrid over maxinet" in check["what"]]
    assert ratios == [True] * 3, done.stdout
    assert head.run("ls run/*.png").stdout.count("\n") == 3
    assert [settled(node, was) for node, was in zip(nodes, before, strict=True)] == before
