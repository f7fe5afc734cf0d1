# SPDX-License-Identifier: MIT
"""What a script has set of a node while it runs, so that it can be set again: its machine may be lost and return."""

from __future__ import annotations

from collections.abc import Callable, Collection

__all__ = ["Settings"]


class Settings:
    """The last setting of each kind, in the order in which they were made."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, str], Callable[[], object]] = {}

    def note(self, kind: str, again: Callable[[], object], interface: str = "") -> None:
        """Remember a setting that was made.

        Args:
            kind: an earlier one of this kind, of the same interface, is forgotten.
            again: makes it once more.
            interface: whose it is; empty: it is none's.
        """
        self._made.pop((kind, interface), None)
        self._made[kind, interface] = again

    def follow(self, interfaces: Collection[str]) -> None:
        """These are the node's interfaces now: what was set of others is forgotten."""
        self._made = {key: again for key, again in self._made.items() if not key[1] or key[1] in interfaces}

    def drop(self, interface: str, *kinds: str) -> None:
        """The kernel has undone those of an interface whose kinds begin with one of these words."""
        self._made = {
            key: again
            for key, again in self._made.items()
            if key[1] != interface or key[0].partition(" ")[0] not in kinds
        }

    def taken(self) -> list[Callable[[], object]]:
        """What makes each of them once more, in order."""
        return list(self._made.values())
