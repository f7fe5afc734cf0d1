# SPDX-License-Identifier: MIT
"""A host with nothing but Debian's smallest system and an sshd, to a network that runs on it."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from hybridnet.run.net import own_address_toward
from tests.system.nodes_apart import nodes_apart
from tests.system.proxy import proxy_at

pytestmark = [pytest.mark.system, pytest.mark.slow, pytest.mark.timeout(1800)]

MIRROR = "http://deb.debian.org/debian"
AUTHORITIES = Path(
    "/etc/ssl/certs/ca-certificates.crt"
)  # of this computer, whose network may have one of its own


def _trust_what_this_computer_trusts(addresses: list[str]) -> str:
    return (
        f"cat >{AUTHORITIES} <<'END'\n{AUTHORITIES.read_text()}END\n"
        f"printf '[global]\\ncert = {AUTHORITIES}\\n' >/etc/pip.conf\n"
    )


def test_a_bare_host_to_pingall(tmp_path: Path) -> None:
    bare = tmp_path / "debian"
    release = platform.freedesktop_os_release()["VERSION_CODENAME"]  # its Python has to be the one here
    make = ["debootstrap", "--variant=minbase", "--include=openssh-server,iproute2,ca-certificates"]
    subprocess.run([*make, release, str(bare), MIRROR], check=True, capture_output=True)
    with nodes_apart(tmp_path, ("bare",), _trust_what_this_computer_trusts, bare=bare) as [node]:
        host = f"root@{node.address}"
        environment = {**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}

        def hybridnet(*words: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [sys.executable, "-m", "hybridnet.cli", *words],
                capture_output=True, text=True, check=False, env=environment,
            )  # fmt: skip

        network = ("run", "--topo", "tree,2", "--ssh", host, "--test", "pingall")
        refused = hybridnet(*network)
        assert refused.returncode == 3
        assert f"hybridnet is not there: run `hybridnet deploy {host}`" in refused.stderr
        with proxy_at(own_address_toward(node.address)) as url:
            first = hybridnet("deploy", host, "--proxy", url)
            assert first.returncode == 0, first.stderr
            assert "installed" in first.stdout
            assert f"{host}: Debian packages: " in first.stderr
            again = hybridnet("deploy", host, "--proxy", url)
        assert "there already" in again.stdout
        done = hybridnet(*network)
        assert "0% dropped (12/12 received)" in done.stdout + done.stderr, done.stderr
        assert node.run("ps ax").stdout.count("ovs") == 0  # no service was started
