# SPDX-License-Identifier: MIT
from __future__ import annotations

from math import inf, sqrt

import pytest

from hybridnet.experiments.common.formulas import PERIODIC, cubic, pftk, square_root


def test_the_square_root_formula_at_one_percent():
    # 1.22 * 1460 / (0.06 * 0.1)
    assert square_root(PERIODIC, 1460, 0.06, 0.01) == pytest.approx(296_867, abs=1)


def test_without_loss_the_square_root_formula_has_no_bound():
    assert square_root(PERIODIC, 1460, 0.06, 0) == inf


def test_pftk_without_loss_is_the_window_over_the_round_trip():
    assert pftk(1460, 0.06, 0, 0.2, 65_535) == pytest.approx(65_535 / 0.06)


def test_pftk_is_never_above_the_window():
    assert pftk(1460, 0.06, 1e-6, 0.2, 65_535) == pytest.approx(65_535 / 0.06)


def test_pftk_without_timeouts_is_sqrt_three_halves():
    expected = sqrt(3 / 2) * 1460 / (0.06 * sqrt(0.01))
    assert pftk(1460, 0.06, 0.01, 0.0, 1e9) == pytest.approx(expected)


def test_pftk_at_two_percent_counts_the_timeouts():
    # 0.06 * sqrt(0.04 / 3) + 0.2 * 3 * sqrt(0.06 / 8) * 0.02 * (1 + 32 * 0.0004)
    seconds = 0.06928203e-1 + 0.2 * 3 * 0.08660254 * 0.02 * 1.0128
    assert pftk(1460, 0.06, 0.02, 0.2, 1e9) == pytest.approx(1460 / seconds, rel=1e-6)


def test_cubic_is_as_fast_as_reno_on_short_paths_and_faster_on_long_ones():
    assert cubic(1448, 0.01, 0.01) == pytest.approx(square_root(sqrt(1.5), 1448, 0.01, 0.01))
    # RFC 9438, section 5.1: at 10^-4 and 0.1 s the average window is 1.17 * (0.1 / 10^-4)^0.75 / ... = 1.054 * 177.8
    assert cubic(1448, 0.1, 1e-4) == pytest.approx(1448 / 0.1 * 1.0536 * (0.1 / 1e-4) ** 0.75, rel=1e-3)
    assert cubic(1448, 0.1, 0) == inf
