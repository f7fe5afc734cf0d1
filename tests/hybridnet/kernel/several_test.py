# SPDX-License-Identifier: MIT
"""What is told to kernels that are machines."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridnet.errors import UsageError
from hybridnet.kernel.process import Command
from hybridnet.kernel.several import _with_plain_shell, run_in_kernels


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
