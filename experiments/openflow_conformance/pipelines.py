# SPDX-License-Identifier: MIT
"""Cases of the pipeline: tables, priorities, misses, metadata, action sets, reserved ports, and changes of flows."""

from __future__ import annotations

from collections.abc import Iterator

from hybridnet.experiments.openflow_conformance.case import Case, leaves, misses
from hybridnet.experiments.openflow_conformance.messages import (
    CONTROLLER,
    FIRST,
    IN,
    PASS,
    SECOND,
    STAY,
    TCP,
    action,
    apply,
    clear,
    flow,
    goto,
    otherwise_to_controller,
    output,
    set_field,
    write,
    write_metadata,
)
from hybridnet.experiments.openflow_conformance.packets import packet

SENT = packet("tcp")
IN_PORT, FLOOD, ALL, TABLE_MISS = 0xFFFFFFF8, 0xFFFFFFFB, 0xFFFFFFFC, 0
MODIFY, MODIFY_STRICT, DELETE, DELETE_STRICT = 1, 2, 3, 4
ONES = (1 << 64) - 1


def cases() -> Iterator[Case]:
    """All of them."""
    yield from _tables()
    yield from _misses()
    yield from _priorities()
    yield from _action_sets()
    yield from _metadata()
    yield from _reserved_ports()
    yield from _changes()
    yield from _members()


def _tables() -> Iterator[Case]:
    for table in (1, 2, 7, 100, 253):
        yield Case(
            "pipeline",
            f"goto table {table}",
            [flow({}, [goto(table)]), flow(TCP, PASS, table=table), otherwise_to_controller(table)],
            [leaves(SENT), misses(packet("udp"))],
        )
    for length in (4, 16, 64):
        chain = [flow({}, [goto(table + 1)], table=table) for table in range(length)]
        yield Case(
            "pipeline", f"{length} tables in a row", [*chain, flow({}, PASS, table=length)], [leaves(SENT)]
        )
    for table in (1, 50):
        changed = {"eth_dst": 0x020000000001, "tcp_dst": 4711}
        yield Case(
            "pipeline",
            f"actions of each table apply before table {table} is looked up",
            [
                flow(TCP, [apply(*(set_field(name, value) for name, value in changed.items())), goto(table)]),
                flow({**TCP, **changed}, PASS, table=table),
            ],
            [leaves(SENT, packet("tcp", changed))],
        )


def _misses() -> Iterator[Case]:
    for kind in ("tcp", "udp6", "arp", "vlan", "mpls"):
        yield Case(
            "table miss",
            f"{kind}: counted as a lookup, not as a match",
            [flow({"eth_src": 0x020000000009}, PASS)],
            [{"ingress": packet(kind), "table-miss": [0]}],
        )
    yield Case(
        "table miss",
        "in the second table",
        [flow({}, [goto(1)]), flow({"eth_src": 0x020000000009}, PASS, table=1)],
        [{"ingress": SENT, "table-miss": [1]}],
    )
    yield Case(
        "table miss", "a flow for all of priority 0 lets pass", [flow({}, PASS, priority=0)], [leaves(SENT)]
    )
    yield Case(
        "table miss",
        "a flow for all of priority 0 goes to a table",
        [flow({}, [goto(3)], priority=0), flow({}, PASS, table=3, priority=0)],
        [leaves(SENT)],
    )


def _priorities() -> Iterator[Case]:
    for high, low in ((2, 1), (65535, 65534), (1, 0), (40000, 3)):
        for fine in (True, False):
            wide, narrow = ({}, TCP) if fine else (TCP, {})
            yield Case(
                "priority",
                f"{high} before {low}, the {'finer' if fine else 'coarser'} match first",
                [flow(wide, STAY if low else [], priority=low), flow(narrow, PASS, priority=high)],
                [leaves(SENT)],
            )


