# SPDX-License-Identifier: MIT
"""Which hybridnet this is: its version, and a fingerprint of its Python files, schemas and the extension's stub.

A head and the machines of a run speak one language only if they have the same. Versions alone do not say so: two
clones of the repository may have the same one and differ. `hybridnet.machines.workers.init` says its edition when it
starts, and the head compares.

Only the standard library is used here, most of it imported when somebody asks: a machine that shares its head's files
never does, and that is half of what its init imports.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2]
_DIGITS = 10
_SUFFIXES = (".py", ".pyi", ".json")


@cache
def edition(package: Path = PACKAGE) -> str:
    """The edition of the hybridnet in a folder; default: of this one.

    Returns:
        Its version and the fingerprint, such as ``1.2.0-3f09c1d2ab``. Of what is built in C++ the stub is part of it:
        two computers never build the same bytes from the same sources.
    """
    import hashlib
    from importlib.metadata import PackageNotFoundError, version

    files = hashlib.sha256()
    for path in sorted(_sources(package)):
        files.update(path.encode() + b"\0" + (package / path).read_bytes() + b"\0")
    try:
        number = version("hybridnet")
    except PackageNotFoundError:  # a clone that is only on the search path
        number = "0"
    return f"{number}-{files.hexdigest()[:_DIGITS]}"


def _sources(package: Path) -> list[str]:
    found = []
    # In a clone some folders are symbolic links; installed they are folders.
    for folder, folders, names in os.walk(package, followlinks=True):
        folders[:] = [name for name in folders if name != "__pycache__"]
        found += [
            os.path.relpath(os.path.join(folder, name), package) for name in names if name.endswith(_SUFFIXES)
        ]
    return found
