# SPDX-License-Identifier: MIT
"""The models of a link: how packets are lost, delayed, queued and sent, as the plan writes them.

A number or a name is the plain case (`loss=1`, `jitter="1ms"`, `aqm="codel"`); a dictionary with `model` is any other.
What there is, with its parameters, is declared in the simulator's tables; here is what two options together mean.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

from hybridnet.describe.options import family, table
from hybridnet.describe.options.read import read_kind, read_model, read_options, read_value
from hybridnet.describe.quantities import parse_percent
from hybridnet.describe.schema.plans import (
    DelayModel,
    LossModel,
    PluginPlan,
    QueueModel,
    RateModel,
    TokenBucketRate,
)
from hybridnet.errors import TopologyError

__all__ = ["HEADER_BYTES", "jitter_model", "loss_model", "plugin_model", "queue_model", "rate_model"]

HEADER_BYTES = 14  # of an Ethernet frame
FULL_FRAME = 1500 + HEADER_BYTES  # without the overhead


def loss_model(given: Any, what: str) -> LossModel | None:
    """The loss that a percentage or a dictionary asks for; None where it is 0 %."""
    if isinstance(given, Mapping):
        model: LossModel = read_kind(given, family("loss"), what, "loss model")
        numbers = model["segments"] if model["model"] == "scripted" else []
        if any(later <= sooner for sooner, later in itertools.pairwise(numbers)):
            raise TopologyError(
                f"{what}: {numbers!r} does not increase; write the numbers in order, each once"
            )
        return model
    probability = parse_percent(given, what)
    return {"model": "independent", "probability": probability} if probability > 0 else None


def jitter_model(given: Mapping[str, Any], what: str) -> DelayModel:
    """The extra delay that a dictionary asks for."""
    model: DelayModel = read_kind(given, family("extra_delay"), what, "jitter model")
    if model["model"] == "uniform" and model["low_ns"] > model["high_ns"]:
        raise TopologyError(f"{what} (uniform): low is above high; exchange them")
    quantiles = model["quantiles_ns"] if model["model"] == "table" else []
    if quantiles != sorted(quantiles):
        raise TopologyError(
            f"{what}: {given['quantiles']!r} decreases; write the quantiles from the least delay to the longest"
        )
    return model


def queue_model(given: Any, ecn: bool | None, what: str) -> QueueModel:
    """The queue that a name or a dictionary asks for, with `ecn` where that was said."""
    model = read_model(given, family("queue"), what, "AQM")
    options = table(model["model"]).planned
    if ecn is not None and "ecn" in options:
        model.setdefault("ecn", ecn)
    elif ecn:
        raise TopologyError(f"{what}: {model['model']} marks nothing; leave ecn= out")
    if model["model"] == "red":
        least, most = (model.get(key, options[key].default) for key in ("least_bytes", "most_bytes"))
        if least >= most:
            raise TopologyError(
                f"{what} (red): least is {least} bytes and most {most}; write a least below most"
            )
    queue: QueueModel = model
    return queue


def rate_model(
    options: Mapping[str, Any], overhead_bytes: int, what: str
) -> tuple[int | None, RateModel | None]:
    """The rate (bit/s) and the rate model that bw, burst, peak, slots, trace and trace_bytes ask for.

    Returns:
        (None, None) where there is no limit, and a model of None where it is the rate alone.
    """
    models = family("rate_model").models
    names = {"bw", *(name for model in models.values() for name in model.said)}
    given = {name: options[name] for name in names if options.get(name) is not None}
    for first, others in (("trace", ("bw", "burst", "peak", "slots")), ("slots", ("bw", "burst", "peak"))):
        for other in others:
            if {first, other} <= given.keys():
                raise TopologyError(
                    f"{what}: {first}= says when packets leave, and {other}= too; leave one of them out"
                )
    for part, whole in (("burst", "bw"), ("peak", "burst"), ("trace_bytes", "trace")):
        if part in given and whole not in given:
            raise TopologyError(f"{what}: {part}= needs {whole}=; give it, or leave {part}= out")
    rate = None
    if "bw" in given:
        rate = read_value(given.pop("bw"), table("direction").said["bw"], f"{what}: bw")
    if not given:
        return rate, None
    name = next(name for name, model in models.items() if given.keys() <= model.said.keys())
    read: Any = {"model": name, **read_options(given, models[name], what)}
    model: RateModel = read
    if model["model"] == "slots":
        return model["slots"][0]["rate_bps"], model
    if model["model"] == "token_bucket":
        _check_bucket(model, rate or 0, overhead_bytes, given, what)
    return rate, model


def plugin_model(options: Mapping[str, Any], what: str) -> PluginPlan | None:
    """The user's own model that model and model_args ask for: a path, or a name in HYBRIDNET_PLUGIN_PATH.

    Example:
        >>> plugin_model({"model": "bursty", "model_args": {"burst": 5}}, "link a-b")
        {'file': 'bursty', 'arguments': {'burst': '5'}}
    """
    if options.get("model") is None:
        if options.get("model_args"):
            raise TopologyError(f"{what}: model_args= are a plug-in's; give model= too")
        return None
    arguments = options.get("model_args")
    given = {"model": options["model"], "model_args": {} if arguments is None else arguments}
    plugin: PluginPlan = read_options(given, table("plugin"), what)
    return plugin


def _check_bucket(
    bucket: TokenBucketRate, rate: int, overhead_bytes: int, said: Mapping[str, Any], what: str
) -> None:
    least = FULL_FRAME + overhead_bytes  # what is larger than the bucket never leaves
    if bucket["burst_bytes"] < least:
        raise TopologyError(
            f"{what}: burst: {said['burst']!r} is {bucket['burst_bytes']} bytes; write {least} to {1 << 40}"
        )
    peak = bucket.get("peak_bps")
    if peak is not None and peak < rate:
        raise TopologyError(
            f"{what}: peak={said['peak']!r} is below the rate, {rate} bit/s; write a higher one"
        )
