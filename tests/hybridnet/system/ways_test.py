# SPDX-License-Identifier: MIT
"""How programs get into a node whose root is an image: with its variables, which the computer's programs do not get."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hybridnet.system.entrances import Entrance, read_entrances, write_entrances
from hybridnet.system.ways import Way

SHOWN = ["/bin/sh", "-c", 'echo "$LD_PRELOAD,$LD_LIBRARY_PATH,$GLIBC_TUNABLES,$A,$1"', "sh"]


def printed(words: list[str]) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stderr == ""  # of a loader that does not find something
    return done.stdout


@pytest.fixture
def entering(tmp_path: Path) -> Path:
    """In the place of nsenter: a program of the computer that says whether its loader was told something."""
    made = tmp_path / "enters"
    made.write_text('#!/bin/sh\nenv | grep -E "^(LD_|GLIBC)" && exit 1\nexec "$@"\n')
    made.chmod(0o755)
    return made


def test_variables_of_the_loader_reach_the_images_program_alone(entering: Path) -> None:
    variables = {"PATH": "/usr/bin:/bin", "LD_LIBRARY_PATH": "/no/such", "A": "b c", "GLIBC_TUNABLES": "x=y"}
    way = Way(["nsenter"], [str(entering)], variables)
    found = printed([*way.within({"A": "d $e", "LD_PRELOAD": ""}), *SHOWN, "last one"])
    assert found == ",/no/such,x=y,d $e,last one\n"


def test_without_such_variables_no_shell_is_between(entering: Path) -> None:
    way = Way(["nsenter"], [str(entering)], {"PATH": "/usr/bin:/bin", "A": "1"}, ["/no/such/shell"])
    assert printed([*way.within({}), *SHOWN, "x"]) == ",,,1,x\n"
    assert Way(["nsenter"]).within({"LD_PRELOAD": "x"}) == []


def test_who_enters_from_outside_has_the_hosts_own_shell(tmp_path: Path) -> None:
    image = Entrance("/n", "/m", None, {"LD_PRELOAD": "/a.so"}, "/srv", ["/.hybridnet/bash"])
    write_entrances(tmp_path, {"h1": image, "h2": Entrance("/n")})
    found = read_entrances(tmp_path)
    assert found == {"h1": image, "h2": Entrance("/n", shell=["bash"])}
    command = found["h1"].command()
    assert command[command.index("--") + 1] == "/.hybridnet/bash"
    assert command[-1] == "LD_PRELOAD=/a.so"
