# SPDX-License-Identifier: MIT
"""The record of one network, in a folder of its own in the run directory.

plan.json  machines.json           when it has started
pings.json                         when a stream of pings has ended
series.parts/, series.parquet      while it runs, and when it has stopped
counters.json  verdict.json  omnetpp/  captures/        when it has stopped
"""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hybridnet.errors import HybridnetError, UsageError
from hybridnet.observe.recording.frames_text import write_frames_text
from hybridnet.observe.recording.omnetpp import write_omnetpp
from hybridnet.observe.results.run_directory import PINGS, PLAN, naming
from hybridnet.observe.results.verdict import Verdict
from hybridnet.observe.series import Block
from hybridnet.observe.series.writer import SERIES, SeriesWriter
from hybridnet.system.log import warn

__all__ = ["NetworkRecord", "Pieces", "Take", "without_secrets"]

TAKE_SECONDS = 1.0
SECRETS = frozenset({"token", "key"})  # of the run, and of its peering and guests

Take = Callable[[bool], Mapping[str, Any]]
"""Takes the samples of each machine, as the agents' verb `take_series` does; True: the last ones."""


Pieces = Callable[[str, str], Iterable[bytes]]
"""The pieces of a file of a machine, by the machine's name and the file's path. Raises HybridnetError."""


class NetworkRecord:
    """What is kept of one network.

    Args:
        folder: new.
        plan: `Plan.to_json`.
        machines: facts about each machine.
        seed: of the network.
        take: see `Take`; None: there is no series.
    """

    def __init__(
        self, folder: Path, plan: Mapping[str, Any], machines: Mapping[str, Any], seed: int, take: Take | None
    ) -> None:
        self.folder = folder
        self._captures = {
            machine: [Path(capture["file"]) for own in part["instances"] for capture in own["captures"]]
            for machine, part in plan["machines"].items()
        }
        self._seed = seed
        self._take = take
        self._lost = 0
        self._complaint: str | None = None
        self._began_s = time.time()
        self._pings: list[dict[str, object]] = []
        folder.mkdir(parents=True)
        self._write(PLAN, without_secrets(plan))
        self._machines = dict(machines)
        self._write("machines.json", self._machines)
        self._adding = threading.Lock()
        self._writer = SeriesWriter(folder)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._collect, name="recording", daemon=True)
        if take is not None:
            self._thread.start()

    def join(self, machine: str, facts: Mapping[str, Any]) -> None:
        """A machine has joined."""
        self._machines[machine] = facts
        self._write("machines.json", self._machines)

    def add_capture(self, machine: str, file: str) -> None:
        """Something more is captured on a machine; once is enough for a file."""
        of_machine = self._captures.setdefault(machine, [])
        if Path(file) not in of_machine:
            of_machine.append(Path(file))

    def keep_captures(self, machine: str, pieces: Pieces, *, elsewhere: bool) -> None:
        """The captures of a machine are complete: keep them, but for those that are in the run directory already. What
        cannot be had costs a warning and not the run.

        Args:
            pieces: of files that are not on this computer.
            elsewhere: the machine is on another one.
        """
        for file in self._captures.pop(machine, []):
            if file.is_relative_to(self.folder.parent.absolute()) and file.is_file():
                continue
            target = _free(self.folder / "captures" / f"{machine}-{file.name}")
            target.parent.mkdir(exist_ok=True)
            try:
                if not elsewhere and file.is_file():
                    _link(file, target)
                else:
                    with target.open("wb") as copy:
                        for piece in pieces(machine, str(file)):
                            copy.write(piece)
            except (HybridnetError, OSError) as error:
                target.unlink(missing_ok=True)
                warn(f"*** Warning: the capture {file} of machine {machine} is not kept: {error}\n")
                continue
            if target.suffix == ".pcap":
                _write_text(target)

    def add_pings(
        self,
        ends: str,
        left_s: Sequence[float],
        sent: int,
        answered: Sequence[int],
        interval_s: float,
        slow: int,
    ) -> None:
        """Keep a stream of pings that has ended.

        Args:
            ends: who pinged whom.
            left_s: when those that were answered left, in seconds since the epoch, and `answered` their numbers.
            sent: how many left.
            interval_s: between two, in described seconds.
            slow: wall seconds of a described one.
        """
        times = [round((each - self._began_s) / slow, 6) for each in left_s]
        self._pings.append(
            {
                "ends": ends,
                "sent": sent,
                "interval_s": interval_s,
                "answered": list(answered),
                "left_s": times,
            }
        )
        try:
            self._write(PINGS, self._pings)
        except OSError as error:
            warn(f"*** Warning: the pings {ends} are not kept: {error}\n")

    def take_last(self, answer: Mapping[str, Any] | None) -> None:
        """The last samples of a machine that leaves, as the agents' verb `take_series` answers."""
        try:
            self._add(answer)
        except OSError as error:
            self._complaint = str(error)

    def end_series(self) -> None:
        """The network is about to stop: take the last samples. A second call does nothing."""
        if self._take is None:
            return
        self._ended.set()
        self._thread.join()
        take, self._take = self._take, None
        self._append(take, last=True)
        try:
            with naming(self.folder / SERIES):
                self._writer.finish()
        except OSError as error:
            self._complaint = str(error)
        if self._lost:
            warn(
                f"*** Warning: {self._lost} samples were lost: nobody took them in time; sample less often\n"
            )
        if self._complaint is not None:
            warn(f"*** Warning: a part of the series is missing: {self._complaint}\n")

    def finish(
        self,
        counters: Mapping[str, Any],
        verdict: Verdict,
        pieces: Pieces,
        elsewhere: Collection[str] = (),
    ) -> None:
        """The network has stopped.

        Args:
            pieces: of files that are not on this computer.
            elsewhere: the machines on other computers.

        Raises:
            OSError: with the name of the first file that could not be written; all others are.
        """
        errors: list[OSError] = []
        writes: tuple[Callable[[], object], ...] = (
            lambda: self._write("verdict.json", verdict.to_json()),  # the smallest, and what matters most
            lambda: self._write("counters.json", dict(counters)),
            lambda: self._write_omnetpp(counters),
        )
        for write in writes:
            try:
                write()
            except OSError as error:
                errors.append(error)
        for machine in list(self._captures):
            self.keep_captures(machine, pieces, elsewhere=machine in elsewhere)
        if errors:
            raise errors[0]

    def _collect(self) -> None:
        while not self._ended.wait(TAKE_SECONDS):
            if self._take is not None:
                self._append(self._take, last=False)

    def _append(self, take: Take, *, last: bool) -> None:
        """A machine that is lost, or a full disk, costs samples and not the run."""
        try:
            for answer in take(last).values():
                with naming(self.folder / SERIES):
                    self._add(answer)
        except (HybridnetError, OSError) as error:
            self._complaint = str(error)

    def _add(self, answer: Mapping[str, Any] | None) -> None:
        if answer is None:
            return
        with self._adding:
            self._lost += answer["lost"]
            self._complaint = answer["failed"] or self._complaint
            self._writer.append([_block(*each) for each in answer["blocks"]], self._seed)

    def _write_omnetpp(self, counters: Mapping[str, Any]) -> None:
        with naming(self.folder / "omnetpp"):
            write_omnetpp(self.folder, self._seed, counters)

    def _write(self, name: str, content: Any) -> None:
        """Write a file as a whole, or not at all."""
        target = self.folder / name
        unfinished = target.with_name(f"{name}.tmp")
        with naming(target):
            try:
                unfinished.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
                unfinished.replace(target)
            finally:
                unfinished.unlink(missing_ok=True)


