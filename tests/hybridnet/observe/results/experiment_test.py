# SPDX-License-Identifier: MIT
"""The options that experiments share."""

from __future__ import annotations

import argparse

import pytest

from hybridnet.observe.results import count, positive


def test_counts_and_figures_are_above_zero() -> None:
    assert (count("3"), positive("0.5")) == (3, 0.5)
    for text in ("0", "-1", "x", "1.5", ""):
        with pytest.raises(argparse.ArgumentTypeError, match="is not a whole number of at least 1"):
            count(text)
    for text in ("0", "-1", "x", "nan", "inf", ""):
        with pytest.raises(argparse.ArgumentTypeError, match="is not a number above 0"):
            positive(text)
