# SPDX-License-Identifier: MIT
"""Traffic sent at a network interface on an exact schedule, and counted at another.

::

    schedule or pcap file ── due ── output stage of a portal ── eth0  …  eth1 ── capture of a portal ── count

`Generator` and `Receiver` run in a thread of this process, without the interpreter's lock; if that is not enough,
``hybridnet generate`` does the same in a process of its own. Frames of a schedule are UDP, carry a number from 1 and
the time at which they were sent, and go to a MAC address that nobody has, so that no stack answers them.
"""

from __future__ import annotations

import ipaddress
import re
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hybridnet.describe.options.tables import extension
from hybridnet.describe.quantities import format_delay, parse_delay
from hybridnet.describe.values import choice, flag, number, shown, text, whole
from hybridnet.errors import UsageError
from hybridnet.observe.results import Verdict
from hybridnet.system.interfaces import mac_of, mtu_of, require_interface, require_root
from hybridnet.tools.generate.options import (
    FrameRate,
    Step,
    describe_steps,
    parse_factor,
    parse_frame_rate,
    parse_steps,
)
from hybridnet.tools.generate.report import (
    ReceiverFigures,
    Report,
    SenderFigures,
    file_notes,
    judge_generator,
    judge_receiver,
    receiver_figures,
    sender_figures,
)

__all__ = ["BACKENDS", "GAPS", "Generator", "Receiver"]

BACKENDS = ("packet", "pcap")
GAPS = ("constant", "poisson", "on-off")
SIZE, MEAN_SPAN, SEED = 100, "10 ms", 1
PORT = 5300
LEAST_FRAME, MOST_FRAME = 58, 65_549
MOST_FRAMES = 2**63 - 1
DESTINATION_MAC = "02:00:00:00:00:02"
_MAC = re.compile(r"[0-9a-fA-F]{2}([:-])[0-9a-fA-F]{2}(\1[0-9a-fA-F]{2}){4}")
SOURCE, DESTINATION = "198.18.0.1", "198.18.0.2"  # set aside for measuring: RFC 2544
LATENESS_LIMIT_NS = 1_000_000


class _Part:
    """A generator or receiver that runs in a thread of its own until it ends by itself or is stopped."""

    def __init__(self, core: Any, name: str, notes: Sequence[str] = ()) -> None:
        self._core = core
        self._notes = notes
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End it; `wait` returns soon after."""
        self._core.stop()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for the end. Returns False if the time ran out first; raises the error that ended it."""
        if timeout_s is not None:
            number(timeout_s, f"{self._thread.name}: timeout", 0, 1e6)
        self._thread.join(timeout_s)
        if self._failure is not None:
            raise self._failure
        return not self._thread.is_alive()

    def report(self) -> Report:
        """Every counter, now."""
        report: Report = self._core.report()
        return report

    @property
    def notes(self) -> list[str]:
        """Return what the interface or the kernel refused, and what is odd about a file."""
        portal = self.report()["portal"]
        return [*self._notes, *([portal["notes"]] if "notes" in portal else [])]

    def _run(self) -> None:
        try:
            self._core.run()
        except BaseException as error:
            self._failure = error

    def __exit__(self, *_: object) -> None:
        self.stop()
        self.wait()


class Generator(_Part):
    """Sends frames at an interface of this network namespace, each when it is due.

    Args:
        device: name of the interface.
        rate: of a schedule, ``"12500pps"`` or ``"1 Gbit/s"`` (of frames, without their check sequence); of a file:
            instead of the recorded times.
        schedule: instead of ``rate``, several rates one after the other: ``"12500pps for 10s, 0pps for 1s"``.
        duration: no frame is due after this long.
        count: no frame is due after this many.
        size: of the frames of a schedule, header of Ethernet included; 58 to 65,549 bytes. Default 100.
        gaps: between the frames of a schedule: ``constant``, ``poisson`` (the rate is the mean), or ``on-off``:
            constant for exponential times of mean ``on``, and then nothing for exponential times of mean ``off``.
        source_mac, destination_mac: default: the interface's own, and one that nobody has; for a file, as
            recorded.
        source, destination, source_port, destination_port: of the frames of a schedule.
        pcap: send the frames of this file (pcap or pcapng) instead.
        speed: scales the recorded times; 2 is twice as fast.
        loop: how often the file is sent.
        gather: frames due within this time leave together, up to that much late, which is less work. 0 to 1 ms. Default
            0.
        trains: frames that leave together leave as trains of equal segments, as from a sender with segmentation
            offload; the default of ``gather`` is then 50 us.
        backend: ``packet`` or ``pcap``: how frames are written.
        patience: how long after the last frame was due it goes on to send what is late.
        wait: how it waits until a frame is due: ``sleep``, ``adaptive`` or ``dedicated``, which takes a core;
            see docs/portals.md.
        cpu, fifo_priority: of the sending thread: keep it on this core; run it in real time (1 to 99).
        seed: of random gaps.
        lateness_limit: 99.9 % of the frames must leave within it, or the verdict says that the schedule was not
            kept. Gathered frames may be later by ``gather``.

    Raises:
        UsageError, UnitError, PlanError: an option makes no sense, or nothing bounds what is sent.
        EnvironmentLackError: not root, or there is no such interface here, or it is down.

    Example::

        with hybridnet.Receiver("eth1") as receiver:
            figures = hybridnet.Generator("eth0", rate="12500pps", duration="10 s").run()
        print(receiver.figures(figures["sent_packets"])["missing_packets"])
    """

    def __init__(
        self,
        device: str,
        *,
        rate: object = None,
        schedule: str | None = None,
        duration: object = None,
        count: int | None = None,
        size: int = SIZE,
        gaps: str = "constant",
        on: object = MEAN_SPAN,
        off: object = MEAN_SPAN,
        source_mac: str | None = None,
        destination_mac: str | None = None,
        source: str = SOURCE,
        destination: str = DESTINATION,
        source_port: int = PORT,
        destination_port: int = PORT,
        pcap: str | Path | None = None,
        speed: object = None,
        loop: int = 1,
        gather: object = None,
        trains: bool = False,
        backend: str = "packet",
        patience: object = "1 s",
        wait: str = "sleep",
        cpu: int | None = None,
        fifo_priority: int | None = None,
        seed: int = SEED,
        lateness_limit: object = None,
    ) -> None:
        self.device = text(device, "generate: device")
        self._what = what = f"generate at {device}"
        _check_count(count, what)
        whole(size, f"{what}: size", LEAST_FRAME, MOST_FRAME)
        for option, port in (("source_port", source_port), ("destination_port", destination_port)):
            whole(port, f"{what}: {option}", 0, 65535)
        for option, given in (
            ("source_mac", source_mac),
            ("destination_mac", destination_mac),
            ("source", source),
            ("destination", destination),
            ("schedule", schedule),
        ):
            if given is not None:
                text(given, f"{what}: {option}")
        for option, address in (("source", source), ("destination", destination)):
            try:
                ipaddress.IPv4Address(address)
            except ValueError:
                raise UsageError(
                    f"{what}: {option} {shown(address)} is not an IPv4 address; write one like {SOURCE}"
                ) from None
        for option, mac in (("source_mac", source_mac), ("destination_mac", destination_mac)):
            if mac is not None and not _MAC.fullmatch(mac):
                raise UsageError(
                    f"{what}: {option} {shown(mac)} is not a MAC address; write one like 02:00:00:00:00:01"
                )
        if pcap is not None and not isinstance(pcap, Path):
            text(pcap, f"{what}: pcap")
        whole(loop, f"{what}: loop", 1, MOST_FRAMES)
        flag(trains, f"{what}: trains")
        whole(seed, f"{what}: seed", 0, 2**64 - 1)
        _check_thread(backend, cpu, fifo_priority, what)
        self._gather_ns = parse_delay(
            ("50us" if trains else "0") if gather is None else gather, f"{self._what}: gather"
        )
        limit_ns = LATENESS_LIMIT_NS if lateness_limit is None else parse_delay(lateness_limit, self._what)
        self._limit_ns = limit_ns + self._gather_ns
        length_ns = None if duration is None else parse_delay(duration, f"{self._what}: duration")
        rate_of = None if rate is None else parse_frame_rate(rate, f"{self._what}: rate")
        notes: list[str] = []
        timing = {
            "gather_ns": self._gather_ns,
            "patience_ns": parse_delay(patience, f"{self._what}: patience"),
            "wait": text(wait, f"{what}: wait"),
        }
        burst = {
            "mean_on_ns": parse_delay(on, f"{self._what}: on"),
            "mean_off_ns": parse_delay(off, f"{self._what}: off"),
        }
        choice(gaps, f"{what}: gaps", GAPS)
        if gaps != "on-off" and (on != MEAN_SPAN or off != MEAN_SPAN):
            raise UsageError(f"{what}: on and off apply only to on-off gaps; add gaps, or leave them out")
        if pcap is None:
            if speed is not None or loop != 1:
                raise UsageError(
                    f"{self._what}: speed and loop apply only to a recorded file; give pcap, or leave them out"
                )
            steps = self._steps(rate_of, schedule, length_ns, count)
            _check_device(device, self._what)
            self.description = f"{size}-byte frames, {describe_steps(steps)}"
            self.description += "" if gaps == "constant" else f", {gaps}"
            frames = extension().numbered_flow(
                source_mac=source_mac or mac_of(device),
                destination_mac=destination_mac or DESTINATION_MAC,
                source=source,
                destination=destination,
                source_port=source_port,
                destination_port=destination_port,
                frame_bytes=size,
                steps=[(*step.rate.frames_per(size), step.length_ns) for step in steps],
                gaps=gaps,
                **burst,
                count=count,
                trains=trains,
                seed=seed,
            )
        else:
            of_programmed = {
                "schedule": (schedule, None),
                "gaps": (gaps, "constant"),
                "trains": (trains, False),
                "size": (size, SIZE),
                "source": (source, SOURCE),
                "destination": (destination, DESTINATION),
                "source_port": (source_port, PORT),
                "destination_port": (destination_port, PORT),
                "seed": (seed, SEED),
            }
            for option, (said, default) in of_programmed.items():
                if said != default:
                    raise UsageError(
                        f"{self._what}: {option} applies only to programmed frames; leave it out, or leave pcap out"
                    )
            pace, numerator, denominator = self._pace(rate_of, speed)
            _check_device(device, self._what)
            frames, known = extension().replay(
                str(pcap),
                pace=pace,
                numerator=numerator,
                denominator=denominator,
                loops=loop,
                count=count or 0,
                length_ns=length_ns,
                source_mac=source_mac,
                destination_mac=destination_mac,
            )
            notes = file_notes(str(pcap), known, mtu_of(device))
            how = str(rate_of) if rate_of else f"{float(numerator / denominator):g} times as fast as recorded"
            self.description = f"{known['frames']:,} frames of {pcap}, {how}"
            self.description += "" if loop == 1 else f", {loop} times"
        super().__init__(
            extension().Generator(
                frames,
                device,
                backend=backend,
                **timing,
                cpu=cpu,
                fifo_priority=fifo_priority,
            ),
            self._what,
            notes,
        )

    def run(self) -> SenderFigures:
        """Send everything, and return `figures`."""
        self.start()
        self.wait()
        return self.figures()

    def figures(self) -> SenderFigures:
        """Return what has been sent until now; see `hybridnet.tools.generate.report.SenderFigures`."""
        return sender_figures(self.report())

    @property
    def verdict(self) -> Verdict:
        """Whether the schedule was kept until now."""
        return judge_generator(self.figures(), self._limit_ns)

    def __enter__(self) -> Generator:
        self.start()
        return self

    def _pace(self, rate: FrameRate | None, speed: object) -> tuple[str, int, int]:
        """How a file is sent: (pace, numerator, denominator) of ``_simcore.replay``."""
        if rate is not None:
            if speed is not None:
                raise UsageError(f"{self._what}: a rate and a speed exclude each other; leave one out")
            value, pace = rate.value, "bits" if rate.bits else "frames"
        else:
            value, pace = parse_factor(1 if speed is None else speed, f"{self._what}: speed"), "recorded"
        return pace, value.numerator, value.denominator

    def _steps(
        self, rate: FrameRate | None, schedule: str | None, length_ns: int | None, count: int | None
    ) -> tuple[Step, ...]:
        if (rate is None) == (schedule is None):
            raise UsageError(
                f'{self._what}: give a rate ("12500pps") or a schedule ("12500pps for 10s, 0pps for 1s")'
            )
        if schedule is not None:
            if length_ns is not None:
                raise UsageError(f"{self._what}: the schedule already has a length; leave the duration out")
            return parse_steps(schedule, f"{self._what}: schedule")
        assert rate is not None
        if length_ns is None and count is None:
            raise UsageError(f"{self._what}: nothing ends it; give a duration or a count")
        if length_ns == 0:
            raise UsageError(f"{self._what}: a duration of 0 sends nothing; write more")
        return (Step(rate, length_ns),)


