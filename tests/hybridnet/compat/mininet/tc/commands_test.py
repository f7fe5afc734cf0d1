# SPDX-License-Identifier: MIT
"""What tc prints of a simulated link, and what it changes there."""

from __future__ import annotations

import re
from typing import Any

import pytest

from hybridnet.compat.mininet.tc.commands import (
    Change,
    Counters,
    Refusal,
    asked_of,
    change,
    netem_commands,
    rate_commands,
    show,
)

SHAPED = {"bw": 10, "delay": "2.000000ms", "loss": 1, "max_queue_size": 100}


def changed(command: str, params: dict[str, Any]) -> Any:
    """What a command without its first word does: the options that it sets, or what tc says."""
    asked = asked_of(command.split())
    assert asked is not None
    of, verb, _, rest, _ = asked
    done = change(of, verb, rest, params)
    return {k: v for k, v in done.params.items() if v is not None} if isinstance(done, Change) else done


def test_the_words_of_tc_are_told_apart() -> None:
    assert asked_of(["-s", "qdisc", "show", "dev", "s1-eth1"]) == ("qdisc", "show", "s1-eth1", [], True)
    assert asked_of(["class", "ls", "dev", "s1-eth1", "parent", "5:"]) == (
        "class",
        "show",
        "s1-eth1",
        ["parent", "5:"],
        False,
    )
    assert asked_of(["qdisc", "show"]) is None
    assert asked_of(["filter", "show", "dev", "s1-eth1"]) is None
    assert asked_of(["-j", "qdisc", "show", "dev", "s1-eth1"]) is None
    assert asked_of(["qdisc", "show", "dev"]) is None


def test_scripts_find_the_packets_that_wait_where_mininet_has_them() -> None:
    told = show("qdisc", SHAPED, Counters(15140, 10, 3, 27252, 18), statistics=True)
    assert told.splitlines()[0].startswith("qdisc htb 5: root ")
    assert told.splitlines()[3] == "qdisc netem 10: parent 5:1 limit 100 delay 2ms loss 1%"
    assert re.findall(r"backlog\s[^\s]+\s([\d]+)p", told) == ["18", "18"]
    assert re.findall(r"Sent (\d+) bytes (\d+) pkt \(dropped (\d+),", told) == [("15140", "10", "3")] * 2


def test_a_rate_alone_is_htb_and_a_delay_alone_netem_at_the_root() -> None:
    assert show("qdisc", {"bw": 0.5}, Counters(), statistics=False).count("qdisc") == 1
    assert "rate 500Kbit ceil 500Kbit" in show("class", {"bw": 0.5}, Counters(), statistics=False)
    assert show("qdisc", {"delay": "50ms", "jitter": "5ms"}, Counters(), statistics=False) == (
        "qdisc netem 10: root refcnt 2 limit 1000 delay 50ms  5ms\n"
    )
    assert show("class", {"delay": "50ms"}, Counters(), statistics=False) == ""
    assert show("qdisc", {}, Counters(), statistics=True) == ""


@pytest.mark.parametrize(
    ("command", "params", "expected"),
    [
        ("qdisc change dev a parent 5:1 handle 10: netem delay 9ms", SHAPED, {"delay": "9ms"}),
        ("qdisc change dev a handle 10: netem loss 5% 25%", SHAPED, {"loss": 5.0}),
        ("qdisc replace dev a root netem delay 10ms 2ms rate 2mbit limit 50", SHAPED,
         {"bw": 2.0, "delay": "10ms", "jitter": "2ms", "max_queue_size": 50}),
        ("qdisc change dev a root netem loss random 2%", {"delay": "1ms"}, {"loss": 2.0}),
        ("qdisc del dev a root", SHAPED, {}),
        ("qdisc add dev a root netem delay 10ms", {"bw": None}, {"delay": "10ms"}),
        ("class change dev a parent 5:0 classid 5:1 htb rate 500kbit burst 15k", SHAPED, {"bw": 0.5}),
        ("qdisc replace dev a root tbf rate 1gbit burst 15000 latency 5ms", SHAPED, {"bw": 1000.0}),
    ],
)  # fmt: skip
def test_a_link_changes_as_tc_is_told(command: str, params: dict[str, Any], expected: dict[str, Any]) -> None:
    assert changed(command, params) == expected


