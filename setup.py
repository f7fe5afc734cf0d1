# SPDX-License-Identifier: MIT
"""Builds the one extension, ``hybridnet._simcore``, by calling CMake. Everything else is said in pyproject.toml.

CMake puts the extension where setuptools wants it. For an editable installation that is beside the Python sources, and
CMake works in build/release, the tree of the C++ tests, so that both share their objects. A wheel has its own tree. The
version of the package is the one of ``project()`` in CMakeLists.txt.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build import build
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).parent.resolve()

if sys.version_info < (3, 11):  # noqa: UP036 - pip would complain of the dependencies first
    raise SystemExit(
        f"setup.py: this is Python {sys.version.split()[0]} and hybridnet needs 3.11 or newer: "
        "use Debian 12 or 13 or Ubuntu 24.04, if need be in a virtual machine"
    )


def version() -> str:
    found = re.search(r"project\(hybridnet VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    if found is None:
        raise SystemExit("setup.py: CMakeLists.txt has no line `project(hybridnet VERSION x.y.z ...)`")
    return found.group(1)


class FreshBuild(build):
    """Forgets what an earlier build left: setuptools would put modules that have gone since into the wheel."""

    def run(self) -> None:
        shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()


class CMakeBuild(build_ext):
    def run(self) -> None:
        for extension in self.extensions:
            self.build_extension(extension)

    def build_extension(self, ext: Extension) -> None:
        missing = [program for program in ("cmake", "ninja", "c++") if shutil.which(program) is None]
        if missing:
            raise SystemExit(
                f"setup.py: the extension cannot be built without {', '.join(missing)}; "
                "install g++, cmake, ninja-build, libpcap-dev, liblz4-dev and robin-map-dev"
            )
        beside_sources = self.inplace or self.editable_mode
        tree = ROOT / "build" / ("release" if beside_sources else "wheel")
        output = Path(self.get_ext_fullpath(ext.name)).resolve().parent
        configure = [
            *("cmake", "-S", str(ROOT), "-B", str(tree), "-G", "Ninja", "--log-level=WARNING"),
            "-DCMAKE_BUILD_TYPE=Release",
            "-DSIMCORE_PYTHON=ON",
            f"-DSIMCORE_PYTHON_OUTPUT={output}",
            f"-DPython_EXECUTABLE={sys.executable}",
        ]
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(len(os.sched_getaffinity(0))))
        subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(
            ["cmake", "--build", str(tree), "--target", "_simcore", "--parallel", jobs], check=True
        )


setup(
    version=version(),
    ext_modules=[Extension("hybridnet._simcore", sources=[])],
    cmdclass={"build": FreshBuild, "build_ext": CMakeBuild},
)
