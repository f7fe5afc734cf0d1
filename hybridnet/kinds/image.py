# SPDX-License-Identifier: MIT
"""Hosts whose root is a container image: what runs in them is the image's, and the network is hybridnet's.

The image's own command begins once the network has been built, and ends with it: with the image's own signal, and two
seconds later by SIGKILL.
"""

from __future__ import annotations

from typing import Any

from hybridnet.describe.kinds import IMAGE, HostKind
from hybridnet.describe.topo.image_options import IMAGE_OPTIONS
from hybridnet.describe.values import whole
from hybridnet.run.node import Host

__all__ = ["IMAGE_HOST", "ImageHost"]

MOST_LOG = 64 << 20


class ImageHost(Host):
    """A host with an image. Its shell, `popen` and terminals are in the image; `cmd` runs as root there.

    Args:
        image: where the image is: ``"oci:FOLDER"``, ``"oci:FOLDER:TAG"``, ``"FILE.tar"`` or ``"docker://NAME:TAG"``.
        entrypoint, command: words instead of the image's; another entrypoint does not get the image's own arguments.
        environment: variables beside the image's: a dictionary, or ``["NAME=VALUE"]``.
        volumes: folders and files of the machine that it sees: ``["/srv/site:/site:ro"]``.
        dns: addresses of name servers; None: the computer's.
        user: as whom the command runs; None: as the image says.
        run: whether the command is started with the network; default True. `restart` starts it later.
    """

    kind = IMAGE

    def config(self, **params: Any) -> None:
        """Start the image's command, unless ``run=False``. Raises MachineError."""
        super().config(**params)
        if self.params.get("run", True):
            self.restart()

    def restart(self) -> None:
        """Start the image's command; one that runs ends first. An image without one has none to start.

        Raises:
            MachineError: it cannot be started.
        """
        self._call("start_image_command", node=self.name)

    def end(self, timeout: float = 10.0) -> int | None:
        """End the image's command: with the signal that the image says, and SIGKILL after `timeout` seconds. Returns
        its exit status, as `exit_status`.
        """
        status: int | None = self._call("end_image_command", node=self.name, timeout=timeout)
        return status

    def signal(self, number: int) -> None:
        """Send a signal to the image's command. One that has ended gets none."""
        self._call("signal_image_command", node=self.name, signal=int(number))

    def exit_status(self, timeout: float = 0.0) -> int | None:
        """How the image's command has ended: negative for a signal; 127: the image has no such program. None: it runs
        after `timeout` seconds, or was never started.
        """
        status: int | None = self._call("wait_image_command", node=self.name, timeout=timeout)
        return status

    def log(self, most: int = 1 << 20) -> str:
        """What the image's command has printed, on both streams: the last `most` bytes of it, at most 64 MB."""
        most = whole(most, f"{self.name}.log: most", 1, MOST_LOG)
        return bytes(self._call("image_log", node=self.name, most=most)).decode(errors="replace")


IMAGE_HOST = HostKind(name=IMAGE, title="host with an image", live=ImageHost, options=IMAGE_OPTIONS)
