# SPDX-License-Identifier: MIT
"""Runs an image of .ci/image under crun, as root: the README's network with privileges, and a simulation without.

::

    .ci/try_image.py ARCHIVE

Unpacks the archive as the OCI specification says, and compares each digest. The privileges are those of
``--privileged``; without them the container has the capabilities that Docker and Podman give by default. Prints how
many seconds each took.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FIRST = re.search(r"```python\n(from hybridnet import.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
PAIR = """from hybridnet import Topo


class Pair(Topo):
    def build(self):
        self.addSimHost("a", applications=[{"kind": "tcp_bulk", "destination": "b", "port": 9}])
        self.addSimHost("b", applications=[{"kind": "tcp_discard", "port": 9}])
        self.addLink("a", "b", bw=10, delay="5ms")
"""
# Of linux/capability.h, in its order.
CAPABILITIES = """
CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE NET_BIND_SERVICE
NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN
SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE
MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ PERFMON BPF CHECKPOINT_RESTORE"""
BY_DEFAULT = """
AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE NET_RAW SETFCAP SETGID SETPCAP SETUID
SYS_CHROOT"""
# crun 1.8 does not start where version 2 of control groups is mounted beside version 1; it needs neither here.
CRUN = """groups=/sys/fs/cgroup/unified
! mountpoint -q $groups || umount $groups
exec crun --cgroup-manager=disabled run "$@"
"""


def main() -> int:
    archive = Path(sys.argv[1])
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        work = Path(name)
        config = unpack(archive, work / "rootfs")
        shared = work / "shared"
        shared.mkdir()
        assert FIRST is not None
        (shared / "first.py").write_text(FIRST[1])
        (shared / "pair.py").write_text(PAIR)
        tries = (
            (["simulate", "pair.py", "--until", "1s"], False, r"b:tcp_discard:9 +received +1\.[01]\d* MB"),
            (["run", "first.py"], True, r"3 packets transmitted, 3 received, 0% packet loss"),
        )
        for words, privileged, expected in tries:
            began = time.monotonic()
            said = run(work, config, words, privileged=privileged)
            took = time.monotonic() - began
            if not re.search(expected, said):
                print(f"{' '.join(words)} in the image did not do what is expected:\n{said}", file=sys.stderr)
                return 1
            print(
                f"{took:6.1f} s: hybridnet {' '.join(words)}, {'privileged' if privileged else 'unprivileged'}"
            )
    return 0


def unpack(archive: Path, root: Path) -> dict[str, Any]:
    """Make the root of the image that the index names, and return what its configuration says about running."""
    with tarfile.open(archive) as files:

        def blob(described: dict[str, Any]) -> bytes:
            content = read(f"blobs/{described['digest'].replace(':', '/')}")
            assert f"sha256:{hashlib.sha256(content).hexdigest()}" == described["digest"]
            assert len(content) == described["size"]
            return content

        def read(name: str) -> bytes:
            file = files.extractfile(name)
            assert file is not None
            return file.read()

        [described] = json.loads(read("index.json"))["manifests"]
        manifest = json.loads(blob(described))
        root.mkdir()
        for layer in manifest["layers"]:
            subprocess.run(
                [
                    "tar",
                    "--extract",
                    "--gzip",
                    "--xattrs",
                    "--xattrs-include=*",
                    "--numeric-owner",
                    f"--directory={root}",
                ],
                input=blob(layer),
                check=True,
            )
        found: dict[str, Any] = json.loads(blob(manifest["config"]))["config"]
        return found


def run(work: Path, config: dict[str, Any], words: list[str], *, privileged: bool) -> str:
    """What the container prints."""
    kept = [f"CAP_{name}" for name in (all_of_this_process() if privileged else BY_DEFAULT.split())]
    access = [] if privileged else ["ro"]
    mounts = [
        mounted("/proc", "proc"),
        mounted("/sys", "sysfs", "nosuid", "noexec", "nodev", *access),
        mounted("/work", "bind", "rbind", "rw", source=str(work / "shared")),
    ]
    if privileged:
        mounts.append(mounted("/dev", "bind", "rbind", "rw", source="/dev"))
    else:
        mounts += [
            mounted("/dev", "tmpfs", "nosuid", "mode=755"),
            mounted("/dev/pts", "devpts", "nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620"),
        ]
    specified = {
        "ociVersion": "1.0.0",
        "process": {
            "user": {"uid": 0, "gid": 0},
            "args": [*config["Entrypoint"], *words],
            "env": config["Env"],
            "cwd": config["WorkingDir"],
            "capabilities": dict.fromkeys(("bounding", "effective", "permitted"), kept),
        },
        "root": {"path": "rootfs"},
        "hostname": "hybridnet",
        "mounts": mounts,
        "linux": {
            "namespaces": [{"type": kind} for kind in ("pid", "network", "ipc", "uts", "mount")],
            **(
                {}
                if privileged
                else {"maskedPaths": ["/proc/kcore", "/proc/keys"], "readonlyPaths": ["/proc/sys"]}
            ),
        },
    }
    (work / "config.json").write_text(json.dumps(specified))
    name = f"hybridnet-try-{work.name}-{'privileged' if privileged else 'plain'}"
    ended = subprocess.run(
        ["unshare", "--mount", "sh", "-c", CRUN, "crun", f"--bundle={work}", name],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=300,
    )
    return f"{ended.stdout}\nended with status {ended.returncode}"


def all_of_this_process() -> list[str]:
    """The capabilities that a container can be given here."""
    found = re.search(r"^CapBnd:\s+([0-9a-f]+)$", Path("/proc/self/status").read_text(), re.MULTILINE)
    assert found is not None
    return [name for bit, name in enumerate(CAPABILITIES.split()) if int(found[1], 16) >> bit & 1]


def mounted(where: str, kind: str, *options: str, source: str = "") -> dict[str, Any]:
    """A mount as the runtime specification has it."""
    return {"destination": where, "type": kind, "source": source or kind, "options": list(options)}


if __name__ == "__main__":
    sys.exit(main())
