# SPDX-License-Identifier: MIT
"""Images in registries: skopeo, which is no part of hybridnet, copies one into a folder."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Iterator

from hybridnet.describe.images import FOLDER, ImageReference
from hybridnet.errors import EnvironmentLackError
from hybridnet.system.command import run

__all__ = ["FETCH_SECONDS", "fetched"]

FETCH_SECONDS = 3600.0


@contextlib.contextmanager
def fetched(reference: ImageReference, on_progress: Callable[[str], object]) -> Iterator[ImageReference]:
    """A copy of an image of a registry, as a folder, while the block runs.

    Raises:
        EnvironmentLackError: this computer has no skopeo.
        MachineError: it cannot be fetched, and the message quotes skopeo; or the work was interrupted.
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
        run([program, *copy], timeout=FETCH_SECONDS)
        yield ImageReference(FOLDER, f"{made}/image", "fetched")
