# SPDX-License-Identifier: MIT
"""What a row of the table is: a call of one public name of Mininet's, and what is known of its result."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Group", "Row", "each"]


@dataclass(frozen=True)
class Row:
    """One call, made on real Mininet and on ours.

    Args:
        of: the names that it tries, such as ``"Node.cmd"``; several are divided by spaces.
        code: what runs; the value of its last expression is compared. Beside Mininet's own names it has those of its
            group.
        differs: a key of `differences.DIFFERENCES` where the results differ, and for what reason; empty: they do not.
    """

    of: str
    code: str
    differs: str = ""


@dataclass(frozen=True)
class Group:
    """Rows that run one after another on the same subject.

    Args:
        name: unique among the groups.
        setup: what makes the subject. A network of the name `net` is stopped at the end, and looked at after each row.
        rows: in their order.
    """

    name: str
    setup: str
    rows: tuple[Row, ...]


def each(of: str, subject: str, names: str, **differs: str) -> list[Row]:
    """A row for each of several attributes: ``each("Node", "h1", "name intfs", intfs="shown")`` looks at h1.name and at
    h1.intfs, which differs for that reason.
    """
    return [Row(f"{of}.{name}", f"{subject}.{name}", differs.get(name, "")) for name in names.split()]
