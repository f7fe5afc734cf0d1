# SPDX-License-Identifier: MIT
"""What is told to kernels that are machines."""

from __future__ import annotations

import select
from pathlib import Path

import pytest

from hybridnet.errors import MachineError, UsageError
from hybridnet.kernel.process import Command
from hybridnet.kernel.several import _Keeper, _with_plain_shell, run_in_kernels


def test_root_has_a_shell_that_reads_no_file_and_others_stay() -> None:
    users = "daemon:x:1:1::/:/bin/false\nroot:x:0:0:root:/root:/bin/bash\nme:x:1000:1000::/home/me:/bin/zsh\n"
    assert _with_plain_shell(users).splitlines() == [
        "root:x:0:0:root:/root:/bin/sh",
        "daemon:x:1:1::/:/bin/false",
        "me:x:1000:1000::/home/me:/bin/zsh",
    ]


@pytest.mark.parametrize("count", [0, 251])
def test_a_number_of_machines_that_cannot_be_is_refused(count: int) -> None:
    with pytest.raises(UsageError, match="write 1 to 250"):
        run_in_kernels(Path("linux"), Command(["true"]), ["m"] * count, print)


@pytest.mark.parametrize(
    ("raised", "words"),
    [
        (MachineError("kernel m1 has ended"), "kernel m1 has ended"),
        (
            MemoryError("std::bad_alloc"),
            "nobody keeps the time of the kernels any more: MemoryError: std::bad_alloc",
        ),
    ],
)
def test_whatever_ends_the_keeping_of_time_is_an_error(raised: Exception, words: str) -> None:
    """Else the kernels would wait for their time, and the command for them."""

    class Network:
        def run(self) -> None:
            raise raised

    keeper = _Keeper(Network())  # type: ignore[arg-type]
    assert select.select([keeper], [], [], 10)[0]
    assert str(keeper.error()) == words
    keeper.join()
