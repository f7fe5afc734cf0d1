# SPDX-License-Identifier: MIT
"""Captures at one interface into Wireshark's pipe, until Wireshark closes it or asks for the end.

A device is captured by tcpdump in its namespace, straight into the pipe. At a simulated interface the instance writes a
file, which is followed: the simulation never waits for Wireshark. The file has no name from the beginning, so its disk
space is free once both have closed it, however this program ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import Any, BinaryIO

from hybridnet.errors import EnvironmentLackError, MachineError, UsageError
from hybridnet.system.parent import die_with_parent
from hybridnet.tools.extcap.interfaces import Emulated, Interface, Simulated

__all__ = ["capture"]

CHUNK_BYTES = 1 << 18
LOOK_MS = 50
ANSWER_SECONDS = 20.0
_FILE = "extcap-"


class _Ended(BaseException):
    """Wireshark asks for the end, or reads no more."""


def capture(interface: Interface, pipe: Path, filter: str, most_bytes: int) -> None:
    """Capture until the other end of the pipe is closed, SIGTERM or SIGINT comes, or nothing can come any more.

    Args:
        pipe: a FIFO that somebody reads.
        filter: what to capture, in pcap-filter(7); empty: everything.
        most_bytes: after so many a capture at a simulated interface ends.

    Raises:
        UsageError: the filter makes no sense, or the pipe cannot be opened.
        MachineError: the instance refuses, for example because somebody captures at this interface.
        EnvironmentLackError: tcpdump is missing.
    """
    before = {number: signal.signal(number, _end) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        with contextlib.suppress(_Ended), _opened(pipe) as out:
            if isinstance(interface, Simulated):
                _follow(interface, out, filter, most_bytes)
            elif isinstance(interface, Emulated):
                _run_tcpdump(interface, out, filter)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(number: int, frame: FrameType | None) -> None:
    raise _Ended


@contextlib.contextmanager
def _opened(pipe: Path) -> Iterator[int]:
    try:
        descriptor = os.open(pipe, os.O_WRONLY | os.O_CLOEXEC)
    except OSError as error:
        raise UsageError(f"capture: --fifo {pipe}: {error.strerror}; Wireshark makes it") from None
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _run_tcpdump(interface: Emulated, out: int, filter: str) -> None:
    if shutil.which("tcpdump") is None:
        raise EnvironmentLackError(f"capture at {interface.name}: tcpdump is missing; apt install tcpdump")
    argv = ["nsenter", f"--net={interface.network}", "--", "tcpdump", "-n", "-U", "--immediate-mode"]
    argv += ["-Z", "root", "-s", "0", "-i", interface.name, "-w", "-", *(["--", filter] if filter else [])]
    program = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out, preexec_fn=die_with_parent)
    try:
        ended = os.pidfd_open(program.pid)
        try:
            poll = select.poll()
            poll.register(ended, select.POLLIN)
            poll.register(out, 0)  # the error that its reader is gone comes unasked
            poll.poll()
        finally:
            os.close(ended)
    finally:
        program.terminate()
        status = program.wait()
    if status > 0:
        raise MachineError(f"capture at {interface.name}: tcpdump ended with {status}; its words are above")


def _follow(interface: Simulated, out: int, filter: str, most_bytes: int) -> None:
    file = interface.folder / f"{_FILE}{os.getpid()}.pcap"
    seen = interface.root / file.relative_to("/")
    with _asking(interface) as ask:
        for row in ask("captures")["captures"]:
            if row["running"] and row["interface"] == interface.name and _is_left(Path(row["file"])):
                ask("stop_capture", file=row["file"])
        try:
            ask(
                "start_capture",
                interface=interface.name,
                file=str(file),
                filter=filter,
                most_bytes=most_bytes,
            )
            try:
                with seen.open("rb", buffering=0) as written:
                    seen.unlink()
                    _copy(written, out, lambda: _runs(ask, file))
            finally:
                with contextlib.suppress(MachineError):  # the instance has ended, and the capture with it
                    state = ask("stop_capture", file=str(file))
                    _tell_losses(interface, state.get("lost", {}))
        finally:
            seen.unlink(missing_ok=True)


def _copy(written: BinaryIO, out: int, runs: Any) -> None:
    """What is written, while it is, into the pipe."""
    poll = select.poll()
    poll.register(out, 0)
    going_on = True
    while True:
        while data := written.read(CHUNK_BYTES):
            _write(out, data)
        if not going_on:
            return
        if poll.poll(LOOK_MS):
            raise _Ended
        going_on = runs()


def _write(out: int, data: bytes) -> None:
    try:
        while data:
            data = data[os.write(out, data) :]
    except BrokenPipeError:
        raise _Ended from None


def _runs(ask: Any, file: Path) -> bool:
    try:
        rows = ask("captures")["captures"]
    except MachineError:
        return False
    return any(row["file"] == str(file) and row["running"] for row in rows)


def _is_left(file: Path) -> bool:
    """Whether it is of such a program that has ended without ending its capture."""
    pid = file.stem.removeprefix(_FILE)
    return file.stem.startswith(_FILE) and pid.isdecimal() and not Path(f"/proc/{pid}").exists()


def _tell_losses(interface: Simulated, lost_by: Mapping[str, int]) -> None:
    lost = {why: count for why, count in lost_by.items() if count}
    if lost:
        told = ", ".join(f"{why} {count}" for why, count in lost.items())
        print(f"capture at {interface.name}: frames that are missing: {told}", file=sys.stderr)


@contextlib.contextmanager
def _asking(interface: Simulated) -> Iterator[Any]:
    """Gives a function that asks the instance a verb. It raises MachineError: the instance refuses or is gone."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        asking.settimeout(ANSWER_SECONDS)
        try:
            asking.connect(str(interface.root / interface.control.relative_to("/")))
        except OSError as error:
            raise MachineError(
                f"capture at {interface.name}: its instance does not answer: {error}"
            ) from None
        with asking.makefile("rb") as answers:

            def ask(verb: str, **arguments: object) -> dict[str, object]:
                try:
                    asking.sendall(json.dumps({"verb": verb, **arguments}).encode() + b"\n")
                    line = answers.readline()
                except OSError:
                    line = b""
                if not line:
                    raise MachineError(f"capture at {interface.name}: its instance has ended")
                answer: dict[str, object] = json.loads(line)
                if "error" in answer:
                    raise MachineError(f"capture at {interface.name}: {answer['error']}")
                return answer

            yield ask
