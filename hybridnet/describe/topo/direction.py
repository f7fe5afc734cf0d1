# SPDX-License-Identifier: MIT
"""One direction of a link: what `Topo.addLink` says of it, and what the instance plan writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from hybridnet.describe.options import table
from hybridnet.describe.options.read import read_value
from hybridnet.describe.options.tables import extension
from hybridnet.describe.quantities import format_delay, format_rate, parse_delay, parse_queue
from hybridnet.describe.schema.plans import (
    DelayModel,
    DirectionPlan,
    LossModel,
    PluginPlan,
    QueueModel,
    RateModel,
    ReorderPlan,
)
from hybridnet.describe.topo.models import (
    HEADER_BYTES,
    jitter_model,
    loss_model,
    plugin_model,
    queue_model,
    rate_model,
)
from hybridnet.describe.values import choice
from hybridnet.errors import PlanError, TopologyError

__all__ = ["Direction", "direction_options", "resolve_direction"]

# The options that are read together with others; of all else the plan has what is said.
_TOGETHER = frozenset({
    "aqm", "bit_error_rate", "burst", "bw", "corrupt", "delay", "duplicate", "ecn", "enable_ecn", "enable_red",
    "jitter", "jitter_distribution", "keep_order", "loss", "max_queue_size", "model", "model_args", "overhead", "peak",
    "reorder", "reorder_gap", "slots", "trace", "trace_bytes", "train_limit", "watch_queue",
})  # fmt: skip

_FILES = frozenset({"model", "trace"})  # name files, which change
_UNCHANGING = (str, int, float, type(None))

_Said = frozenset[tuple[str, type, Any]]
_KEPT = 1000
_resolved: dict[_Said, Direction] = {}
"""Of options that were resolved before: most links of a large topology say the same."""


@cache
def direction_options() -> frozenset[str]:
    """What one direction of a link may say, in `addLink` itself (both directions) or in params1 / params2 (from that
    end).
    """
    return frozenset(table("direction").said)


def _default(key: str) -> Any:
    return table("direction").planned[key].default


@dataclass(frozen=True, kw_only=True)
class Direction:
    """What happens to packets that travel one way over a link. None of rate_bps means no limit, or a `rate_model`.

    Loss, jitter_model, queue and rate_model are as the instance plan writes them; None is the plain case.
    """

    rate_bps: int | None = None
    delay_ns: int = 0
    queue_packets: int | None = field(default_factory=lambda: _default("queue_packets"))
    queue_bytes: int | None = None
    overhead_bytes: int = 0
    train_limit_ns: int = field(default_factory=lambda: _default("train_limit_ns"))
    loss: LossModel | None = None
    duplicate: float = 0.0  # this and the next one are probabilities, of each segment
    corrupt: float = 0.0
    bit_error_rate: float = 0.0
    reorder: float = 0.0  # probability to have no delay, of each last of reorder_gap segments
    reorder_gap: int = 1
    jitter_ns: int = 0
    jitter_distribution: str = "uniform"
    jitter_model: DelayModel | None = None  # instead of these two: what comes upon the delay
    keep_order: bool = False
    queue: QueueModel | None = None  # None: drop-tail
    rate_model: RateModel | None = None  # None: the rate
    watch_queue: bool = False
    plugin: PluginPlan | None = None  # a user's model, in place of what it is a model of
    others: DirectionPlan = field(
        default_factory=lambda: DirectionPlan()
    )  # what needs no word here: as the plan writes it
    shaped: bool = (
        False  # the description gave an option of this direction, so only the simulator can be the link
    )

    @property
    def least_delay_ns(self) -> int:
        """What every packet waits at least: what jitter and reordering leave of the delay."""
        if self.jitter_model is not None:
            return self.delay_ns
        if self.reorder > 0 or (self.jitter_ns > 0 and self.jitter_distribution == "normal"):
            return 0
        jitter = self.jitter_ns if self.jitter_distribution == "uniform" else 0
        return max(self.delay_ns - jitter, 0)

    def to_json(self) -> DirectionPlan:
        """The direction as the instance plan writes it."""
        direction: DirectionPlan = {
            "rate_bps": self.rate_bps,
            "delay_ns": self.least_delay_ns,
            "queue_packets": self.queue_packets,
            "queue_bytes": self.queue_bytes,
            "overhead_bytes": self.overhead_bytes,
            "train_limit_ns": self.train_limit_ns,
        }
        direction |= self.others
        if self.duplicate > 0:
            direction["duplicate"] = self.duplicate
        if self.corrupt > 0:
            direction["corrupt"] = self.corrupt
        if self.bit_error_rate > 0:
            direction["bit_error_rate"] = self.bit_error_rate
        if self.loss is not None:
            direction["loss"] = self.loss.copy()
        if self.queue is not None:
            direction["queue"] = self.queue.copy()
        if self.rate_model is not None:
            direction["rate_model"] = self.rate_model.copy()
        if self.plugin is not None:
            direction["plugin"] = self.plugin.copy()
        if self.watch_queue:
            direction["watch_queue"] = True
        if self.reorder > 0:
            reorder: ReorderPlan = {"probability": self.reorder}
            if self.reorder_gap > 1:
                reorder["gap"] = self.reorder_gap
            direction["reorder"] = reorder
        if self.jitter_ns > 0 or self.reorder > 0 or self.jitter_model is not None:
            direction["extra_delay"] = self._extra_delay()
        if self.keep_order:
            direction["keep_order"] = True
        return direction

    def to_change(self) -> dict[str, object]:
        """The direction as `set_link` takes it: null takes away what it has not."""
        return {**dict.fromkeys(table("direction").planned), **self.to_json()}

    def check_fits(self, mtu: int, what: str) -> None:
        """Raise TopologyError if the bucket or the queue holds no frame of that MTU, which so would never leave."""
        least = mtu + HEADER_BYTES + self.overhead_bytes
        model = self.rate_model
        burst = model["burst_bytes"] if model is not None and model["model"] == "token_bucket" else None
        for option, held in (("burst", burst), ("max_queue_size", self.queue_bytes)):
            if held is not None and held < least:
                raise TopologyError(
                    f"{what}: {option} of {held} bytes holds no full frame of mtu={mtu}; write {least} to {1 << 40}"
                )

    def text(self) -> str:
        """One line about it.

        Example:
            >>> Direction(rate_bps=10**8, delay_ns=10**7, duplicate=0.01).text()
            '100 Mbit/s, 10 ms, queue 1000 packets, duplicate 1 %'
        """
        bounds = ((self.queue_packets, "packets"), (self.queue_bytes, "bytes"))
        queue = " and ".join(f"{bound} {unit}" for bound, unit in bounds if bound is not None)
        if self.queue is not None:
            queue += f" {self.queue['model']}" + (" with ECN" if self.queue.get("ecn") else "")
        jitter = f" ± {format_delay(self.jitter_ns)}" if self.jitter_ns else ""
        if self.jitter_model is not None:
            jitter = f" and {self.jitter_model['model']} jitter"
        parts = [self._rate_text(), f"{format_delay(self.delay_ns)}{jitter}", f"queue {queue}"]
        if self.loss is not None:
            parts.append(
                _loss_text(self.loss["probability"])
                if self.loss["model"] == "independent"
                else f"{self.loss['model']} loss"
            )
        shares = {name: getattr(self, name) for name in ("duplicate", "corrupt", "reorder")}
        parts += [f"{name} {100 * share:g} %" for name, share in shares.items() if share]
        if self.bit_error_rate:
            parts.append(f"bit error rate {self.bit_error_rate:g}")
        if (background := self.others.get("background")) is not None:
            parts.append(f"{background['model']} background")
        if self.plugin is not None:
            parts.append(f"model {self.plugin['file']}")
        return ", ".join(parts)

    def _rate_text(self) -> str:
        rate, model = format_rate(self.rate_bps), self.rate_model
        if model is None:
            return rate
        if model["model"] == "opportunities":
            return f"trace {model['file']}"
        if model["model"] == "slots":
            return " then ".join(format_rate(slot["rate_bps"]) for slot in model["slots"])
        return f"{rate} in bursts of {model['burst_bytes']} bytes"

    def _extra_delay(self) -> DelayModel:
        if self.jitter_model is not None:
            return self.jitter_model.copy()
        beyond = self.delay_ns - self.least_delay_ns
        if self.jitter_ns == 0:
            return {"model": "constant", "delay_ns": beyond}
        if self.jitter_distribution == "normal":
            return {"model": "normal", "mean_ns": beyond, "deviation_ns": self.jitter_ns}
        if self.jitter_distribution == "exponential":
            return {"model": "exponential", "least_ns": beyond, "mean_above_ns": self.jitter_ns}
        return {"model": "uniform", "low_ns": beyond - self.jitter_ns, "high_ns": beyond + self.jitter_ns}


def _loss_text(probability: float) -> str:
    """A loss as people read it. A small one may be a share that was written for a percentage: it says what it means."""
    text = f"loss {100 * probability:g} %"
    return text if probability >= 0.0005 else f"{text} (1 packet in {1 / probability:.0f})"


def resolve_direction(options: Mapping[str, Any], what: str) -> Direction:
    """The direction that `options` describe; `what` names the link. Raises TopologyError and UnitError."""
    if not all(isinstance(value, _UNCHANGING) for value in options.values()) or options.keys() & _FILES:
        return _resolve(options, what)
    said = frozenset(
        (name, type(value), value) for name, value in options.items()
    )  # 1 and True are not the same
    found = _resolved.get(said)
    if found is None:
        if len(_resolved) == _KEPT:
            _resolved.clear()
        found = _resolved[said] = _resolve(options, what)
    return found


def _resolve(options: Mapping[str, Any], what: str) -> Direction:
    given = _plain(options, ("delay", "overhead", "train_limit"), what)
    if options.get("max_queue_size") is not None:
        packets, size = parse_queue(options["max_queue_size"], f"{what}: max_queue_size")
        given["queue_packets"], given["queue_bytes"] = packets, size
    rate, model = rate_model(options, given.get("overhead_bytes", 0), what)
    given |= {name: value for name, value in (("rate_bps", rate), ("rate_model", model)) if value is not None}
    given |= _impairments(options, what) | _jitter(options, what) | _queue(options, what)
    if (plugin := plugin_model(options, what)) is not None:
        given["plugin"] = plugin
    # Where every packet has the same delay, none overtakes another.
    kept = _plain(options, ("keep_order",), what).get("keep_order")
    if kept and given.keys() & {"jitter_ns", "jitter_model", "reorder", "plugin"}:
        given["keep_order"] = True
    _check_queue(given, what)
    others = _plain(options, tuple(options.keys() & (direction_options() - _TOGETHER)), what)
    if others:
        given["others"] = others
        _check_background(given, what)
    given |= {key: value for key, value in _plain(options, ("watch_queue",), what).items() if value}
    if given.get("reorder") and not given.get("delay_ns") and "jitter_model" not in given:
        raise TopologyError(f"{what}: reorder= lets packets skip the delay, and there is none; give delay=")
    # delay=0 and nothing else asks for nothing that a plain wire does not do.
    shaped = bool(given) and given != {"delay_ns": 0}
    return Direction(**given, shaped=shaped)


def _plain(options: Mapping[str, Any], names: tuple[str, ...], what: str) -> dict[str, Any]:
    """Of these options those that say something, as the plan writes them."""
    said = table("direction").said
    return {
        said[name].key: read_value(options[name], said[name], f"{what}: {name}")
        for name in names
        if options.get(name) is not None
    }


def _impairments(options: Mapping[str, Any], what: str) -> dict[str, Any]:
    """What is asked of loss, duplicate, corrupt, bit_error_rate and reorder; 0 and None ask for nothing."""
    shares = _plain(options, ("duplicate", "corrupt", "bit_error_rate"), what)
    given = {key: share for key, share in shares.items() if share > 0}
    if options.get("loss") is not None and (loss := loss_model(options["loss"], f"{what}: loss")) is not None:
        given["loss"] = loss
    if {"corrupt", "bit_error_rate"} <= given.keys():
        raise TopologyError(
            f"{what}: corrupt= and bit_error_rate= both damage packets; leave one of them out"
        )
    reorder = _plain(options, ("reorder", "reorder_gap"), what)
    if reorder.get("probability"):
        given["reorder"] = reorder["probability"]
        given["reorder_gap"] = reorder.get("gap", 1)
    elif "gap" in reorder:
        raise TopologyError(f"{what}: reorder_gap= says which packets reorder= picks; give it too")
    return given


def _jitter(options: Mapping[str, Any], what: str) -> dict[str, Any]:
    """What is asked of jitter and jitter_distribution. Whoever takes the jitter back (None) takes back both."""
    given: dict[str, Any] = {}
    jitter, distribution = options.get("jitter"), options.get("jitter_distribution")
    if distribution is not None:
        choices = table("direction").said["jitter_distribution"].choices
        choice(distribution, f"{what}: jitter_distribution:", choices, error=TopologyError)
        if "jitter" not in options:
            raise TopologyError(f"{what}: jitter_distribution= says how jitter= varies; give it too")
    if isinstance(jitter, Mapping):
        if distribution is not None:
            raise TopologyError(
                f"{what}: jitter= names its model, and jitter_distribution= another; leave it out"
            )
        given["jitter_model"] = jitter_model(jitter, f"{what}: jitter")
    elif jitter is not None and (nanoseconds := parse_delay(jitter, f"{what}: jitter")) > 0:
        given["jitter_ns"] = nanoseconds
        if distribution is not None:
            given["jitter_distribution"] = distribution
    return given


def _queue(options: Mapping[str, Any], what: str) -> dict[str, Any]:
    """The queue management asked for: aqm and ecn, or Mininet's enable_red and enable_ecn."""
    aqm = options.get("aqm")
    flags = _plain(options, ("ecn", "enable_red", "enable_ecn"), what)
    ecn = bool(flags.get("ecn") or flags.get("enable_ecn")) if flags.keys() & {"ecn", "enable_ecn"} else None
    model = None if aqm is None else queue_model(aqm, ecn, f"{what}: aqm")
    if flags.get("enable_red") or flags.get("enable_ecn"):
        if model is not None and model["model"] != "red":
            raise TopologyError(
                f"{what}: aqm={aqm!r} and Mininet's RED are both asked for; leave one of them out"
            )
        model = model or queue_model("red", ecn, f"{what}: enable_red")
    if model is None and flags.get("ecn"):
        raise TopologyError(f"{what}: ecn=True marks where a queue would drop early; give aqm= too")
    return {} if model is None else {"queue": model}


