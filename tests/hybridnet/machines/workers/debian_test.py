# SPDX-License-Identifier: MIT
"""What is installed from a table of Debian packages: by both shells that read it, with this computer's dpkg and apt.

``apt`` is the reader's own function; here it says what it would do.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from hybridnet.machines.workers.edition import PACKAGE

pytestmark = pytest.mark.skipif(shutil.which("apt-cache") is None, reason="this is neither Debian nor Ubuntu")
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root installs packages")

FUNCTIONS = PACKAGE / "machines" / "workers" / "debian.sh"
TABLE = PACKAGE / "requirements" / "debian-packages.txt"
READER = f"""set -eu
say() {{ printf '%s\\n' "$*"; }}
fail() {{ printf 'error: %s\\n' "$*" >&2; exit 3; }}
apt() {{ printf 'apt %s\\n' "$*"; }}
. {FUNCTIONS}
"""
SHELLS = ("bash", "dash")  # of setup/debian and of deploy.sh


def read(shell: str, command: str, folder: Path, table: str = "") -> subprocess.CompletedProcess[str]:
    (folder / "table").write_text(table)
    return subprocess.run(
        [shell, "-c", READER + command], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def not_installed() -> str:
    """A package that apt knows and this computer has not."""
    known = subprocess.run(["apt-cache", "pkgnames"], capture_output=True, text=True, check=True)
    there = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Package}\n"], capture_output=True, text=True, check=True
    )
    rest = sorted(set(known.stdout.split()) - set(there.stdout.split()))
    if not rest:
        pytest.skip("apt has no lists; run apt-get update")
    return rest[0]


@pytest.mark.parametrize("shell", SHELLS)
def test_lines_for_other_architectures_and_remarks_are_left_out(shell: str, tmp_path: Path) -> None:
    here = subprocess.run(
        ["dpkg", "--print-architecture"], capture_output=True, text=True, check=True
    ).stdout.strip()
    table = f"# part\n\nnew | old  # why\nours [{here}]  # why\ntheirs [none]\nplain\n"
    assert read(shell, "lines_wanted table", tmp_path, table).stdout == "new|old\nours\nplain\n"


@pytest.mark.parametrize("shell", SHELLS)
def test_a_line_is_fulfilled_by_any_of_its_names(shell: str, tmp_path: Path) -> None:
    done = read(shell, "install_debian_packages table", tmp_path, "no-such-package | dpkg\nbash\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, "Debian packages: all 2 there\n", "")


@as_root
@pytest.mark.parametrize("shell", SHELLS)
def test_the_first_name_that_apt_knows_is_installed(shell: str, tmp_path: Path, not_installed: str) -> None:
    table = f"no-such-package | {not_installed} | another-such\ndpkg\n"
    done = read(shell, "install_debian_packages table", tmp_path, table)
    assert done.stderr == ""
    assert done.stdout.splitlines()[1:3] == [
        "apt update",
        f"apt install -y --no-install-recommends {not_installed}",
    ]


@as_root
@pytest.mark.parametrize("shell", SHELLS)
def test_names_that_apt_does_not_know_are_an_error_that_has_them_all(
    shell: str, tmp_path: Path, not_installed: str
) -> None:
    table = f"new-name | old-name  # why\n{not_installed}\nanother-name\n"
    done = read(shell, "install_debian_packages table", tmp_path, table)
    assert done.returncode == 3
    assert "apt knows no package of this name: new-name or old-name, another-name (" in done.stderr
    assert "apt install" not in done.stdout


@pytest.mark.parametrize("shell", SHELLS)
def test_the_services_of_packages_are_their_units(shell: str, tmp_path: Path) -> None:
    packages = ["openvswitch-switch", "bird2", "bash", "no-such-package"]
    listed = subprocess.run(["dpkg-query", "-L", *packages], capture_output=True, text=True, check=False)
    found = {Path(line).name for line in listed.stdout.splitlines() if "/systemd/system/" in line}
    done = read(shell, f"set -e; services_of {' '.join(packages)}", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert set(done.stdout.split()) == {name for name in found if "@" not in name}
    assert {"openvswitch-switch.service", "bird.service"} <= set(done.stdout.split())


@as_root
@pytest.mark.parametrize("shell", SHELLS)
def test_services_that_come_do_not_start_at_the_next_boot(
    shell: str, tmp_path: Path, not_installed: str
) -> None:
    says = 'systemctl() { echo "systemctl $*"; }; services_of() { echo "of-$1.service"; }; '
    done = read(shell, f"{says}install_debian_packages table", tmp_path, f"{not_installed}\n")
    assert done.stdout.splitlines()[-2:] == [
        f"systemctl --quiet disable of-{not_installed}.service",
        "Debian packages: done",
    ]


def test_no_name_is_in_the_table_twice() -> None:
    lines = [line.partition("#")[0].strip() for line in TABLE.read_text().splitlines()]
    names = [
        name for line in lines if line for name in re.sub(r"\[\w+\]", "", line).replace("|", " ").split()
    ]
    assert len(names) == len(set(names))


def test_apt_knows_a_name_of_every_line_of_the_table(tmp_path: Path, not_installed: str) -> None:
    command = f"apt-cache pkgnames >known; lines_wanted {TABLE} | first_names -v known"
    assert read("bash", command, tmp_path).stdout == ""
