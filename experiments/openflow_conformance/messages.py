# SPDX-License-Identifier: MIT
"""Messages, actions and instructions of OpenFlow 1.3 in the JSON form of Ryu's tester."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hybridnet.experiments.openflow_conformance.fields import BY_NAME, json_value, oxm

__all__ = [
    "CONTROLLER", "FIRST", "IN", "PASS", "SECOND", "STAY", "TCP", "action", "apply", "bucket", "flow", "goto", "group",
    "meter", "otherwise_to_controller", "output", "set_field", "to_group", "use_meter", "write", "write_metadata",
]  # fmt: skip

Json = dict[str, Any]

IN = 1
"""The target's port by which packets come; the tester sends by its port 1, too."""
FIRST, SECOND = "target_send_port_1", "target_send_port_2"
"""The target's ports by which they leave: only what leaves by the first one comes back to Ryu."""
CONTROLLER = 0xFFFFFFFD
TCP = {"eth_type": 0x0800, "ip_proto": 6}
"""What matches the packets of kind "tcp", and of the usual kinds no others."""
ANY = 0xFFFFFFFF
PRIORITY, BELOW = 200, 100
APPLY, WRITE, CLEAR = 4, 3, 5
GROUP_TYPES = {"all": 0, "select": 1, "indirect": 2, "failover": 3}


def flow(
    match: Mapping[str, int | tuple[int, int]],
    instructions: Sequence[Json] = (),
    *,
    table: int = 0,
    priority: int = PRIORITY,
    **more: Any,
) -> Json:
    """A flow. `more`: other members of the message, such as cookie, idle_timeout or command."""
    return {
        "OFPFlowMod": {
            "table_id": table,
            "priority": priority,
            "match": oxm(dict(match)),
            "instructions": list(instructions),
            **more,
        }
    }


def otherwise_to_controller(table: int = 0) -> Json:
    """A flow for what others do not match: it comes to the controller, by an action and not as a miss."""
    return flow({}, [apply(output(CONTROLLER))], table=table, priority=BELOW)


def action(kind: str, **members: Any) -> Json:
    """An action: ``action("PopVlan")``."""
    return {f"OFPAction{kind}": members}


def output(port: int | str) -> Json:
    return action("Output", port=port)


def to_group(number: int) -> Json:
    return action("Group", group_id=number)


def set_field(name: str, value: int) -> Json:
    return action("SetField", field={"OXMTlv": {"field": name, "value": json_value(BY_NAME[name], value)}})


def apply(*actions: Json) -> Json:
    return {"OFPInstructionActions": {"actions": list(actions), "type": APPLY}}


def write(*actions: Json) -> Json:
    return {"OFPInstructionActions": {"actions": list(actions), "type": WRITE}}


def clear() -> Json:
    return {"OFPInstructionActions": {"actions": [], "type": CLEAR}}


def goto(table: int) -> Json:
    return {"OFPInstructionGotoTable": {"table_id": table}}


def write_metadata(value: int, mask: int = (1 << 64) - 1) -> Json:
    return {"OFPInstructionWriteMetadata": {"metadata": value, "metadata_mask": mask}}


def use_meter(number: int) -> Json:
    return {"OFPInstructionMeter": {"meter_id": number}}


def bucket(*actions: Json, weight: int = 0, port: int = ANY, watch_group: int = ANY) -> Json:
    """A bucket of a group; `port`: the port that is watched."""
    return {
        "OFPBucket": {
            "actions": list(actions),
            "weight": weight,
            "watch_port": port,
            "watch_group": watch_group,
        }
    }


def group(number: int, kind: str, *buckets: Json, command: int = 0) -> Json:
    """A group; the commands are 0: add, 1: modify, 2: delete."""
    members = {"group_id": number, "type": GROUP_TYPES[kind], "command": command, "buckets": list(buckets)}
    return {"OFPGroupMod": members}


def meter(
    number: int, rate: int, burst: int, *, flags: int, remark: int | None = None, command: int = 0
) -> Json:
    """A meter with one band, which drops, or remarks by so many levels of drop precedence.

    Args:
        flags: 1: kbit/s, 2: packets per second, 4: with burst, 8: with statistics.
    """
    if remark is None:
        band: Json = {"OFPMeterBandDrop": {"rate": rate, "burst_size": burst}}
    else:
        band = {"OFPMeterBandDscpRemark": {"rate": rate, "burst_size": burst, "prec_level": remark}}
    return {"OFPMeterMod": {"meter_id": number, "flags": flags, "command": command, "bands": [band]}}


PASS = [apply(output(FIRST))]
"""The instructions of a flow that lets packets out to Ryu."""
STAY = [apply(output(CONTROLLER))]
"""Those of one that gives them to the controller instead."""
