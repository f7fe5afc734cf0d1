# SPDX-License-Identifier: MIT
"""Numbered frames through a wire that runs, and the wire's own process."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hybridnet.errors import ExperimentError
from hybridnet.experiments.overload.place import Namespace
from hybridnet.experiments.overload.quota import CpuQuota
from hybridnet.system.python_command import python_module

__all__ = ["LimitedWire", "Load", "pass_frames"]

SILENCE_S = 1.0  # longer than a wire without processor time holds a frame back
PATIENCE_S = 60.0
GENERATE = (*python_module("hybridnet.cli"), "generate")


@dataclass(frozen=True)
class Load:
    """Frames at one rate.

    Args:
        asked_pps: by the schedule.
        sent, sent_pps: that left, and how fast.
        received, received_pps: different ones that came, and how fast: the goodput.
        receiver_drops: that the kernel dropped before the receiver read them.
    """

    asked_pps: int
    sent: int
    sent_pps: float
    received: int
    received_pps: float
    receiver_drops: int

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def pass_frames(a: Namespace, b: Namespace, rate_pps: int, seconds: float, size: int) -> Load:
    """Send frames at ``a`` and count them at ``b``."""
    counting = ["--receive", "eth0", "--silence", f"{SILENCE_S}s", "--json"]
    receiver = subprocess.Popen(
        b.inside(*GENERATE, *counting),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=b.environment,
    )
    try:
        assert receiver.stderr is not None
        if not (line := receiver.stderr.readline()).startswith("counting at "):
            raise ExperimentError(f"count frames: {line}{receiver.stderr.read()}")
        sending = ["eth0", "--rate", f"{rate_pps}pps", "--duration", f"{seconds}s", "--size", str(size)]
        done = subprocess.run(
            a.inside(*GENERATE, *sending, "--gather", "50us", "--json"),
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S + 3 * seconds,
            env=a.environment,
        )
        if done.returncode not in (0, 4):
            raise ExperimentError(f"send {rate_pps} frames/s: {done.stderr.strip()}")
        out, err = receiver.communicate(timeout=PATIENCE_S)
        if receiver.returncode not in (0, 4):
            raise ExperimentError(f"count frames: {err.strip()}")
    finally:
        if receiver.poll() is None:
            receiver.kill()
            receiver.wait()
    sender, counted = json.loads(done.stdout), json.loads(out)
    return Load(
        asked_pps=rate_pps,
        sent=sender["sent_packets"],
        sent_pps=sender["rate_pps"],
        received=counted["received_packets"],
        received_pps=counted["rate_pps"],
        receiver_drops=counted["capture_drops"],
    )


class LimitedWire:
    """``hybridnet wire wa wb`` in its namespace and within its quota."""

    def __init__(self, w: Namespace, quota: CpuQuota, options: list[str]) -> None:
        command = [
            *python_module("hybridnet.experiments.overload.limited_wire"),
            "wa",
            "wb",
            *options,
            "--json",
        ]
        self._quota = quota
        self._process = subprocess.Popen(
            w.inside(*quota.command(command)),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**w.environment, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        assert self._process.stderr is not None
        for way in ("wa > wb: ", "wb > wa: "):  # it says what it does each way, and then it runs
            if not (line := self._process.stderr.readline()).startswith(way):
                raise ExperimentError(f"run a wire: {line}{self._process.stderr.read()}")
        self._instance = self._find_instance()

    def memory_bytes(self, which: str = "VmRSS") -> int:
        """Of its instance: resident now (``VmRSS``) or at most until now (``VmHWM``)."""
        status = Path(f"/proc/{self._instance}/status").read_text()
        [line] = [line for line in status.splitlines() if line.startswith(which)]
        return int(line.split()[1]) * 1024

    def end(self) -> tuple[int, dict[str, Any]]:
        """End it. Returns its exit code, and what it printed."""
        self._process.send_signal(signal.SIGINT)
        out, err = self._process.communicate(timeout=PATIENCE_S)
        if not out:
            raise ExperimentError(f"end the wire: {err.strip()}")
        figures: dict[str, Any] = json.loads(out)
        return self._process.returncode, figures

    def kill(self) -> None:
        """End it, whatever happened before; its instance and its guardian then end by themselves, and are awaited."""
        if self._process.poll() is None:
            with contextlib.ExitStack() as opened:
                others = []
                for pid in self._quota.processes():
                    with contextlib.suppress(ProcessLookupError):
                        others.append(os.pidfd_open(pid))
                        opened.callback(os.close, others[-1])
                self._process.kill()
                self._process.communicate()
                deadline = time.monotonic() + PATIENCE_S
                for other in others:
                    select.select([other], [], [], max(0.0, deadline - time.monotonic()))

    def _find_instance(self) -> int:
        own = self._process.pid
        for child in Path(f"/proc/{own}/task/{own}/children").read_text().split():
            if b"hybridnet.simulate.instance" in Path(f"/proc/{child}/cmdline").read_bytes():
                return int(child)
        raise ExperimentError(f"run a wire: process {own} has no instance")
