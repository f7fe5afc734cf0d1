# SPDX-License-Identifier: MIT
"""Builds the one extension, ``hybridnet._simcore``, by calling CMake. Everything else is said in pyproject.toml.

CMake works in build/python and puts the extension where setuptools wants it: beside the Python sources for an editable
installation, else into the wheel. The version of the package is the one of ``project()`` in CMakeLists.txt.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).parent.resolve()
BUILD = ROOT / "build" / "python"


def version() -> str:
    found = re.search(r"project\(hybridnet VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    if found is None:
        raise SystemExit("setup.py: CMakeLists.txt has no line `project(hybridnet VERSION x.y.z ...)`")
    return found.group(1)


class CMakeBuild(build_ext):
    def run(self) -> None:
        for extension in self.extensions:
            self.build_extension(extension)

    def build_extension(self, ext: Extension) -> None:
        output = Path(self.get_ext_fullpath(ext.name)).resolve().parent
        configure = [
            *("cmake", "-S", str(ROOT), "-B", str(BUILD), "-G", "Ninja", "--log-level=WARNING"),
            "-DCMAKE_BUILD_TYPE=Release",
            "-DSIMCORE_PYTHON=ON",
            f"-DSIMCORE_PYTHON_OUTPUT={output}",
            f"-DPython_EXECUTABLE={sys.executable}",
        ]
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(len(os.sched_getaffinity(0))))
        subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(
            ["cmake", "--build", str(BUILD), "--target", "_simcore", "--parallel", jobs], check=True
        )


setup(
    version=version(),
    ext_modules=[Extension("hybridnet._simcore", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
)
