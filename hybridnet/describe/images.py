# SPDX-License-Identifier: MIT
"""How a description names an image: a folder, an archive, or a place in a registry."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Any

from hybridnet.describe.values import shown
from hybridnet.errors import TopologyError

__all__ = ["ARCHIVE", "FOLDER", "REGISTRY", "ImageReference", "parse_image"]

FOLDER, ARCHIVE, REGISTRY = "oci", "archive", "docker"
MOST_CHARACTERS = 4096
_ENDINGS = (".tar", ".tar.gz", ".tgz")
# Source: OCI Distribution Specification 1.1, "Pulling manifests"; a registry's own name and port come before that.
_TAG = re.compile(r"\w[\w.-]{0,127}", re.ASCII)
_IN_REGISTRY = re.compile(
    r"[a-z0-9.-]+(:[0-9]{1,5})?(/[a-z0-9._-]+)*(:\w[\w.-]{0,127})?(@sha256:[0-9a-f]{64})?", re.ASCII
)
_CURE = (
    "write 'oci:FOLDER' or 'oci:FOLDER:TAG' for a folder in the OCI layout, 'FILE.tar' for what docker save has "
    "written, or 'docker://NAME:TAG' for a registry"
)


@dataclass(frozen=True)
class ImageReference:
    """Where an image is.

    Args:
        form: `FOLDER`, `ARCHIVE` or `REGISTRY`.
        place: an absolute path; of a registry, what follows ``docker://``.
        tag: which of several images of a folder or an archive; None: the only one.
    """

    form: str
    place: str
    tag: str | None = None

    def __str__(self) -> str:
        if self.form == REGISTRY:
            return f"docker://{self.place}"
        return f"{self.form}:{self.place}" + ("" if self.tag is None else f":{self.tag}")


def parse_image(value: Any, what: str) -> ImageReference:
    """Read what ``image=`` says. Relative paths begin at the current folder.

    Raises:
        TopologyError: it names no image.

    Example:
        >>> parse_image("oci:/srv/web:1.2", "image")
        ImageReference(form='oci', place='/srv/web', tag='1.2')
        >>> str(parse_image("docker://example.org/web:1.2", "image"))
        'docker://example.org/web:1.2'
    """
    if not isinstance(value, str) or not value or len(value) > MOST_CHARACTERS or not value.isprintable():
        raise TopologyError(f"{what} {shown(value)} is no name of an image; {_CURE}")
    if value.startswith("docker://"):
        place = value.removeprefix("docker://")
        if not _IN_REGISTRY.fullmatch(place):
            raise TopologyError(f"{what} {shown(value)} is no name in a registry; {_CURE}")
        return ImageReference(REGISTRY, place)
    form, colon, rest = value.partition(":")
    if colon and form in (FOLDER, ARCHIVE):
        path, tag = _divided(rest)
    elif value.endswith(_ENDINGS):
        form, path, tag = ARCHIVE, value, None
    else:
        raise TopologyError(f"{what} {shown(value)} is no name of an image; {_CURE}")
    if not path:
        raise TopologyError(f"{what} {shown(value)} names no path; {_CURE}")
    return ImageReference(form, os.path.abspath(path), tag)


def _divided(rest: str) -> tuple[str, str | None]:
    """A path and a tag; an archive's tag may be a whole name, such as ``web:1.2``."""
    path, colon, tag = rest.rpartition(":")
    if not colon or "/" in tag or not _TAG.fullmatch(tag):
        return rest, None
    return path, tag
