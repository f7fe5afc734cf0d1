# SPDX-License-Identifier: MIT
"""How exact the delay of `hybridnet wire` is: one-way delays of evenly spaced packets, beside a bare veth pair's.

::

    bare   a ── b
    wire   a ── wa [hybridnet wire, 10 ms] wb ── b

Namespaces of one computer share a clock, so that a one-way delay is a difference.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hybridnet.errors import HybridnetError
from hybridnet.observe.results import Check
from hybridnet.system.python_command import python_module

DELAY_NS = 10_000_000
RATE = 100_000
"""Packets a second."""

MOST_SECONDS = 10.0
"""What the receive buffer of a socket can keep at that rate."""
TOLERANCE_NS = 50_000
SHARE = 0.95

_ADDRESS = "10.9.0.2"
_PROGRAM = Path(__file__).with_name("stamped.py")
_PATIENCE_S = 60.0


@dataclass(frozen=True)
class Accuracy:
    """What was found.

    Args:
        bare_ns: the median one-way delay of the bare veth pair.
        errors_ns: of each packet that came: its delay, less the one that was set and the bare one.
        sent: packets.
    """

    bare_ns: float
    errors_ns: np.ndarray
    sent: int

    @property
    def share_within(self) -> float:
        """The part of all packets sent that came within the tolerance; a lost one did not."""
        return float(np.count_nonzero(np.abs(self.errors_ns) <= TOLERANCE_NS)) / self.sent

    def check(self) -> Check:
        """The promise."""
        low, middle, high = np.percentile(self.errors_ns, (2.5, 50, 97.5)) / 1e3
        return Check(
            what=f"hybridnet wire, {DELAY_NS / 1e6:g} ms, {RATE:,} packets/s: delay within {TOLERANCE_NS / 1e3:g} us "
            "of the one set and the bare veth's",
            measured=f"{100 * self.share_within:.2f} % of the packets ({self.sent - len(self.errors_ns)} lost; "
            f"off by {middle:.1f} us, 95 % between {low:.1f} and {high:.1f} us)",
            published=None,
            bound=f">= {100 * SHARE:g} %",
            holds=self.share_within >= SHARE,
        )


def median_of(accuracies: Sequence[Accuracy]) -> Accuracy:
    """The one whose share of packets within the tolerance is the median; of two, the worse."""
    return sorted(accuracies, key=lambda accuracy: accuracy.share_within)[(len(accuracies) - 1) // 2]


def measure_accuracy(seconds: float) -> Accuracy:
    """Measure both, one after the other; make namespaces and remove them. Needs root.

    Raises:
        HybridnetError: a program ended with an error, or no packet came.
    """
    count = round(seconds * RATE)
    with _namespaces("ab") as (a, b):
        _join(a, "eth0", b, "eth0")
        bare = _one_way_delays(a, b, count)
    with _namespaces("awb") as (a, w, b):
        _join(a, "eth0", w, "wa")
        _join(w, "wb", b, "eth0")
        with _wire(w):
            through = _one_way_delays(a, b, count)
    return Accuracy(float(np.median(bare)), through - DELAY_NS - float(np.median(bare)), count)


@contextmanager
def _namespaces(letters: str) -> Iterator[tuple[str, ...]]:
    names = tuple(f"hntlem{os.getpid()}{letter}" for letter in letters)
    made: list[str] = []
    try:
        for name in names:
            _out_of("ip", "netns", "add", name)
            made.append(name)
            _out_of("ip", "netns", "exec", name, "sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1")
        yield names
    finally:
        for name in made:
            _out_of("ip", "netns", "del", name)


def _join(a: str, of_a: str, b: str, of_b: str) -> None:
    _out_of("ip", "link", "add", of_a, "netns", a, "type", "veth", "peer", "name", of_b, "netns", b)
    for name, device in ((a, of_a), (b, of_b)):
        if device == "eth0":
            address = _ADDRESS if name.endswith("b") else "10.9.0.1"
            _out_of("ip", "-n", name, "addr", "add", f"{address}/24", "dev", device)
        _out_of("ip", "-n", name, "link", "set", "dev", device, "up")


@contextmanager
def _wire(namespace: str) -> Iterator[None]:
    with tempfile.TemporaryDirectory() as state:
        process = subprocess.Popen(
            _inside(
                namespace, *python_module("hybridnet.cli"), "wire", "wa", "wb", "--delay", f"{DELAY_NS}ns"
            ),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "HYBRIDNET_STATE_DIR": state},
        )
        try:
            assert process.stderr is not None
            for _ in range(2):  # it says what it does each way, and then it runs
                line = process.stderr.readline()
                if " > " not in line:
                    raise HybridnetError(f"run a wire in {namespace}: {line}{process.stderr.read()}")
            yield
        finally:
            process.terminate()
            process.communicate(timeout=_PATIENCE_S)


def _one_way_delays(a: str, b: str, count: int) -> np.ndarray:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "delays.npy"
        receiver = subprocess.Popen(
            _inside(b, sys.executable, str(_PROGRAM), "receive", str(file), str(count)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert receiver.stdin is not None
            assert receiver.stdout is not None
            receiver.stdout.readline()
            _out_of("ip", "netns", "exec", a, "ping", "-c", "2", "-i", "0.2", "-q", _ADDRESS)  # knows the way
            _out_of(*_inside(a, sys.executable, str(_PROGRAM), "send", _ADDRESS, str(RATE), str(count)))
            receiver.stdin.close()
            receiver.wait(timeout=_PATIENCE_S)
        finally:
            receiver.kill()
            receiver.wait()
        if receiver.returncode != 0:
            raise HybridnetError(f"receive packets in {b}: the program ended with {receiver.returncode}")
        delays: np.ndarray = np.load(file)
    if len(delays) == 0:
        raise HybridnetError(f"receive packets in {b}: of {count} sent in {a} none came")
    return delays


def _inside(namespace: str, *command: str) -> list[str]:
    return ["ip", "netns", "exec", namespace, *command]


def _out_of(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_PATIENCE_S)
    if done.returncode != 0:
        raise HybridnetError(f"{' '.join(command)}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout
