# SPDX-License-Identifier: MIT
from __future__ import annotations

import os
import pickle
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from hybridnet.agent.programs.piped_programs import BUFFER_LIMIT, OwnDescriptors, Process
from hybridnet.errors import MachineError, UsageError


@pytest.fixture
def start() -> Iterator[Any]:
    made: list[Process] = []

    def begin(command: list[str] | str, *, merge: bool = False, stdin: bool = False, **more: Any) -> Process:
        made.append(Process("h1", command, [], dict(os.environ), merge=merge, stdin=stdin, **more))
        return made[-1]

    yield begin
    for process in made:
        process.close()


def everything(process: Process, stream: str = "stdout") -> bytes:
    data = b""
    while (piece := process.read(stream, 1 << 20, 10)) is not None:
        data += piece
    return data


def test_streams_are_apart_or_merged(start: Any) -> None:
    apart = start("echo out; echo err >&2")
    assert (everything(apart), everything(apart, "stderr"), apart.wait(10)) == (b"out\n", b"err\n", 0)
    merged = start("echo out; echo err >&2", merge=True)
    assert everything(merged) == b"out\nerr\n"
    with pytest.raises(UsageError, match="no separate stream stderr"):
        merged.read("stderr", 1, 0)


def test_what_is_discarded_is_not_kept_and_holds_nobody_up(start: Any) -> None:
    one = start(f"head -c {3 * BUFFER_LIMIT} /dev/zero; echo err >&2", discard=["stdout"])
    assert (one.wait(10), everything(one, "stderr")) == (0, b"err\n")
    with pytest.raises(UsageError, match="no separate stream stdout"):
        one.read("stdout", 1, 0)
    both = start(f"head -c {3 * BUFFER_LIMIT} /dev/zero >&2", merge=True, discard=["stdout"])
    assert both.wait(10) == 0
    with pytest.raises(UsageError, match="'stdin' cannot be discarded"):
        start("true", discard=["stdin"])


def test_who_waits_is_told_of_the_end_at_once_and_again_after_it_is_closed(start: Any) -> None:
    process = start("read line; exit 3", stdin=True)
    with ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(process.wait, 30) for _ in range(4)]
        assert process.wait(0) is None
        process.write(b"go\n", True)
        assert [each.result() for each in waiting] == [3] * 4
    process.close()
    assert (process.wait(0), process.poll()) == (3, 3)


def test_more_than_the_buffer_holds_arrives_whole(start: Any) -> None:
    size = 3 * BUFFER_LIMIT
    assert len(everything(start(f"head -c {size} /dev/zero"))) == size


def test_standard_input_is_written_and_ended(start: Any) -> None:
    process = start(["sort"], stdin=True)
    process.write(b"b\n", False)
    process.write(b"a\n", True)
    assert everything(process) == b"a\nb\n"
    with pytest.raises(MachineError, match="no open standard input"):
        process.write(b"c", False)


def test_a_signal_reaches_the_program_or_its_group(start: Any) -> None:
    one = start(["sleep", "100"])
    one.signal(signal.SIGKILL, False)
    assert one.wait(10) == -signal.SIGKILL
    group = start("sleep 100; echo never")
    group.signal(signal.SIGTERM, True)
    assert group.wait(10) == -signal.SIGTERM
    assert everything(group) == b""


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(MachineError, match="node h1: the command no-such-program is not there"):
        Process("h1", ["no-such-program"], [], dict(os.environ), merge=False, stdin=False)
    with pytest.raises(UsageError, match="empty command"):
        Process("h1", [], [], dict(os.environ), merge=False, stdin=False)


def test_the_processor_time_of_a_program_is_seen_while_it_runs(start: Any) -> None:
    busy, idle = start("echo; while :; do :; done"), start("echo; exec sleep 60")
    for each in (busy, idle):
        each.read("stdout", 1, 10)
    earliest_s = time.monotonic()
    (began_s, before_s), (_, idle_before_s) = busy.times(), idle.times()
    while (now := busy.times())[1] < before_s + 0.2:
        assert now[0] < began_s + 30
    latest_s = time.monotonic()
    assert earliest_s <= began_s < now[0] <= latest_s
    # The program may run between the look at the clock and the look at its time, so only what is around both holds.
    assert latest_s - earliest_s >= now[1] - before_s
    assert idle.times()[1] < idle_before_s + 0.1
    busy.close()
    with pytest.raises(MachineError, match="has ended"):
        busy.times()


def test_a_program_may_be_given_descriptors_of_this_process(start: Any) -> None:
    reading, writing = os.pipe()
    with open("/etc/passwd", "rb") as file:
        process = start(["cat"], descriptors=OwnDescriptors(stdin=file.fileno(), stdout=writing))
        os.close(writing)
        with os.fdopen(reading, "rb") as output:
            found = output.read()
        assert (found, process.wait(10)) == (Path("/etc/passwd").read_bytes(), 0)
    with pytest.raises(UsageError, match="no separate stream stdout"):
        process.read("stdout", 1, 0)


def test_descriptors_that_go_to_another_process_are_none_there() -> None:
    assert pickle.loads(pickle.dumps({"descriptors": OwnDescriptors(stdin=0)})) == {"descriptors": None}