class Receiver(_Part):
    """Counts the numbered frames that arrive at an interface of this network namespace, from the moment it is made.

    Args:
        device: name of the interface. Frames for any MAC address count.
        port: of UDP, to which they go.
        count: end when this many different ones have come.
        silence: end when none has come for this long after the first.
        gro: let the kernel join equal frames that arrive together: less work. Default True.
        backend: ``packet`` or ``pcap``: how frames are read.
        cpu, fifo_priority: of the counting thread.

    Raises:
        UsageError, UnitError, PlanError: an option makes no sense.
        EnvironmentLackError: not root, or there is no such interface here, or it is down.
    """

    def __init__(
        self,
        device: str,
        *,
        port: int = PORT,
        count: int | None = None,
        silence: object = None,
        gro: bool = True,
        backend: str = "packet",
        cpu: int | None = None,
        fifo_priority: int | None = None,
    ) -> None:
        self.device = text(device, "receive: device")
        what = f"receive at {device}"
        whole(port, f"{what}: port", 0, 65535)
        flag(gro, f"{what}: gro")
        _check_thread(backend, cpu, fifo_priority, what)
        silence_ns = None if silence is None else parse_delay(silence, f"{what}: silence")
        _check_count(count, what)
        _check_device(device, what)
        self.description = f"numbered frames for UDP port {port}" + (
            "" if silence_ns is None else f", until none comes for {format_delay(silence_ns)}"
        )
        super().__init__(
            extension().Receiver(
                device,
                port,
                backend=backend,
                count=count or 0,
                silence_ns=silence_ns,
                gro=gro,
                cpu=cpu,
                fifo_priority=fifo_priority,
            ),
            what,
        )

    def figures(self, sent: int | None = None) -> ReceiverFigures:
        """Return what has come until now; see `hybridnet.tools.generate.report.ReceiverFigures`."""
        return receiver_figures(self.report(), sent)

    @property
    def verdict(self) -> Verdict:
        """Whether the count can be trusted."""
        return judge_receiver(self.figures())

    def __enter__(self) -> Receiver:
        self.start()
        return self


def _check_count(count: object, what: str) -> None:
    if count is not None:
        whole(count, f"{what}: count", 1, MOST_FRAMES)


def _check_thread(backend: object, cpu: object, fifo_priority: object, what: str) -> None:
    choice(backend, f"{what}: backend", BACKENDS)
    if cpu is not None:
        whole(cpu, f"{what}: cpu", 0, 4095)
    if fifo_priority is not None:
        whole(fifo_priority, f"{what}: fifo_priority", 1, 99)


def _check_device(device: str, what: str) -> None:
    require_root(what)
    require_interface(device, what)