def _check_background(given: Mapping[str, Any], what: str) -> None:
    """Raise TopologyError if a background shares anything but a drop-tail queue and a rate."""
    background = given["others"].get("background")
    if background is None:
        return
    attempt = f"{what}: background= of {background['model']}"
    if background["model"] == "tcp_flows" and background.get("round_trip_ns") is None:
        raise TopologyError(f"{attempt}: round_trip is missing; write that of a flow, without this queue")
    if background.get("sharing") and background.get("peak_bps") is None:
        raise TopologyError(f"{attempt}: sharing= is of a rate, and there is none; give peak=")
    try:
        extension().check_background(background)
    except PlanError as error:
        raise TopologyError(f"{what}: {error}") from None
    if "queue" in given:
        raise TopologyError(
            f"{attempt} shares a drop-tail queue, and {given['queue']['model']} has no fluid form; leave aqm= out"
        )
    rate_model = given.get("rate_model")
    if rate_model is not None and rate_model["model"] != "slots":
        said = {"token_bucket": "burst=", "opportunities": "trace="}[rate_model["model"]]
        raise TopologyError(f"{attempt} needs a transmitter with a rate; leave {said} out")
    if given.get("rate_bps") is None and rate_model is None:
        raise TopologyError(f"{attempt} needs bw=, as nothing waits without a rate; give it")


_BOUNDED_IN_PACKETS = ("codel", "fq_codel", "pie", "fq_pie", "cobalt", "cake", "dualpi2")
"""Queues of the simulator that count packets only (`require_no_bytes` in `simcore/link/queue_models.cc`)."""


def _check_queue(given: Mapping[str, Any], what: str) -> None:
    if "queue" not in given:
        return
    kind = given["queue"]["model"]
    if not given.keys() & {"rate_bps", "rate_model", "plugin"}:
        raise TopologyError(
            f"{what}: {kind} needs bw=, as nothing waits without a rate; give it, or leave it out"
        )
    if kind == "cake" and given.get("rate_bps") is None:
        raise TopologyError(
            f"{what}: the tins of cake have shares of a rate; give bw=, and leave trace= and plugins out"
        )
    if kind in _BOUNDED_IN_PACKETS and given.get("queue_bytes") is not None:
        raise TopologyError(f"{what}: the bound of {kind} is in packets; give max_queue_size= a number")
