# SPDX-License-Identifier: MIT
"""What tc says of an interface whose link is simulated, and what it changes there: words and text, nothing else.

Mininet shapes with the kernel: ``htb 5:`` at the root for the rate, and below it, or at the root where there is no
rate, ``netem 10:`` for delay, loss and the queue. Scripts know these handles. They watch the queue by the lines
"backlog" of ``tc -s qdisc show dev s1-eth1``, and change a link by ``tc qdisc change dev s1-eth1 parent 5:1 handle 10:
netem delay 50ms``.

Source: iproute2 6.1, tc/q_netem.c, q_htb.c and tc_util.c.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hybridnet.compat.mininet.lenient_options import shaping
from hybridnet.describe.quantities import parse_bandwidth, parse_delay

__all__ = [
    "Change",
    "Counters",
    "Refusal",
    "asked_of",
    "change",
    "fifo_commands",
    "netem_commands",
    "rate_commands",
    "show",
]

OF_NETEM = ("delay", "jitter", "loss", "max_queue_size")
BELOW_NETEM = "below_netem"
"""Among the options: the rate is that of a tbf below netem, which has the root."""
_FULL_BYTES = 1514
QUEUE_PACKETS = 1000
"""netem's limit where none is given."""

_RATE = re.compile(r"([\d.]+)([kmgt]?)(i?)(bit|bps)?", re.IGNORECASE)
_VALUE = re.compile(r"\.?\d")
_FACTORS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


@dataclass(frozen=True)
class Counters:
    """What a direction of a link has counted: sent is what has left its queue."""

    sent_bytes: int = 0
    sent_packets: int = 0
    dropped: int = 0
    queue_bytes: int = 0
    queue_packets: int = 0


@dataclass(frozen=True)
class Change:
    """Options of the direction, as scripts write them; None takes one back."""

    params: Mapping[str, Any]


@dataclass(frozen=True)
class Refusal:
    """What tc says instead, with status 2."""

    text: str


EXISTS = Refusal("Error: Exclusivity flag on, cannot modify.\n")
OTHER_KIND = Refusal("Error: Invalid qdisc name: must match existing qdisc.\n")
NONE_THERE = Refusal("Error: Cannot delete qdisc with handle of zero.\n")


def rate_commands(
    bw: float | None,
    *,
    red: bool = False,
    ecn: bool = False,
    by: str = "htb",
    latency_ms: float | None = None,
) -> tuple[list[str], str]:
    """The commands by which Mininet limits an interface's rate, with places for tc and the interface, and what a
    further command says of its parent.

    Args:
        bw: Mbit/s; None: no limit.
        red, ecn: what waits is dropped, or marked, at random.
        by: htb, tbf or hfsc.
        latency_ms: how long a packet waits at most in a tbf; None: what 15 kB take at the rate.

    Example:
        >>> rate_commands(10)[1], rate_commands(None)
        (' parent 5:1 ', ([], ' root '))
    """
    if bw is None:
        return [], " root "
    rate = f"{bw:f}Mbit"
    if by == "tbf":
        wait_ms = 120 / bw if latency_ms is None else latency_ms
        commands = [f"%s qdisc add dev %s root handle 5: tbf rate {rate} burst 15000 latency {wait_ms:f}ms"]
    else:
        told = f"sc rate {rate} ul rate {rate}" if by == "hfsc" else f"rate {rate} burst 15k"
        commands = [
            f"%s qdisc add dev %s root handle 5:0 {by} default 1",
            f"%s class add dev %s parent 5:0 classid 5:1 {by} {told}",
        ]
    if not (red or ecn):
        return commands, " parent 5:1 "
    marks = " ecn" if ecn else ""
    limits = "limit 1000000 min 30000 max 35000 avpkt 1500 burst 20"
    commands.append(
        f"%s qdisc add dev %s parent 5:1 handle 6: red {limits} bandwidth {bw:f}mbit probability 1{marks}"
    )
    return commands, " parent 6: "


def netem_commands(
    parent: str,
    delay: str | None = None,
    jitter: str | None = None,
    loss: float | None = None,
    max_queue_size: float | None = None,
) -> tuple[list[str], str]:
    """The same for delay, jitter, loss and the queue, below `parent`.

    Example:
        >>> netem_commands(" root ", delay="5ms")
        (['%s qdisc add dev %s root handle 10: netem delay 5ms'], ' parent 10:1 ')
    """
    words = [
        *(() if delay is None else ("delay", str(delay))),
        *(() if jitter is None else (str(jitter),)),
        *(("loss", f"{loss:.5f}") if loss else ()),
        *(() if max_queue_size is None else ("limit", f"{int(max_queue_size)}")),
    ]
    if not words:
        return [], parent
    return [f"%s qdisc add dev %s {parent.strip()} handle 10: netem {' '.join(words)}"], " parent 10:1 "


