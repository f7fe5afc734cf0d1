# SPDX-License-Identifier: MIT
from __future__ import annotations

import os
from typing import Any

import pytest

from hybridnet.describe.topo.direction import resolve_direction
from hybridnet.errors import UnitError, UsageError
from hybridnet.tools.wire.options import given_options, keys, parse_list, parse_model, resolve_options

SAME: dict[str, Any] = {
    "delay": "10ms",
    "jitter": "2ms",
    "jitter_distribution": "normal",
    "loss": "1%",
    "duplicate": "2%",
    "corrupt": "3%",
    "reorder": "25%",
    "reorder_gap": 5,
    "aqm": {"model": "codel", "target": "7ms"},
    "ecn": True,
    "overhead": "24 B",
    "train_limit": "0",
}


def test_only_what_is_said_is_given() -> None:
    assert given_options({"rate": "10 Mbit/s", "delay": None}, "wire a-b") == {"rate": "10 Mbit/s"}
    assert given_options({}, "wire a-b") == {}


def test_options_are_a_topologys_under_the_wires_names() -> None:
    wires = resolve_options({**SAME, "rate": "10 Mbit/s", "queue": "50"}, "wire a-b")
    assert wires == resolve_direction({**SAME, "bw": 10, "max_queue_size": 50}, "link a-b")
    assert set(keys()) >= SAME.keys()


def test_a_command_line_says_what_python_says() -> None:
    text = {
        **{key: str(value) for key, value in SAME.items()},
        "aqm": "codel:target=7ms",
        "ecn": "yes",
    }
    assert given_options(text, "wire a-b") == {**SAME, "train_limit": 0}
    flows = given_options({"aqm": "fq_codel:flows=64:quantum=300 B"}, "wire a-b")["aqm"]
    assert flows == {"model": "fq_codel", "flows": 64, "quantum": "300 B"}
    channel = given_options({"loss": "gilbert_elliott:to_bad=1%:to_good=0.5"}, "wire a-b")["loss"]
    assert channel == {"model": "gilbert_elliott", "to_bad": "1%", "to_good": 0.5}


def test_lists_are_written_with_a_plus_and_rows_with_an_at() -> None:
    lost = given_options({"loss": "scripted:segments=3+7+9"}, "wire a-b")["loss"]
    assert lost == {"model": "scripted", "segments": [3, 7, 9]}
    assert resolve_options({"loss": lost}, "wire a-b").loss == lost
    delays = given_options({"jitter": "trace:delays=5ms+7 ms"}, "wire a-b")
    assert resolve_options(delays, "wire a-b").jitter_model == {
        "model": "trace",
        "delays_ns": [5_000_000, 7_000_000],
    }
    turns = given_options({"slots": "500ms@12 Mbit/s + 200 ms@800 kbit/s"}, "wire a-b")
    assert resolve_options(turns, "wire a-b") == resolve_options(
        {"slots": [("500ms", "12 Mbit/s"), ("200ms", "800 kbit/s")]}, "wire a-b"
    )
    own = given_options(parse_list("slots=1s@1 Mbit/s+1s@2 Mbit/s,delay=5ms", "wire: --forward"), "wire a-b")
    assert own == {"slots": [["1s", "1 Mbit/s"], ["1s", "2 Mbit/s"]], "delay": "5ms"}
    weights = given_options({"aqm": "weighted:weights=4+2+1"}, "wire a-b")["aqm"]
    assert weights == {"model": "weighted", "weights": [4, 2, 1]}


def test_a_models_yes_and_no_are_flags() -> None:
    given = given_options({"aqm": "codel:ecn=yes", "rate": "1 Mbit/s"}, "wire a-b")
    assert given["aqm"] == {"model": "codel", "ecn": True}
    assert (resolve_options(given, "wire a-b").queue or {})["ecn"] is True


