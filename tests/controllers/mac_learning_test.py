# SPDX-License-Identifier: MIT
from __future__ import annotations

from controllers.mac_learning import (
    AGEING_S,
    FLOOD_S,
    SETTLE_S,
    AddDestination,
    AddSource,
    FloodDestination,
    MacLearning,
    RemoveDestination,
    RemovePort,
    RemoveSource,
    Send,
)

H1, H2, H3 = (bytes([2, 0, 0, 0, 0, last]) for last in (1, 2, 3))
BROADCAST = bytes.fromhex("ffffffffffff")
ALL_NODES = bytes.fromhex("333300000001")


def test_first_broadcast_is_remembered_without_flows() -> None:
    switch = MacLearning()
    assert switch.source_unknown(0, 1, H1, BROADCAST) == []
    assert switch.port_of(H1) == 1


def test_second_broadcast_gets_flows_so_that_a_noisy_host_is_quiet() -> None:
    switch = MacLearning()
    switch.source_unknown(0, 1, H1, BROADCAST)
    assert switch.source_unknown(4, 1, H1, ALL_NODES) == [AddSource(H1, 1), AddDestination(H1, 1)]


def test_arp_exchange_needs_no_flood_of_the_reply() -> None:
    switch = MacLearning()
    switch.source_unknown(0, 1, H1, BROADCAST)  # h1 asks who has h2
    assert switch.source_unknown(0.1, 2, H2, H1) == [AddSource(H2, 2), AddDestination(H2, 2)]  # h2 answers
    assert switch.destination_unknown(0.1, 2, H1) == ([AddDestination(H1, 1)], Send(1))


def test_frames_sent_before_the_flow_took_effect_change_nothing() -> None:
    switch = MacLearning()
    assert len(switch.source_unknown(0, 1, H1, H2)) == 2
    assert switch.source_unknown(SETTLE_S * 0.9, 1, H1, H2) == []
    # later, the flow must have been lost
    assert switch.source_unknown(SETTLE_S * 1.1, 1, H1, H2) == [AddSource(H1, 1), AddDestination(H1, 1)]


def test_really_unknown_destination_is_flooded_by_the_datapath_for_a_while() -> None:
    switch = MacLearning()
    assert switch.destination_unknown(0, 1, H2) == ([FloodDestination(H2)], Send(None))


def test_awaited_host_gets_flows_at_its_first_word() -> None:
    switch = MacLearning()
    switch.destination_unknown(0, 1, H2)
    expected = [AddSource(H2, 2), AddDestination(H2, 2)]
    assert switch.source_unknown(FLOOD_S * 0.5, 2, H2, BROADCAST) == expected

    switch = MacLearning()
    switch.destination_unknown(0, 1, H2)
    assert switch.source_unknown(FLOOD_S * 2, 2, H2, BROADCAST) == []  # the flooding flow is gone by then


def test_frame_for_a_host_on_the_same_side_goes_nowhere() -> None:
    switch = MacLearning()
    switch.source_unknown(0, 1, H1, BROADCAST)
    assert switch.destination_unknown(0, 1, H1) == ([AddDestination(H1, 1)], None)


def test_host_that_moves_takes_its_flows_along() -> None:
    switch = MacLearning()
    switch.source_unknown(0, 1, H1, H2)
    changes = switch.source_unknown(0.5, 3, H1, BROADCAST)
    assert changes == [RemoveSource(H1, 1), AddSource(H1, 3), AddDestination(H1, 3)]
    assert switch.port_of(H1) == 3
    assert switch.moved == 1


def test_host_that_moves_before_it_had_a_flow_has_none_removed() -> None:
    switch = MacLearning()
    switch.source_unknown(0, 1, H1, BROADCAST)
    assert switch.source_unknown(0.5, 3, H1, BROADCAST) == [AddSource(H1, 3), AddDestination(H1, 3)]


def test_silent_host_is_forgotten_when_its_flow_expires() -> None:
    switch = MacLearning()
    switch.source_unknown(0, 1, H1, H2)
    assert switch.source_expired(H1, 1) == [RemoveDestination(H1)]
    assert switch.port_of(H1) is None


def test_expiry_at_the_old_port_does_not_forget_a_host_that_moved() -> None:
    switch = MacLearning()
    switch.source_unknown(0, 1, H1, H2)
    switch.source_unknown(1, 3, H1, H2)
    assert switch.source_expired(H1, 1) == []
    assert switch.port_of(H1) == 3


def test_host_only_remembered_is_not_trusted_after_the_ageing_time() -> None:
    switch = MacLearning()
    switch.source_unknown(0, 1, H1, BROADCAST)
    assert switch.destination_unknown(AGEING_S - 1, 2, H1)[1] == Send(1)
    assert switch.destination_unknown(AGEING_S + 1, 2, H1) == ([FloodDestination(H1)], Send(None))


def test_dead_port_takes_its_hosts_along_and_no_others() -> None:
    switch = MacLearning()
    switch.source_unknown(0, 1, H1, H3)
    switch.source_unknown(0, 2, H2, H3)
    assert switch.port_gone(1) == [RemovePort(1)]
    assert (switch.port_of(H1), switch.port_of(H2)) == (None, 2)
    assert switch.destination_unknown(1, 2, H1)[1] == Send(None)


def test_group_address_is_never_learned_as_a_source() -> None:
    switch = MacLearning()
    assert switch.source_unknown(0, 1, BROADCAST, H1) == []
    assert len(switch) == 0


def test_table_is_bounded_and_the_oldest_goes() -> None:
    switch = MacLearning(capacity=2)
    switch.source_unknown(0, 1, H1, H2)
    switch.source_unknown(0, 2, H2, H1)
    assert switch.source_unknown(0, 3, H3, H1) == [
        RemoveSource(H1, 1),
        RemoveDestination(H1),
        AddSource(H3, 3),
        AddDestination(H3, 3),
    ]
    assert (len(switch), switch.evicted) == (2, 1)


def test_flooded_destinations_are_bounded() -> None:
    switch = MacLearning(capacity=2)
    for destination in (H1, H2, H3):
        switch.destination_unknown(0, 9, destination)
    assert switch.source_unknown(0.1, 1, H1, BROADCAST) == []  # forgotten that it was awaited
    assert len(switch.source_unknown(0.1, 3, H3, BROADCAST)) == 2