def fifo_commands(parent: str, packets: int | None) -> tuple[list[str], str]:
    """The same for a queue of so many packets without delay or loss; None: the kernel's own choice.

    Example:
        >>> fifo_commands(" parent 5:1 ", 100)[0]
        ['%s qdisc add dev %s parent 5:1 handle 10: pfifo limit 100']
    """
    if packets is None:
        return [], parent
    return [f"%s qdisc add dev %s {parent.strip()} handle 10: pfifo limit {int(packets)}"], " parent 10:1 "


def asked_of(words: Sequence[str]) -> tuple[str, str, str, list[str], bool] | None:
    """What a command of tc is about: the object ("qdisc", "class"), the verb, the device, what follows that, and
    whether statistics are wanted. None where it names no device, or is something else.
    """
    options = [word for word in words if word.startswith("-")]
    rest = list(words[len(options) :])  # they come first
    if len(rest) < 3 or any(option not in ("-s", "-statistics", "-d", "-details") for option in options):
        return None
    of, verb = rest[0], rest[1]
    of = next((full for full in ("qdisc", "class") if full.startswith(of)), "")
    verb = "show" if verb in ("list", "ls", "lst", "sh") else verb
    if not of or "dev" not in rest or rest.index("dev") + 1 >= len(rest):
        return None
    at = rest.index("dev")
    return of, verb, rest[at + 1], [*rest[2:at], *rest[at + 2 :]], bool({"-s", "-statistics"} & {*options})


def show(of: str, params: Mapping[str, Any], counters: Counters, statistics: bool) -> str:
    """What ``tc qdisc show`` or ``tc class show`` prints of an interface with these options."""
    own = shaping(params, "tc")
    told = _counted(counters) if statistics else ""
    rate = _rate(parse_bandwidth(own["bw"], "bw")) if "bw" in own else ""
    netem = any(name in own for name in OF_NETEM)
    if of == "class":
        leaf = "leaf 10: " if netem else ""
        line = f"class htb 5:1 root {leaf}prio 0 rate {rate} ceil {rate} burst 15Kb cburst 1600b \n"
        tokens = " lended: 0 borrowed: 0 giants: 0\n tokens: 0 ctokens: 0\n\n" if statistics else ""
        return line + told + tokens if rate else ""
    text = ""
    if rate:
        root = "qdisc htb 5: root refcnt 2 r2q 10 default 0x1 direct_packets_stat 0 direct_qlen 1000\n"
        text = root + told
    if netem:
        parent = "parent 5:1" if rate else "root refcnt 2"
        line = f"qdisc netem 10: {parent} limit {own.get('max_queue_size') or QUEUE_PACKETS}"
        if "delay" in own:
            line += f" delay {_time(parse_delay(own['delay'], 'delay'))}"
            line += f"  {_time(parse_delay(own['jitter'], 'jitter'))}" if "jitter" in own else ""
        line += f" loss {float(own['loss']):g}%" if own.get("loss") else ""
        text += line + "\n" + told
    return text


def change(of: str, verb: str, words: Sequence[str], params: Mapping[str, Any]) -> Change | Refusal | None:
    """What a command changes at an interface with these options. None: it is none of the simulator's affair."""
    has_rate = params.get("bw") is not None
    has_netem = any(params.get(name) is not None for name in OF_NETEM)
    below_netem = has_rate and has_netem and bool(params.get(BELOW_NETEM))
    place = _after(words, "parent") or ""
    handle = _after(words, "handle") or ""
    at_leaf = place.startswith(("5:", "6:")) or (
        not place and "root" not in words and handle.startswith("10:")
    )
    if of == "class":
        rate = _after(words, "rate")
        known = ("change", "replace") if has_rate else ("add",) if _after(words, "classid") == "5:1" else ()
        return Change({"bw": _mbit(rate)}) if verb in known and "htb" in words and rate else None
    if verb in ("del", "delete"):
        if at_leaf:
            return Change(dict.fromkeys(OF_NETEM)) if has_netem else NONE_THERE
        if "root" not in words or not (has_rate or has_netem):
            return None
        return Change(dict.fromkeys(("bw", *OF_NETEM, BELOW_NETEM)))
    if verb not in ("add", "change", "replace"):
        return None
    if "tbf" in words and place and (below_netem if verb != "add" else has_netem and not has_rate):
        return _below_netem(words, params)
    if "tbf" in words and "root" in words and (has_rate or has_netem):
        rate = _after(words, "rate")
        if verb == "add":
            return EXISTS
        return None if rate is None else Change({**dict.fromkeys(OF_NETEM), "bw": _mbit(rate)})
    if handle in ("5:", "5:0") and "htb" in words and not (has_rate or has_netem):
        return Change({})  # its class says the rate
    if handle == "6:" and "red" in words and has_rate and not has_netem:
        return Change({"bw": params["bw"], "enable_ecn" if "ecn" in words else "enable_red": True})
    if "netem" not in words:
        return EXISTS if verb == "add" and "root" in words and (has_rate or has_netem) else None
    netem = _netem(words[list(words).index("netem") + 1 :])
    if at_leaf and has_rate:
        if isinstance(netem, Refusal):
            return netem
        return EXISTS if verb == "add" and has_netem else Change({**dict.fromkeys(OF_NETEM), **netem})
    if "root" in words or (not place and handle.startswith("10:")):
        if isinstance(netem, Refusal):
            return netem
        if verb == "add" and (has_rate or has_netem):
            return EXISTS
        if verb == "change" and below_netem:
            return Change({**dict.fromkeys(OF_NETEM), **netem})
        if verb == "change" and has_rate:
            return OTHER_KIND
        return Change({**dict.fromkeys(("bw", *OF_NETEM)), **netem})
    return None


