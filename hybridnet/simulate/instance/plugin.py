# SPDX-License-Identifier: MIT
"""Plug-ins: users' own models of links, one C++ file each, built against the one header ``hybridnet/plugin.h``.

The header is a copy of ``simcore/plugin/plugin.h`` that the build of the extension leaves beside it, so a plug-in is
always built for the interface of the simulator that will load it.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from hybridnet.describe.options.tables import extension
from hybridnet.errors import EnvironmentLackError, PlanError, UsageError

__all__ = ["PATH_VARIABLE", "build_plugin", "describe_plugin", "find_plugin", "include_directory"]

PATH_VARIABLE = "HYBRIDNET_PLUGIN_PATH"
"""Folders, separated by colons, that are searched for a plug-in named without a folder."""
COMPILERS = ("c++", "g++", "clang++")
FLAGS = ("-std=c++20", "-O2", "-fPIC", "-shared", "-Wall", "-Wextra")
SUFFIXES = (".cc", ".cpp", ".cxx")
COMPILE_SECONDS = 300.0


def include_directory() -> Path:
    """The folder to give a compiler with ``-I``, so that it finds ``hybridnet/plugin.h``.

    Raises:
        EnvironmentLackError: the header is not installed.
    """
    directory = Path(__file__).resolve().parents[2] / "include"
    if not (directory / "hybridnet" / "plugin.h").is_file():
        raise EnvironmentLackError(
            f"there is no hybridnet/plugin.h in {directory}; it comes with the extension: make install"
        )
    return directory


def find_plugin(name: str) -> Path:
    """The file of a plug-in: a path as it is, or a name as ``bursty`` or ``bursty.so`` in HYBRIDNET_PLUGIN_PATH.

    Raises:
        UsageError: there is none.
    """
    if "/" in name:
        path = Path(name).absolute()
        if not path.is_file():
            raise UsageError(f"plug-in {name}: there is no such file; build it: hybridnet plugin build")
        return path
    folders = [folder for folder in os.environ.get(PATH_VARIABLE, "").split(":") if folder]
    for folder in folders:
        for candidate in (Path(folder) / name, Path(folder) / f"{name}.so"):
            if candidate.is_file():
                return candidate.absolute()
    looked = f"it is not in {', '.join(folders)}" if folders else f"{PATH_VARIABLE} names no folder"
    raise UsageError(f"plug-in {name}: {looked}; write a path with a slash, such as ./{name}")


def describe_plugin(path: Path) -> str:
    """What a plug-in calls itself and is a model of, as ``Bursty: loss, delay``.

    Raises:
        PlanError: it is not a plug-in, or was built for another version of the interface.
        EnvironmentLackError: the extension has not been built.
    """
    described: str = extension().describe_plugin(str(path))
    return described


def build_plugin(source: Path, output: Path | None = None, flags: Sequence[str] = ()) -> Path:
    """Compile a plug-in, and load it once to see that it is one.

    Args:
        source: one file of C++.
        output: what to write; default: the source's name with ``.so``, in this folder.
        flags: given to the compiler after our own.

    Returns:
        The file that was written. A process that has loaded an older one keeps it.

    Raises:
        UsageError: the file is not there, or does not compile; the message quotes the compiler.
        PlanError: it is not a plug-in.
        EnvironmentLackError: there is no compiler.
    """
    if source.suffix not in SUFFIXES or not source.is_file():
        raise UsageError(f"plug-in {source}: there is no such file of C++ ({', '.join(SUFFIXES)})")
    output = Path(f"{source.stem}.so") if output is None else output
    if not output.parent.is_dir():
        raise UsageError(f"plug-in {output}: there is no folder {output.parent}; make it, or write another")
    compiler = _compiler()
    with tempfile.TemporaryDirectory(prefix=".plugin-", dir=output.parent) as folder:
        new = Path(folder) / output.name
        command = [*compiler, *FLAGS, f"-I{include_directory()}", str(source), "-o", str(new), *flags]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=COMPILE_SECONDS)
        except subprocess.TimeoutExpired:
            raise UsageError(
                f"plug-in {source}: {compiler[0]} was not ready within {COMPILE_SECONDS:g} s"
            ) from None
        if done.returncode != 0:
            raise UsageError(f"plug-in {source}: {shlex.join(command)} failed:\n{done.stderr.strip()}")
        try:
            describe_plugin(new)
        except PlanError as error:  # which names a file that nobody has seen
            why = str(error).removeprefix("load ").replace(f"plug-in {new}", f"plug-in {source}")
            raise PlanError(why) from None
        new.replace(output)
    return output


def _compiler() -> list[str]:
    given = shlex.split(os.environ.get("CXX", ""))
    for words in [given] if given else [[name] for name in COMPILERS]:
        if shutil.which(words[0]):
            return words
    if given:
        raise EnvironmentLackError(f"CXX={given[0]}: there is no such compiler; correct or unset CXX")
    raise EnvironmentLackError(
        f"there is no C++ compiler ({', '.join(COMPILERS)}); install one, for example apt-get install g++, or set CXX"
    )