def carried_out(commands: list[str], params: dict[str, Any]) -> dict[str, Any]:
    """The options of a link after commands as scripts have them, with places for tc and the interface."""
    for command in commands:
        done = changed((command % ("tc", "a")).removeprefix("tc "), params)
        assert isinstance(done, dict), (command, done)
        params = {**params, **done}
    return params


def test_mininet_s_commands_for_a_link_make_it_what_its_options_do() -> None:
    rate, parent = rate_commands(10)
    netem, last = netem_commands(parent, "5ms", "1ms", 2, 100)
    assert (parent, last) == (" parent 5:1 ", " parent 10:1 ")
    wanted = {"bw": 10.0, "delay": "5ms", "jitter": "1ms", "loss": 2.0, "max_queue_size": 100}
    assert carried_out([*rate, *netem], {}) == wanted
    assert carried_out([each + " quantum 1514" for each in rate], {}) == {"bw": 10.0}
    ecn, parent = rate_commands(1, ecn=True)
    assert parent == " parent 6: "
    assert carried_out([*ecn, *netem_commands(parent, max_queue_size=9)[0]], {}) == {
        "bw": 1.0,
        "enable_ecn": True,
        "max_queue_size": 9,
    }
    assert netem_commands(" root ") == ([], " root ")


def test_a_rate_below_a_delay_is_the_link_s_and_both_change_on_their_own() -> None:
    tbf = "qdisc add dev a parent 1: handle 2: tbf rate 10mbit burst 5000 limit 15140"
    link = changed(tbf, {"delay": "20ms"})
    assert (link["bw"], link["max_queue_size"]) == (10.0, 10)
    link |= {"delay": "20ms"}
    assert changed("qdisc change dev a root handle 1: netem delay 30ms", link) == {"delay": "30ms"}
    assert changed("qdisc change dev a parent 1: handle 2: tbf rate 5mbit burst 5000", link)["bw"] == 5.0
    assert changed("qdisc del dev a root", link) == {}
    assert changed(tbf, {}) is None


def test_what_tc_would_refuse_is_refused_and_what_is_the_kernel_s_is_left_to_it() -> None:
    for command, params in (
        ("qdisc add dev a root netem delay 1ms", SHAPED),
        ("qdisc add dev a root handle 1: htb default 1", SHAPED),
        ("qdisc change dev a root netem delay 1ms", {"bw": 1}),
        ("qdisc del dev a parent 5:1 handle 10:", {"bw": 1}),
        ("qdisc add dev a parent 5:1 netem corrupt 1%", {"bw": 1}),
    ):
        assert isinstance(changed(command, params), Refusal), command
    for command, params in (
        ("qdisc add dev a root handle 1: htb default 1", {}),
        ("qdisc add dev a parent 1:10 handle 10: netem delay 1ms", {}),
        ("qdisc del dev a root", {}),
        ("class add dev a parent 1: classid 1:1 htb rate 1mbit", SHAPED),
    ):
        assert changed(command, params) is None, command


def test_a_rate_that_is_none_is_an_error() -> None:
    with pytest.raises(ValueError, match='Illegal "rate": fast'):
        changed("class change dev a parent 5:0 classid 5:1 htb rate fast", SHAPED)


def test_an_empty_word_is_refused_and_a_value_may_begin_with_its_point() -> None:
    asked = ("change", ["root", "netem", "delay", ""], {"delay": "1ms"})
    assert isinstance(change("qdisc", *asked), Refusal)
    assert changed("qdisc add dev a root netem loss .001%", {}) == {"loss": 0.001}
