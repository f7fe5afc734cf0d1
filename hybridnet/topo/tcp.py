# SPDX-License-Identifier: MIT
"""What `tcp` of an application accepts: the name of a whole TCP, or single options of it.

`TcpOptions` in `simcore/tcp/tcp_options.h` says what each option does and which document defines it.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from typing import Any

from hybridnet.errors import TopologyError
from hybridnet.quantities import parse_delay, parse_size

__all__ = ["TCP_OPTIONS", "resolve_tcp"]

PRESETS = ("linux", "rfc", "reno-2004", "tahoe-2004")
SWITCHES = (
    "window_scaling", "timestamps", "sack", "ecn", "limited_transmit", "rack_tlp", "next_seg_rescue", "frto", "prr",
    "undo", "byte_counting", "restart_after_idle", "hystart", "floor_on_variance", "backoff_until_sample",
    "delayed_ack", "ack_per_train", "size_trains_by_rate", "window_of_linux", "cubic_of_linux",
)  # fmt: skip
COUNTS = (
    "longest_train", "out_of_order_ranges", "segments_in_flight", "initial_window", "duplicate_threshold",
    "bytes_counted_per_ack", "data_retries", "syn_retries", "delayed_ack_segments", "quick_acks", "keepalive_probes",
)  # fmt: skip
SIZES = ("mss", "send_buffer", "receive_buffer", "initial_receive_buffer", "initial_ssthresh")
# The plan writes them in nanoseconds, and says so in the name.
DURATIONS = (
    "initial_rto", "minimum_rto", "maximum_rto", "granularity", "delayed_ack_timeout", "persist_minimum",
    "persist_maximum", "keepalive_idle", "keepalive_interval", "time_wait", "fin_wait_2",
)  # fmt: skip
NAMES: Mapping[str, tuple[str, ...]] = {
    "preset": PRESETS,
    "congestion": ("none", "reno", "vegas", "cubic", "bbr"),
    "recovery": ("tahoe", "reno", "newreno", "sack"),
    "nagle": ("off", "rfc", "minshall"),
}
TCP_OPTIONS = (*NAMES, *SWITCHES, *COUNTS, *SIZES, *DURATIONS)


def resolve_tcp(given: Any, what: str) -> str | dict[str, Any]:
    """The TCP as the instance plan writes it: a preset, or a preset with what differs from it.

    Raises:
        TopologyError: the preset or an option does not exist, or a value is of the wrong kind.
        UnitError: a quantity has no unit.

    Example:
        >>> resolve_tcp({"congestion": "reno", "minimum_rto": "1s"}, "web: tcp")
        {'preset': 'linux', 'congestion': 'reno', 'minimum_rto_ns': 1000000000}
    """
    if not isinstance(given, Mapping):
        return _one_of(PRESETS, given, what)
    resolved: dict[str, Any] = {"preset": "linux"}
    for name, value in given.items():
        place = f"{what}: {name}"
        if name in NAMES:
            resolved[name] = _one_of(NAMES[name], value, place)
        elif name in SWITCHES:
            if not isinstance(value, bool):
                raise TopologyError(f"{place}: {value!r} is neither True nor False")
            resolved[name] = value
        elif name in COUNTS:
            if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 31:
                raise TopologyError(f"{place}: {value!r} is no whole number from 0 to {(1 << 31) - 1}")
            resolved[name] = value
        elif name in SIZES:
            bare = isinstance(value, int) and not isinstance(value, bool)
            resolved[name] = parse_size(f"{value} B" if bare else value, place)
        elif name in DURATIONS:
            resolved[f"{name}_ns"] = parse_delay(value, place)
        else:
            near = difflib.get_close_matches(str(name), TCP_OPTIONS, n=1)
            cure = (
                f"did you mean {near[0]!r}?" if near else f"the options are {', '.join(sorted(TCP_OPTIONS))}"
            )
            raise TopologyError(f"{what}: unknown option {name!r}; {cure}")
    return resolved


def _one_of(names: Collection[str], value: Any, what: str) -> str:
    if value in names:
        return str(value)
    near = difflib.get_close_matches(str(value), names, n=1)
    cure = f"did you mean {near[0]!r}?" if near else f"write one of {', '.join(names)}"
    raise TopologyError(f"{what}: {value!r} is unknown; {cure}")
