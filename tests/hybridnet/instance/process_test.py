# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hybridnet.errors import PlanError
from hybridnet.instance.process import load_plan


@pytest.fixture
def plan() -> dict[str, Any]:
    return {
        "format": 1,
        "name": "m1",
        "seed": 1,
        "token": "00000000000000ff",
        "nodes": [],
        "emulation_portals": [],
        "peers": [],
        "links": [],
        "captures": [],
        "realtime": {
            "policy": "best_effort",
            "lateness_limit_ns": 1,
            "spin_ns": 0,
            "cpu": None,
            "fifo_priority": None,
        },
    }


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
    command = [sys.executable, "-m", "hybridnet.instance", str(file), "--control", str(tmp_path / "socket")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == PlanError.exit_code
    assert done.stdout == ""
    assert done.stderr.splitlines() == [f'PlanError: instance plan {file}: "token" is a required property']


DIRECTION = {
    "rate_bps": None,
    "delay_ns": 1_000_000,
    "queue_packets": 1000,
    "queue_bytes": None,
    "overhead_bytes": 0,
    "train_limit_ns": 50_000,
}


class Client:
    """The control socket of a running instance."""

    def __init__(self, path: Path) -> None:
        self._connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._connection.settimeout(20.0)
        self._connection.connect(str(path))
        self._lines = self._connection.makefile("rwb")

    def ask(self, **request: Any) -> dict[str, Any]:
        self._lines.write(json.dumps(request).encode() + b"\n")
        self._lines.flush()
        answer: dict[str, Any] = json.loads(self._lines.readline())
        return answer


@pytest.fixture
def client(plan: dict[str, Any]) -> Iterator[Client]:
    """Of an instance of two hosts on one link, and a third behind a cut link: it needs no root."""
    for number in (1, 2, 3):
        interface = {
            "name": f"v{number}-eth0",
            "mac": f"02:00:00:00:00:0{number}",
            "address": f"10.0.0.{number}/24",
        }
        plan["nodes"].append({"name": f"v{number}", "kind": "host", "interfaces": [interface]})
    plan["peers"] = [{"name": "m2", "local": "127.0.0.1:0", "remote": "127.0.0.1:9"}]
    ends = {"v1-v2": ({"interface": "v1-eth0"}, {"interface": "v2-eth0"})}
    ends["cut"] = ({"interface": "v3-eth0"}, {"peer": "m2", "channel": 0})  # type: ignore[assignment]
    plan["links"] = [
        {"name": name, "a": a, "b": b, "a_to_b": DIRECTION, "b_to_a": DIRECTION}
        for name, (a, b) in ends.items()
    ]
    with tempfile.TemporaryDirectory(prefix="hn") as short:  # the path of a socket is
        file, control = Path(short) / "plan.json", Path(short) / "control"
        file.write_text(json.dumps(plan))
        command = [sys.executable, "-m", "hybridnet.instance", str(file), "--control", str(control)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            client = Client(control)
            yield client
            assert client.ask(verb="stop")["name"] == "m1"
            assert json.loads(process.stdout.read())["name"] == "m1"  # it ends by printing its final counters
        assert process.returncode == 0
        assert not control.exists()


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
