# SPDX-License-Identifier: MIT
"""Networks that are part emulated and part simulated in real time."""

from __future__ import annotations

from importlib.metadata import version

__version__ = version("hybridnet")
