# SPDX-License-Identifier: MIT
"""Images in registries: skopeo, which is no part of hybridnet, copies one into a folder."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator

from hybridnet.describe.images import FOLDER, ImageReference
from hybridnet.errors import EnvironmentLackError, MachineError

__all__ = ["FETCH_SECONDS", "fetched"]

FETCH_SECONDS = 3600.0


@contextlib.contextmanager
def fetched(reference: ImageReference, on_progress: Callable[[str], object]) -> Iterator[ImageReference]:
    """A copy of an image of a registry, as a folder, while the block runs.

    Raises:
        EnvironmentLackError: this computer has no skopeo.
        MachineError: it cannot be fetched; the message quotes skopeo.
    """
    program = shutil.which("skopeo")
    if program is None:
        raise EnvironmentLackError(
            f"image {reference} is in a registry, and skopeo, which fetches it, is not installed; run `apt-get install "
            "skopeo`, or fetch it elsewhere with `skopeo copy` or `docker save` and name the folder or the file"
        )
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="hybridnet-image-") as made:  # /tmp may be memory
        on_progress(f"fetching {reference}")
        copy = ["copy", "--quiet", "--override-os", "linux", str(reference), f"oci:{made}/image:fetched"]
        try:
            done = subprocess.run(
                [program, *copy],
                capture_output=True,
                text=True,
                check=False,
                timeout=FETCH_SECONDS,
            )
        except subprocess.TimeoutExpired:
            raise MachineError(f"skopeo did not fetch it within {FETCH_SECONDS:g} s; try again") from None
        if done.returncode != 0:
            raise MachineError(f"skopeo cannot fetch it: {done.stderr.strip()[-500:]}")
        yield ImageReference(FOLDER, f"{made}/image", "fetched")
