# SPDX-License-Identifier: MIT
from __future__ import annotations

import io
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from hybridnet.machines.workers import bundle
from hybridnet.machines.workers.bundle import SCRIPT, host_packages, pack_bundle, pack_wheel
from hybridnet.machines.workers.edition import PACKAGE, edition


def test_the_wheel_has_this_edition_and_pip_takes_it(tmp_path: Path) -> None:
    name, content = pack_wheel()
    wheel = tmp_path / name
    wheel.write_bytes(content)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "there")
    assert edition(tmp_path / "there" / "hybridnet") == edition()
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--dry-run", "--no-deps"]
    subprocess.run(
        [*pip, "--no-index", "--target", str(tmp_path / "x"), str(wheel)], check=True, capture_output=True
    )


def test_the_same_hybridnet_is_the_same_wheel() -> None:
    assert pack_wheel() == pack_wheel()


def test_programs_can_be_run_there_and_libraries_that_came_with_a_wheel_go_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    libraries = tmp_path / "hybridnet.libs"
    libraries.mkdir()
    (libraries / "libpcap-f1c043b1.so.1.10.3").write_bytes(b"ELF")
    monkeypatch.setattr(bundle, "LIBRARIES", libraries)
    with zipfile.ZipFile(io.BytesIO(pack_wheel()[1])) as archive:
        assert archive.read("hybridnet.libs/libpcap-f1c043b1.so.1.10.3") == b"ELF"
        modes = {entry.filename: entry.external_attr >> 16 & 0o777 for entry in archive.infolist()}
    assert modes["hybridnet/compat/mininet/programs/tc"] == 0o755
    assert modes["hybridnet/__init__.py"] == 0o644


def test_the_bundle_has_the_script_and_what_it_reads() -> None:
    with tarfile.open(fileobj=io.BytesIO(pack_bundle())) as archive:
        names = archive.getnames()
    assert SCRIPT in names
    assert {"debian.sh", "fingerprint", "debian-packages", "python-packages", "python"} < set(names)
    assert sum(name.endswith(".whl") for name in names) == 1


def test_hosts_get_what_networks_need_and_neither_compilers_nor_what_tests_need() -> None:
    packages = host_packages()
    assert {
        "openvswitch-switch",
        "iproute2",
        "iperf3",
        "mininet",
        "python3-venv",
        "libpcap0.8t64 | libpcap0.8",
    } <= set(packages)
    assert not {"g++", "cmake", "tshark", "openssh-server", "debootstrap", "clang"} & set(packages)


def test_the_scripts_are_ones_that_a_bare_shell_reads() -> None:
    for script in (PACKAGE / "machines").glob("*.sh"):
        subprocess.run(["dash", "-n", script], check=True)
