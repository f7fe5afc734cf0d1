# SPDX-License-Identifier: MIT
"""What a failed test is worth: nothing, where the verdict on its network says that the computer made it fail. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from hybridnet.observe.results.verdict import Verdict, Word

__all__ = ["why_inconclusive"]


def why_inconclusive(failed: bool, verdicts: Iterable[Verdict]) -> str | None:
    """Why a test says nothing of what it tests; None: it does.

    Args:
        failed: a test that passes needs no verdict: what it asked for was there.
        verdicts: on its networks.

    Example:
        >>> why_inconclusive(True, [Verdict(Word.SATURATED, ["m1: its processors were busy"])])
        'saturated: m1: its processors were busy'
    """
    if not failed:
        return None
    for verdict in verdicts:
        if verdict.word is not Word.TRUSTED:
            return f"{verdict.word}: {verdict.reasons[0]}" if verdict.reasons else str(verdict.word)
    return None
