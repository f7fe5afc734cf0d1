# SPDX-License-Identifier: MIT
"""The models of a link that have parameters: how packets are lost, delayed, queued and sent, as the plan writes them.

A number is the plain case (`loss=1`, `jitter="1ms"`, `aqm="codel"`); a dictionary with `model` is any other.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hybridnet.errors import TopologyError
from hybridnet.quantities import parse_bandwidth, parse_delay, parse_percent
from hybridnet.topo.fields import Kinds, Option, above_zero, resolve_kind, size_between, whole_between

__all__ = [
    "AQMS",
    "JITTER_MODELS",
    "LOSS_MODELS",
    "jitter_model",
    "loss_model",
    "plugin_model",
    "queue_model",
    "wire_model",
]

_MUCH = 1 << 40
FULL_FRAME = 1514  # bytes of an Ethernet frame, without the overhead


def _segments(value: Any, what: str) -> list[int]:
    numbers = [whole_between(0, _MUCH)(each, what) for each in _listed(value, what, 1)]
    if any(later <= sooner for sooner, later in itertools.pairwise(numbers)):
        raise TopologyError(f"{what}: {value!r} does not increase; write the numbers in order, each once")
    return numbers


def _delays(value: Any, what: str) -> list[int]:
    return [parse_delay(each, what) for each in _listed(value, what, 1)]


def _quantiles(value: Any, what: str) -> list[int]:
    delays = [parse_delay(each, what) for each in _listed(value, what, 2)]
    if delays != sorted(delays):
        raise TopologyError(
            f"{what}: {value!r} decreases; write the quantiles from the least delay to the longest"
        )
    return delays


def _listed(value: Any, what: str, least: int) -> Sequence[Any]:
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) < least:
        raise TopologyError(f"{what}: {value!r} is no list of {least} or more; write one")
    return value


def _weight(value: Any, what: str) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value <= 1:
        raise TopologyError(f"{what}: {value!r} is no weight; write a number above 0, at most 1")
    return float(value)


LOSS_MODELS: Kinds = {
    "gilbert_elliott": {
        "to_bad": Option("to_bad", parse_percent, required=True),
        "to_good": Option("to_good", parse_percent, required=True),
        "loss_when_good": Option("loss_when_good", parse_percent),
        "loss_when_bad": Option("loss_when_bad", parse_percent),
    },
    "scripted": {"segments": Option("segments", _segments, required=True)},
}
JITTER_MODELS: Kinds = {
    "uniform": {
        "low": Option("low_ns", parse_delay, required=True),
        "high": Option("high_ns", parse_delay, required=True),
    },
    "normal": {
        "mean": Option("mean_ns", parse_delay, required=True),
        "deviation": Option("deviation_ns", parse_delay, required=True),
        "least": Option("least_ns", parse_delay),
    },
    "exponential": {
        "mean_above": Option("mean_above_ns", above_zero, required=True),
        "least": Option("least_ns", parse_delay),
    },
    "table": {"quantiles": Option("quantiles_ns", _quantiles, required=True)},
    "trace": {"delays": Option("delays_ns", _delays, required=True)},
}
_CODEL = {"target": Option("target_ns", above_zero), "interval": Option("interval_ns", above_zero)}
QUEUE_MODELS: Kinds = {
    "red": {
        "limit": Option("limit_bytes", size_between(1, _MUCH)),
        "least": Option("least_bytes", size_between(0, _MUCH)),
        "most": Option("most_bytes", size_between(1, _MUCH)),
        "highest": Option("highest", parse_percent),
        "weight": Option("weight", _weight),
    },
    "codel": _CODEL,
    "fq_codel": {
        **_CODEL,
        "flows": Option("flows", whole_between(1, 65536)),
        "quantum": Option("quantum_bytes", size_between(1, _MUCH)),
    },
}
AQMS = tuple(QUEUE_MODELS)
# What Mininet gives to tc for enable_red and enable_ecn: limit, min, max and probability as they are; tc makes a weight
# of 1/2 of its burst of 20 packets of 1500 bytes.
MININET_RED = {
    "limit_bytes": 1_000_000,
    "least_bytes": 30_000,
    "most_bytes": 35_000,
    "highest": 1.0,
    "weight": 0.5,
}


def loss_model(given: Any, what: str) -> dict[str, Any] | None:
    """The loss that a percentage or a dictionary asks for; None where it is 0 %."""
    if isinstance(given, Mapping):
        return resolve_kind(given, LOSS_MODELS, "model", what, "loss model")
    probability = parse_percent(given, what)
    return {"model": "independent", "probability": probability} if probability > 0 else None


def jitter_model(given: Mapping[str, Any], what: str) -> dict[str, Any]:
    """The extra delay that a dictionary asks for."""
    model = resolve_kind(given, JITTER_MODELS, "model", what, "jitter model")
    if model["model"] == "uniform" and model["low_ns"] > model["high_ns"]:
        raise TopologyError(f"{what} (uniform): low is above high; exchange them")
    return model


def queue_model(given: Any, ecn: bool, what: str) -> dict[str, Any]:
    """The queue that a name or a dictionary asks for. RED's parameters are Mininet's where nothing else is said."""
    model = resolve_kind(
        {"model": given} if isinstance(given, str) else given, QUEUE_MODELS, "model", what, "AQM"
    )
    if model["model"] == "red":
        model = {"model": "red", **MININET_RED, **model}
        if model["least_bytes"] >= model["most_bytes"]:
            raise TopologyError(
                f"{what} (red): least is {model['least_bytes']} bytes and most {model['most_bytes']}; "
                "write a least below most"
            )
    return {**model, "ecn": ecn}


def wire_model(
    options: Mapping[str, Any], overhead_bytes: int, what: str
) -> tuple[int | None, dict[str, Any] | None]:
    """The rate (bit/s) and the kind of wire that bw, burst, peak, slots, trace and trace_bytes ask for.

    Returns:
        (None, None) where there is no limit, and a kind of None where it is the rate alone.
    """
    given = {
        name
        for name in ("bw", "burst", "peak", "slots", "trace", "trace_bytes")
        if options.get(name) is not None
    }
    for first, others in (("trace", ("bw", "burst", "peak", "slots")), ("slots", ("bw", "burst", "peak"))):
        for other in others:
            if {first, other} <= given:
                raise TopologyError(
                    f"{what}: {first}= says when packets leave, and {other}= too; leave one of them out"
                )
    for part, whole in (("burst", "bw"), ("peak", "burst"), ("trace_bytes", "trace")):
        if part in given and whole not in given:
            raise TopologyError(f"{what}: {part}= needs {whole}=; give it, or leave {part}= out")
    if "trace" in given:
        return None, _opportunities(options, what)
    if "slots" in given:
        slots = _slots(options["slots"], f"{what}: slots")
        return slots[0]["rate_bps"], {"model": "slots", "slots": slots}
    if "bw" not in given:
        return None, None
    rate = parse_bandwidth(options["bw"], f"{what}: bw")
    if "burst" not in given:
        return rate, None
    # What is larger than the bucket never leaves.
    bucket = {
        "model": "token_bucket",
        "burst_bytes": size_between(FULL_FRAME + overhead_bytes, _MUCH)(options["burst"], f"{what}: burst"),
    }
    if "peak" in given:
        bucket["peak_bps"] = parse_bandwidth(options["peak"], f"{what}: peak")
        if bucket["peak_bps"] < rate:
            raise TopologyError(
                f"{what}: peak={options['peak']!r} is below bw={options['bw']!r}; write a higher one"
            )
    return rate, bucket


def plugin_model(options: Mapping[str, Any], what: str) -> dict[str, Any] | None:
    """The user's own model that model and model_args ask for: a path, or a name in HYBRIDNET_PLUGIN_PATH.

    Example:
        >>> plugin_model({"model": "bursty", "model_args": {"burst": 5}}, "link a-b")
        {'file': 'bursty', 'arguments': {'burst': '5'}}
    """
    file, arguments = options.get("model"), options.get("model_args")
    if file is None:
        if arguments:
            raise TopologyError(f"{what}: model_args= are a plug-in's; give model= too")
        return None
    if not isinstance(file, str | os.PathLike) or not os.fspath(file):
        raise TopologyError(f"{what}: model={file!r} is no plug-in; write its path, such as './bursty.so'")
    if not isinstance(arguments, Mapping | None):
        raise TopologyError(
            f"{what}: model_args={arguments!r} are no arguments; write a dictionary, such as {{'burst': 5}}"
        )
    path = os.fspath(file)
    return {
        "file": str(Path(path).expanduser().absolute()) if "/" in path else path,
        "arguments": {str(name): _argument(value) for name, value in (arguments or {}).items()},
    }


def _argument(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _opportunities(options: Mapping[str, Any], what: str) -> dict[str, Any]:
    file = options["trace"]
    if not isinstance(file, str | os.PathLike) or not os.fspath(file):
        raise TopologyError(f"{what}: trace={file!r} is no file; write the path of a mahimahi trace")
    wire: dict[str, Any] = {"model": "opportunities", "file": str(Path(file).expanduser().absolute())}
    if options.get("trace_bytes") is not None:
        wire["bytes"] = size_between(1, _MUCH)(options["trace_bytes"], f"{what}: trace_bytes")
    return wire


def _slots(given: Any, what: str) -> list[dict[str, int]]:
    slots = []
    for each in _listed(given, what, 1):
        if not isinstance(each, Sequence) or isinstance(each, str) or len(each) != 2:
            raise TopologyError(f"{what}: {each!r} is no slot; write a pair such as ('2s', '10 Mbit/s')")
        slots.append({"duration_ns": above_zero(each[0], what), "rate_bps": parse_bandwidth(each[1], what)})
    return slots
