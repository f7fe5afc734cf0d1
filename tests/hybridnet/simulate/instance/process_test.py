# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hybridnet.errors import PlanError
from hybridnet.simulate.instance.process import load_plan
from tests.hybridnet.simulate.instance.running import DIRECTION, Client


def test_a_plan_is_read_as_it_is(plan: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    assert load_plan(tmp_path / "plan.json") == plan


def test_what_is_wrong_in_a_plan_is_said_with_its_place(plan: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    plan["realtime"]["policy"] = "sometimes"
    file.write_text(json.dumps(plan))
    with pytest.raises(PlanError, match='at realtime/policy: "sometimes" is not one of'):
        load_plan(file)
    file.write_text("{")
    with pytest.raises(PlanError, match=r"plan\.json"):
        load_plan(file)
    with pytest.raises(PlanError, match="No such file"):
        load_plan(tmp_path / "none.json")


def test_the_process_says_in_one_line_why_it_does_not_start(plan: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    del plan["token"]
    file.write_text(json.dumps(plan))
    command = [
        sys.executable,
        "-m",
        "hybridnet.simulate.instance",
        str(file),
        "--control",
        str(tmp_path / "socket"),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == PlanError.exit_code
    assert done.stdout == ""
    assert done.stderr.splitlines() == [f'PlanError: instance plan {file}: "token" is a required property']


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT])
def test_a_crash_is_reported_with_its_calls_and_ends_the_process(
    plan: dict[str, Any], tmp_path: Path, number: signal.Signals
) -> None:
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(plan))
    command = [
        sys.executable,
        "-m",
        "hybridnet.simulate.instance",
        str(file),
        "--control",
        str(tmp_path / "socket"),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        said = process.communicate(timeout=20)[1]
    assert process.returncode == -number
    first, *calls = said.splitlines()
    assert first.startswith(f"crash: signal {number:02d} in thread ")
    assert any("_simcore" in call for call in calls)


def test_a_snapshot_is_of_every_element_unless_it_is_told_not_to_be(client: Client) -> None:
    whole = client.ask(verb="snapshot")
    short = client.ask(verb="snapshot", of_elements=False)
    assert [bool(whole[kind]) for kind in ("links", "nodes", "interfaces")] == [True, True, True]
    assert [short[kind] for kind in ("links", "nodes", "interfaces")] == [[], [], []]
    assert short.keys() == whole.keys()
    assert "true or false" in client.ask(verb="snapshot", of_elements="no")["error"]


def test_a_link_takes_what_changes_and_keeps_the_rest(client: Client) -> None:
    now = client.ask(verb="set_link", link="v1-v2", a_to_b={"rate_bps": 1000}, b_to_a={"delay_ns": 5})
    assert now["a_to_b"] == {**DIRECTION, "rate_bps": 1000}
    assert now["b_to_a"] == {**DIRECTION, "delay_ns": 5}
    now = client.ask(verb="set_link", link="v1-v2", a_to_b={"queue_packets": None, "queue_bytes": 3000})
    assert now["a_to_b"] == {**DIRECTION, "rate_bps": 1000, "queue_packets": None, "queue_bytes": 3000}
    assert client.ask(verb="set_link", link="v1-v2") == now


def test_a_link_takes_other_models_and_null_takes_them_away(client: Client) -> None:
    models = {
        "rate_bps": 10**7,
        "loss": {"model": "independent", "probability": 0.5},
        "queue": {"model": "codel", "ecn": False},
        "extra_delay": {"model": "constant", "delay_ns": 5},
        "rate_model": {"model": "token_bucket", "burst_bytes": 3000},
    }
    now = client.ask(verb="set_link", link="v1-v2", a_to_b=models)
    assert now["a_to_b"] == {**DIRECTION, **models}
    plain = {**dict.fromkeys(models), "rate_bps": DIRECTION["rate_bps"]}
    assert client.ask(verb="set_link", link="v1-v2", a_to_b=plain)["a_to_b"] == DIRECTION


def test_each_instance_changes_its_part_of_a_cut_link(client: Client) -> None:
    there, back = {"loss": {"model": "independent", "probability": 0.5}}, {"delay_ns": 10**6}
    now = client.ask(verb="set_link", link="cut", a_to_b=there, b_to_a=back)
    assert (now["a_to_b"], now["b_to_a"]) == ({**DIRECTION, **there}, {**DIRECTION, **back})


def test_a_capture_begins_and_ends_while_it_runs(client: Client, tmp_path: Path) -> None:
    file = str(tmp_path / "v3.pcap")  # at the end of a cut link
    told = {"interface": "v3-eth0", "file": file, "filter": "", "most_bytes": 1000}
    assert client.ask(verb="start_capture", **told) == {}
    assert "runs there; end that before" in client.ask(verb="start_capture", **told)["error"]
    [row] = client.ask(verb="captures")["captures"]
    assert (row["interface"], row["file"], row["running"], row["failure"]) == ("v3-eth0", file, True, "")
    ended = client.ask(verb="stop_capture", file=file)
    assert (ended["running"], ended["lost"].keys()) == (False, {"file_full", "queue_full", "write_failed"})
    assert client.ask(verb="captures")["captures"] == [ended]
    assert (
        "start_capture, at file" in client.ask(verb="start_capture", **{**told, "file": "v3.pcap"})["error"]
    )
    assert "file is 5" in client.ask(verb="stop_capture", file=5)["error"]


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        ({"link": "v1-v9", "a_to_b": {"delay_ns": 1}}, "there is no link 'v1-v9'; there are v1-v2, cut"),
        ({"link": "v1-v2", "b_to_a": {"delay_ns": -1}}, "b_to_a, at delay_ns: -1 is less than the minimum"),
        ({"link": "v1-v2", "a_to_b": {"dealy_ns": 1}}, "'dealy_ns' was unexpected"),
        ({"link": "v1-v2", "a_to_b": 5}, "a_to_b"),
        ({"link": "v1-v2", "a_to_b": {"queue": {"model": "codel"}, "rate_bps": None}}, "it has no rate"),
        ({"link": "v1-v2", "a_to_b": {"delay_ns": "5"}}, 'delay_ns: "5" is not of type "integer"'),
        ({"verb": "fly"}, "unknown verb 'fly'; there are"),
    ],
)
def test_a_request_that_makes_no_sense_is_answered_with_why(
    client: Client, request_: dict[str, Any], says: str
) -> None:
    assert says in client.ask(**{"verb": "set_link", **request_})["error"]
    assert client.ask(verb="set_link", link="v1-v2")["a_to_b"] == DIRECTION
