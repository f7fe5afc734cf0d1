# SPDX-License-Identifier: MIT
"""Memory in huge pages, for programs that have much of it."""

from __future__ import annotations

__all__ = ["HUGE_PAGES"]

HUGE_PAGES = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
"""In a program's environment: the C library (2.35 or newer; an older one ignores it) asks for huge pages where the
kernel gives them on request."""