def _action_sets() -> Iterator[Case]:
    first, second = {"tcp_dst": 1111}, {"tcp_dst": 2222}
    set_first, set_second = set_field("tcp_dst", 1111), set_field("tcp_dst", 2222)
    yield Case(
        "action set",
        "a later table's output takes the place of an earlier one's",
        [flow({}, [write(output(SECOND)), goto(1)]), flow({}, [write(output(FIRST))], table=1)],
        [leaves(SENT)],
    )
    yield Case(
        "action set",
        "a later set-field takes the place of an earlier one of the same field",
        [
            flow(TCP, [write(set_first, output(FIRST)), goto(1)]),
            flow(TCP, [write(set_second)], table=1),
        ],
        [leaves(SENT, packet("tcp", second))],
    )
    yield Case(
        "action set",
        "set-fields of two fields stay beside each other",
        [
            flow(TCP, [write(set_first, output(FIRST)), goto(1)]),
            flow(TCP, [write(set_field("ipv4_dst", 0x0A000001))], table=1),
        ],
        [leaves(SENT, packet("tcp", {**first, "ipv4_dst": 0x0A000001}))],
    )
    yield Case(
        "action set",
        "is executed after the last table, so later tables match what came in",
        [
            flow(TCP, [write(set_first), goto(1)]),
            flow({**TCP, **first}, STAY, table=1),
            flow({**TCP}, [write(output(FIRST))], table=1, priority=50),
        ],
        [leaves(SENT, packet("tcp", first))],
    )
    for kind in ("vlan", "tcp"):
        yield Case(
            "action set",
            f"it pops a VLAN tag, whatever was matched: {kind}",
            [flow({}, [write(action("PopVlan"), output(FIRST))])],
            [leaves(packet(kind), packet("tcp"))],
        )
    twice = [action("PushVlan", ethertype=0x8100)] * 2 + [action("PopVlan")] * 2
    yield Case(
        "pipeline",
        "two tags pushed, two popped",
        [flow({}, [apply(*twice, output(FIRST))])],
        [leaves(SENT)],
    )
    yield Case(
        "action set",
        "clear-actions empties it",
        [
            flow(TCP, [write(set_first, output(SECOND)), goto(1)]),
            flow(TCP, [clear(), write(output(FIRST))], table=1),
        ],
        [leaves(SENT)],
    )
    yield Case(
        "action set",
        "clear-actions leaves what was applied",
        [
            flow(TCP, [apply(set_first), write(output(SECOND)), goto(1)]),
            flow(TCP, [clear(), write(output(FIRST))], table=1),
        ],
        [leaves(SENT, packet("tcp", first))],
    )
    yield Case(
        "action set",
        "apply-actions come before it, and leave it alone",
        [flow(TCP, [apply(set_first), write(set_second, output(FIRST))])],
        [leaves(SENT, packet("tcp", second))],
    )
    yield Case(
        "action set",
        "its output is the last, whatever the order in which it was written",
        [flow(TCP, [write(output(FIRST), set_first)])],
        [leaves(SENT, packet("tcp", first))],
    )
    yield Case(
        "action set",
        "set-nw-ttl and dec-nw-ttl: decrement first, then set",
        [flow(TCP, [write(action("SetNwTtl", nw_ttl=9), action("DecNwTtl"), output(FIRST))])],
        [leaves(SENT, packet("tcp", ttl=9))],
    )
    yield Case(
        "action set",
        "without an output the packet is dropped",
        [flow(TCP, [write(set_first)]), flow({"eth_type": 0x0800, "ip_proto": 17}, PASS)],
        [leaves(packet("udp"))],
    )