def _below_netem(words: Sequence[str], params: Mapping[str, Any]) -> Change | None:
    """``parent 1: handle 2: tbf rate 10gbit burst 5000000 limit 15000000`` where netem has the root: a rate, and its
    queue in packets of full size.
    """
    rate, limit = _after(words, "rate"), _after(words, "limit")
    if rate is None:
        return None
    packets = int(limit) // _FULL_BYTES if limit and limit.isdecimal() else params.get("max_queue_size")
    return Change({"bw": _mbit(rate), "max_queue_size": packets and max(packets, 1), BELOW_NETEM: True})


def _after(words: Sequence[str], name: str) -> str | None:
    return next((after for word, after in itertools.pairwise(words) if word == name), None)


def _netem(words: Sequence[str]) -> dict[str, object] | Refusal:
    """netem's words, such as ``delay 10ms 2ms loss 1%``, as options of a link."""
    found: dict[str, object] = {}
    rest = list(words)
    while rest:
        name = rest.pop(0)
        values = []
        while rest and _VALUE.match(rest[0]):  # what follows a value is its jitter or its correlation
            values.append(rest.pop(0))
        if name in ("delay", "latency") and values:
            found["delay"] = values[0]
            if len(values) > 1:
                found["jitter"] = values[1]
        elif name in ("loss", "drop"):
            if not values and rest[:1] == ["random"]:
                rest[:2] = ["loss", *rest[1:2]]
            elif values:
                found["loss"] = float(values[0].rstrip("%"))
        elif name == "limit" and values:
            found["max_queue_size"] = int(values[0])
        elif name == "rate" and values:
            found["bw"] = _mbit(values[0])
        elif name == "distribution" and rest:
            rest.pop(0)  # the simulator's jitter has its own
        else:
            return Refusal(f'What is "{name}"? A simulated link has delay, loss, limit and rate.\n')
    return found


def _mbit(text: str) -> float:
    """tc's rate in Mbit/s. Raises ValueError, with tc's words."""
    match = _RATE.fullmatch(text)
    if match is None:
        raise ValueError(f'Illegal "rate": {text}')
    number, prefix, binary, unit = match.groups()
    factor = (1024.0 if binary else 1000.0) ** _FACTORS[prefix.lower()]
    return float(number) * factor * (8 if (unit or "").lower() == "bps" else 1) / 1e6


def _rate(bits: float) -> str:
    number, at = int(bits), 0
    units = ("", "K", "M", "G", "T")
    while at < 4 and number >= 1000 and (number % 1000 == 0 or number >= 1000 * 1000):
        number, at = number // 1000, at + 1
    return f"{number}{units[at]}bit"


def _time(ns: int) -> str:
    for unit, size in (("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000)):
        if ns >= size:
            return f"{ns / size:.3g}{unit}"
    return f"{ns}ns"


def _size(number: int) -> str:
    for unit, size, near in (("Mb", 1 << 20, 1024), ("Kb", 1 << 10, 16)):
        if number >= size and abs(size * round(number / size) - number) < near:
            return f"{number / size:g}{unit}"
    return f"{number}b"


def _counted(counters: Counters) -> str:
    return (
        f" Sent {counters.sent_bytes} bytes {counters.sent_packets} pkt (dropped {counters.dropped}, overlimits 0 "
        f"requeues 0) \n backlog {_size(counters.queue_bytes)} {counters.queue_packets}p requeues 0\n"
    )
