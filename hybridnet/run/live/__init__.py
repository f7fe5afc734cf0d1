# SPDX-License-Identifier: MIT
"""A running network as a page, and the same by REST and JSON: `Net.live`, `hybridnet run --live`, `Client`."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hybridnet.run.live.client import Client
    from hybridnet.run.live.page import Page

__all__ = ["Client", "Page"]

_HOMES = {"Client": "client", "Page": "page"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'hybridnet.run.live' has no attribute {name!r}")
    return getattr(importlib.import_module(f"hybridnet.run.live.{_HOMES[name]}"), name)
