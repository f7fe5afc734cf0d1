# SPDX-License-Identifier: MIT
"""Puts the program that Wireshark asks into the folder where Wireshark looks for such programs, and removes it."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

from hybridnet.describe.values import plain
from hybridnet.errors import EnvironmentLackError, UsageError
from hybridnet.system.python_command import python_module

__all__ = ["install", "remove", "wireshark_folder"]

NAME = "hybridnet"
TSHARK_SECONDS = 30.0
_PERSONAL, _GLOBAL = "Personal Extcap path:", "Extcap path:"
_MARK = "# Written by hybridnet extcap-install; hybridnet extcap-install --remove removes it."


def wireshark_folder() -> Path:
    """Where Wireshark looks: its user's folder; before 4.2, which knows none, that of all users, if this one may write
    there; and where tshark is missing, the user's.
    """
    own = Path.home() / ".local/lib/wireshark/extcap"
    if shutil.which("tshark") is None:
        return own
    try:
        said = subprocess.run(
            ["tshark", "-G", "folders"],
            capture_output=True,
            text=True,
            timeout=TSHARK_SECONDS,
            stdin=subprocess.DEVNULL,
            check=False,
        ).stdout
    except subprocess.TimeoutExpired:
        return own
    return folder_of(said, own)


def folder_of(said: str, own: Path) -> Path:
    """From what `tshark -G folders` says.

    Args:
        own: the answer where it says nothing of the kind.

    Raises:
        EnvironmentLackError: only root may write where Wireshark looks.
    """
    for word in (_PERSONAL, _GLOBAL):
        for line in said.splitlines():
            if not line.startswith(word):
                continue
            folder = Path(line.removeprefix(word).strip())
            if word == _GLOBAL and folder.is_dir() and not os.access(folder, os.W_OK):
                raise EnvironmentLackError(
                    f"extcap-install: this Wireshark looks in {folder} only, where you may not write; run with sudo, "
                    "or name a folder by --folder and start Wireshark with WIRESHARK_EXTCAP_DIR set to it"
                )
            return folder
    return own


def install(folder: Path) -> Path:
    """Write the program. Returns its path.

    Raises:
        UsageError: a file of that name is there that is not ours.
        EnvironmentLackError: it cannot be written.
    """
    program = folder / NAME
    command = shlex.join([*python_module("hybridnet.cli"), "extcap"])
    text = f'#!/bin/sh\n{_MARK}\nexec {command} "$@"\n'
    try:
        _require_ours(program)
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = folder / f".{NAME}.{os.getpid()}"
        try:
            unfinished.write_text(text)
            unfinished.chmod(0o755)
            os.replace(unfinished, program)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as error:
        raise EnvironmentLackError(
            f"extcap-install: {program} cannot be written: {error.strerror}; choose another folder by --folder"
        ) from None
    return program


def remove(folder: Path) -> Path | None:
    """Remove the program. Returns where it was; None: it was not there.

    Raises:
        UsageError: a file of that name is there that is not ours.
        EnvironmentLackError: it cannot be removed.
    """
    program = folder / NAME
    try:
        if not _require_ours(program):
            return None
        program.unlink()
    except OSError as error:
        raise EnvironmentLackError(
            f"extcap-install: {program} cannot be removed: {error.strerror}; run as the user who installed it"
        ) from None
    return program


def _require_ours(program: Path) -> bool:
    """Whether it is there. Raises UsageError: it is not ours."""
    if not os.path.lexists(program):
        return False
    if program.is_symlink() or not program.is_file() or _MARK.encode() not in program.read_bytes():
        raise UsageError(
            f"extcap-install: {plain(str(program))} is not hybridnet's; move it away, or choose another folder by "
            "--folder"
        )
    return True