def _metadata() -> Iterator[Case]:
    for name, value, mask in (
        ("whole", 0x123456789ABCDEF0, ONES),
        ("upper half", 0x12345678 << 32, ONES << 32 & ONES),
        ("one bit", 1 << 40, 1 << 40),
        ("zero", 0, ONES),
    ):
        yield Case(
            "metadata",
            f"written: {name}",
            [
                flow({}, [write_metadata(value, mask), goto(1)]),
                flow({"metadata": value}, PASS, table=1),
                otherwise_to_controller(1),
            ],
            [leaves(SENT)],
        )
    low, high = 0xFFFF, 0xFFFF << 48
    yield Case(
        "metadata",
        "the parts that two tables write come together",
        [
            flow({}, [write_metadata(0x1234, low), goto(1)]),
            flow({}, [write_metadata(0xABCD << 48, high), goto(2)], table=1),
            flow({"metadata": 0xABCD << 48 | 0x1234}, PASS, table=2),
            otherwise_to_controller(2),
        ],
        [leaves(SENT)],
    )
    yield Case(
        "metadata",
        "a later write changes the bits of its mask alone",
        [
            flow({}, [write_metadata(ONES), goto(1)]),
            flow({}, [write_metadata(0, low), goto(2)], table=1),
            flow({"metadata": ONES & ~low}, PASS, table=2),
            otherwise_to_controller(2),
        ],
        [leaves(SENT)],
    )
    yield Case(
        "metadata",
        "is zero before it is written",
        [
            flow({}, [goto(1)]),
            flow({"metadata": 0}, PASS, table=1),
            otherwise_to_controller(1),
        ],
        [leaves(SENT)],
    )


def _reserved_ports() -> Iterator[Case]:
    for name, port in (("FLOOD", FLOOD), ("ALL", ALL)):
        for way, instruction in (("at once", apply), ("in the set", write)):
            yield Case(
                "reserved port", f"{name}, {way}", [flow({}, [instruction(output(port))])], [leaves(SENT)]
            )
    for kind in ("tcp", "arp", "vlan", "mpls"):
        yield Case("reserved port", f"CONTROLLER, {kind}", [flow({}, STAY)], [misses(packet(kind))])
    changed = {"eth_dst": 0x020000000001}
    yield Case(
        "reserved port",
        "CONTROLLER after a change",
        [flow({}, [apply(set_field("eth_dst", changed["eth_dst"]), output(CONTROLLER))])],
        [misses(SENT, packet("tcp", changed))],
    )
    yield Case(
        "reserved port",
        "the port that it came by is not sent to by its number",
        [flow({}, [apply(output(IN), output(FIRST))])],
        [leaves(SENT)],
    )


def _changes() -> Iterator[Case]:
    """Flows that replace, change and remove others."""
    drop: list[dict[str, object]] = []
    yield Case(
        "flow table",
        "the same match and priority replaces",
        [flow(TCP, STAY), flow(TCP, PASS)],
        [leaves(SENT)],
    )
    yield Case(
        "flow table",
        "no instructions: dropped, not missed",
        [flow(TCP, drop), flow({}, PASS, priority=50)],
        [leaves(packet("udp"))],
    )
    yield Case(
        "flow table",
        "modify changes the instructions of the flow that it covers",
        [flow(TCP, STAY), flow(TCP, PASS, command=MODIFY)],
        [leaves(SENT)],
    )
    yield Case(
        "flow table",
        "modify-strict changes the one of its priority",
        [flow(TCP, STAY), flow(TCP, PASS, command=MODIFY_STRICT)],
        [leaves(SENT)],
    )


def _members() -> Iterator[Case]:
    """What a flow's entry shows again."""
    for name, members in (
        ("cookie", {"cookie": 0x123456789ABCDEF0}),
        ("idle timeout", {"idle_timeout": 3600}),
        ("hard timeout", {"hard_timeout": 65535}),
        ("both timeouts", {"idle_timeout": 60, "hard_timeout": 120}),
        ("priority 0 and cookie", {"cookie": 1}),
        ("flags", {"flags": 1}),
        ("no counters", {"flags": 8 | 16}),
    ):
        yield Case("flow table", f"entry with {name}", [flow(TCP, PASS, **members)], [leaves(SENT)])
