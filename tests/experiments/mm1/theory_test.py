# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

from hybridnet.experiments.mm1 import theory


def test_mm1_takes_six_seconds_at_the_papers_rates() -> None:
    assert theory.mm1_response_s(1 / 3, 1 / 2) == pytest.approx(6.0)


def test_shares_of_mm1_add_up_and_their_mean_obeys_little() -> None:
    shares = [theory.mm1_share(1 / 3, 1 / 2, n) for n in range(500)]
    assert sum(shares) == pytest.approx(1.0)
    assert sum(n * share for n, share in enumerate(shares)) == pytest.approx(6.0 / 3)


def test_one_server_of_m_is_mm1() -> None:
    assert theory.mmm_response_s(0.3, 0.5, 1) == pytest.approx(theory.mm1_response_s(0.3, 0.5))


def test_two_servers_by_hand() -> None:
    # load of each 1/3: 1 / mu / (1 - load^2)
    assert theory.mmm_response_s(1 / 3, 1 / 2, 2) == pytest.approx(2 / (1 - 1 / 9))


def test_even_service_halves_the_waiting() -> None:
    assert theory.md1_response_s(1 / 3, 1 / 2) == pytest.approx(2 + (6 - 2) / 2)


def test_much_room_is_as_good_as_no_limit() -> None:
    assert theory.mm1k_response_s(1 / 3, 1 / 2, 200) == pytest.approx(6.0)


def test_room_for_one_never_waits() -> None:
    assert theory.mm1k_response_s(1 / 3, 1 / 2, 1) == pytest.approx(2.0)
    assert theory.mm1k_shares(1 / 3, 1 / 2, 1) == pytest.approx([0.6, 0.4])
