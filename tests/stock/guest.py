# SPDX-License-Identifier: MIT
"""Debian's packaged kernel over this computer's files, under qemu: tests meet the modules of users' kernels there.

The guest reads this computer's files and writes into its own memory; it shares one folder, `work`. Hardware
virtualization is used where there is some. Without it the guest takes some ten seconds to start and its programs run
ten times slower: what works can be tested there, how fast it is cannot.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

HERE = Path(__file__).resolve().parent
PACKAGES = ("qemu-system-x86", "busybox-static")
NEEDED_TO_MOUNT = ("virtio_pci", "9pnet_virtio", "9p", "overlay", "virtio_rng")
MEMORY_MIB = 6144
POLL_S = 0.5


class Guest:
    """One kernel, unpacked in a folder, ready to be started.

    Args:
        work: a folder for the kernel and what the guest writes; what was unpacked there before is used again.

    Raises:
        subprocess.CalledProcessError: a package cannot be had, or the kernel cannot be unpacked.
    """

    def __init__(self, work: Path) -> None:
        self.work = work.resolve()
        self.shared = self.work / "shared"
        self.shared.mkdir(parents=True, exist_ok=True)
        self._install_programs()
        self.version = self._kernel()

    def run(self, command: str, limit_s: float, on_line: Callable[[str], None]) -> int:
        """Start it, run a command as root, and wait until it has switched itself off.

        In the guest, /stock/accelerator says how it runs: ``KVM`` or ``TCG``.

        Args:
            command: for bash.
            limit_s: seconds, after which the guest is ended.
            on_line: called with each line that the command prints.

        Returns:
            The command's exit status.

        Raises:
            TimeoutError: it did not end in time.
            RuntimeError: it ended without having run the command; the message has the console's last lines.
        """
        shutil.copy(HERE / "init.sh", self.shared / "init")
        (self.shared / "init").chmod(0o755)
        (self.shared / "command").write_text(command)
        status = self.shared / "status"
        status.unlink(missing_ok=True)
        if os.access("/dev/kvm", os.W_OK):
            on_line("with hardware virtualization")
            if self._started("kvm", limit_s, on_line):
                return int(status.read_text())
            on_line("which starts no kernel here")
        on_line("without hardware virtualization: some ten times slower")
        if not self._started("tcg,thread=multi", limit_s, on_line):
            console = (self.work / "console.log").read_text(errors="replace").splitlines()
            raise RuntimeError("the guest ended before its command did:\n" + "\n".join(console[-20:]))
        return int(status.read_text())

    def _started(self, accelerator: str, limit_s: float, on_line: Callable[[str], None]) -> bool:
        """Start it and wait for its end. Returns whether the command has ended in it."""
        (self.shared / "accelerator").write_text(accelerator.partition(",")[0].upper())
        log = self.shared / "log"
        log.write_text("")
        with (
            log.open() as lines,
            subprocess.Popen(self._qemu(accelerator), stderr=subprocess.DEVNULL) as qemu,
        ):
            try:
                _follow(lines, qemu, limit_s, on_line)
            except BaseException:
                qemu.kill()
                raise
        return (self.shared / "status").exists()

    def _install_programs(self) -> None:
        if shutil.which("qemu-system-x86_64") is None or not Path("/usr/bin/busybox").exists():
            subprocess.run(
                ["apt-get", "install", "-q", "-y", "--no-install-recommends", *PACKAGES],
                check=True,
                env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
            )

    def _kernel(self) -> str:
        """Unpack the newest packaged kernel, unless that has been done. Returns its version."""
        depends = subprocess.run(
            ["apt-cache", "depends", "linux-image-amd64"], check=True, capture_output=True, text=True
        ).stdout
        found = re.search(r"linux-image-(\S+)", depends.partition("Depends:")[2])
        if found is None:
            raise RuntimeError(f"apt knows no kernel package: {depends.strip()}; run apt-get update")
        version = found[1]
        kernel = self.shared / "kernel"
        if not (kernel / "complete").exists() or (kernel / "complete").read_text() != version:
            shutil.rmtree(kernel, ignore_errors=True)
            with tempfile.TemporaryDirectory(dir=self.work) as folder:
                subprocess.run(
                    ["apt-get", "download", "-q", f"linux-image-{version}"], check=True, cwd=folder
                )
                [package] = Path(folder).glob("*.deb")
                subprocess.run(["dpkg-deb", "-x", package, kernel], check=True)
            subprocess.run(["depmod", "-b", kernel, version], check=True)
            self._pack_first_disk(kernel, version)
            (kernel / "complete").write_text(version)
        return version

    def _pack_first_disk(self, kernel: Path, version: str) -> None:
        """The initial memory disk: busybox, and the modules that mount this computer's files."""
        with tempfile.TemporaryDirectory(dir=self.work) as name:
            folder = Path(name)
            for made in ("bin", "proc", "sys", "dev", "below", "layer", "root", "modules"):
                (folder / made).mkdir()
            shutil.copy("/usr/bin/busybox", folder / "bin" / "busybox")
            for program in ("sh", "mount", "mkdir", "insmod", "switch_root"):
                (folder / "bin" / program).symlink_to("busybox")
            order: dict[str, None] = {}  # a set that keeps the order of first mention
            for module in NEEDED_TO_MOUNT:
                said = subprocess.run(
                    ["modprobe", "-d", kernel, "-S", version, "--show-depends", module],
                    check=True,
                    capture_output=True,
                    text=True,
                ).stdout
                for path in re.findall(r"^insmod (\S+)", said, re.MULTILINE):
                    shutil.copy(path, folder / "modules")
                    order[Path(path).name] = None
            (folder / "modules" / "order").write_text("".join(f"{module}\n" for module in order))
            shutil.copy(HERE / "first_init.sh", folder / "init")
            (folder / "init").chmod(0o755)
            files = "\n".join(str(path.relative_to(folder)) for path in sorted(folder.rglob("*")))
            disk = subprocess.run(
                ["busybox", "cpio", "-o", "-H", "newc"],
                check=True,
                cwd=folder,
                input=files.encode(),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            ).stdout
            (self.work / "first_disk").write_bytes(disk)

    def _qemu(self, accelerator: str) -> list[str]:
        share = "security_model=none"
        return [
            "qemu-system-x86_64",
            *(
                "-accel",
                accelerator,
                "-machine",
                "q35",
                "-cpu",
                "max",
                "-smp",
                str(len(os.sched_getaffinity(0))),
            ),
            *("-m", str(MEMORY_MIB), "-nodefaults", "-no-user-config", "-nic", "none", "-display", "none"),
            *("-no-reboot", "-monitor", "none", "-serial", f"file:{self.work / 'console.log'}"),
            *(
                "-device",
                "virtio-rng-pci",
                "-kernel",
                str(self.shared / "kernel/boot" / f"vmlinuz-{self.version}"),
            ),
            *("-initrd", str(self.work / "first_disk")),
            *("-append", "console=ttyS0 rdinit=/init panic=-1 mitigations=off loglevel=4 tsc=reliable"),
            *("-fsdev", f"local,id=root,path=/,{share},readonly=on,multidevs=remap"),
            *("-device", "virtio-9p-pci,fsdev=root,mount_tag=root"),
            *("-fsdev", f"local,id=stock,path={self.shared},{share}"),
            *("-device", "virtio-9p-pci,fsdev=stock,mount_tag=stock"),
        ]


def _follow(
    lines: TextIO, qemu: subprocess.Popen[bytes], limit_s: float, on_line: Callable[[str], None]
) -> None:
    """Pass on what the guest writes, until it is off."""
    deadline = time.monotonic() + limit_s
    begun = ""
    over = False
    while not over:
        over = qemu.poll() is not None  # before the last look: what it wrote until then is read
        while piece := lines.readline():
            begun += piece
            if begun.endswith("\n"):
                on_line(begun.rstrip("\n"))
                begun = ""
        if not over and time.monotonic() > deadline:
            raise TimeoutError(f"the guest did not end within {limit_s:g} s")
        with contextlib.suppress(subprocess.TimeoutExpired):
            qemu.wait(POLL_S)