def test_a_jitter_that_is_taken_back_takes_its_distribution_along() -> None:
    varied = {"delay": "9ms", "jitter": "1ms", "jitter_distribution": "normal"}
    assert resolve_options({**varied, "jitter": "none"}, "wire a-b") == resolve_options(
        {"delay": "9ms"}, "wire a-b"
    )


@pytest.mark.parametrize("text", ["", ":target=5ms", "codel:", "codel:=5ms", "codel:target", "codel:a=1:a=2"])
def test_a_model_is_a_name_with_parameters(text: str) -> None:
    with pytest.raises(UsageError, match="wire a-b: aqm"):
        parse_model(text, "wire a-b: aqm")


def test_a_queue_is_bounded_in_packets_or_in_bytes() -> None:
    in_packets = resolve_options({"queue": "100"}, "wire a-b")
    assert (in_packets.queue_packets, in_packets.queue_bytes) == (100, None)
    in_bytes = resolve_options({"queue": "150 kB"}, "wire a-b")
    assert (in_bytes.queue_packets, in_bytes.queue_bytes) == (None, 150_000)


def test_none_is_the_default_again() -> None:
    none = dict.fromkeys(keys(), "none")
    assert resolve_options(none, "wire a-b") == resolve_options({}, "wire a-b")


def test_a_trace_is_found_from_any_folder() -> None:
    assert given_options({"trace": "up.trace"}, "wire a-b") == {"trace": os.path.abspath("up.trace")}
    assert given_options({"trace": "none"}, "wire a-b") == {"trace": "none"}


def test_units_are_required_and_the_object_is_named() -> None:
    with pytest.raises(UnitError, match=r'wire a-b, forward: delay: "5" has no unit'):
        resolve_options({"delay": "5"}, "wire a-b, forward")
    with pytest.raises(UnitError, match='wire a-b: rate: rate "10" has no unit'):
        resolve_options(given_options({"rate": 10}, "wire a-b"), "wire a-b")
    with pytest.raises(
        UsageError, match="there is no option 'speed'; there are aqm, background, bit-error-rate"
    ):
        given_options({"speed": "1"}, "wire a-b")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"aqm": "codel"}, "codel needs rate="),
        ({"aqm": "codel", "rate": "1 Mbit/s", "queue": "9 kB"}, "give queue= a number"),
        ({"aqm": "codel:target=5", "rate": "1 Mbit/s"}, 'target: "5" has no unit'),
        ({"aqm": "codel:limit=5", "rate": "1 Mbit/s"}, "unknown option 'limit'"),
        ({"ecn": "maybe"}, "'maybe' is neither yes nor no"),
        ({"trace": "up", "rate": "1 Mbit/s"}, "and rate= too; leave one of them out"),
        ({"loss": "gilbert_elliott:to_bad=1%"}, "to_good is missing"),
        ({"loss": "pareto"}, "'pareto' does not exist"),
        ({"loss": "scripted:segments=3+x"}, "segments: 'x' is not a whole number"),
        ({"slots": "500ms"}, r"slots: \['500ms'\] is not a slot; write one as \(duration, rate\)"),
        ({"slots": "5@1 Mbit/s"}, 'duration: "5" has no unit'),
        ({"aqm": "codel:ecn=maybe", "rate": "1 Mbit/s"}, "ecn: 'maybe' is neither yes nor no"),
        ({"jitter_distribution": "normal"}, "jitter_distribution= says how jitter= varies; give it too"),
        ({"loss": "101%"}, "is not a percentage"),
        ({"reorder": "25%"}, "there is none; give delay="),
    ],
)
def test_what_cannot_be_is_refused_in_the_wires_words(options: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        resolve_options(given_options(options, "wire a-b"), "wire a-b")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("rate", '"rate" is not an option with its value'),
        ("rate=", "is not an option"),
        ("delay=1ms,,", "is not an option"),
        ("delay=1ms,delay=2ms", "delay comes twice"),
    ],
)
def test_a_list_that_is_none_is_refused(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        parse_list(text, "wire: --forward")