def _free(path: Path) -> Path:
    """The path, with a number behind its name where another file of that name is kept."""
    number, free = 1, path
    while free.exists():
        number += 1
        free = path.with_stem(f"{path.stem}.{number}")
    return free


def _link(file: Path, target: Path) -> None:
    try:
        os.link(file, target)
    except OSError:  # on another file system
        shutil.copyfile(file, target)


def _write_text(capture: Path) -> None:
    """A capture that nobody ended, or of another kind, has no text; the run is kept all the same."""
    try:
        write_frames_text(capture, capture.with_suffix(".txt"))
    except UsageError as error:
        warn(f"*** Warning: a capture has no text beside it: {error}\n")


def _block(keys: list[tuple[str, str, str]], times: bytes, values: bytes) -> Block:
    return Block(keys, array("d", times), array("d", values))


def without_secrets(content: Any) -> Any:
    """A plan without what would let somebody into the run.

    Example:
        >>> without_secrets({"name": "m1", "token": "8f", "peers": [{"name": "m2", "key": "5e"}]})
        {'name': 'm1', 'peers': [{'name': 'm2'}]}
    """
    if isinstance(content, dict):
        return {key: without_secrets(value) for key, value in content.items() if key not in SECRETS}
    return [without_secrets(each) for each in content] if isinstance(content, list) else content
