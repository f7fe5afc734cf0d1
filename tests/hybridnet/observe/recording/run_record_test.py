# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
import shutil
import signal
import sys
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import hybridnet
from hybridnet import Net, Sampling, result
from hybridnet.errors import HybridnetError, MachineError, UsageError
from hybridnet.observe.recording.current_record import current, recording
from hybridnet.observe.recording.outcome import take_results
from hybridnet.observe.recording.run_record import RunRecord
from hybridnet.observe.results.verdict import Verdict
from hybridnet.observe.series.table import read_series

PACKAGE = str(Path(hybridnet.__file__).parent)
KEY = ("interfaces", "h1-eth0", "tx_bytes")
PLAN = {"machines": {"m1": {"instances": [{"name": "m1", "token": "8f" * 8, "captures": []}]}}, "links": []}
COUNTERS = {
    "m1": {
        "links": [
            {
                "name": "r1-r2:a>b",
                "from": "a",
                "to": "b",
                "delivered_packets": 5,
                "dropped": {"queue_full": 1},
            }
        ],
        "applications": [],
    },
    "m2": None,
}


class Machines:
    """Samples of a machine that nobody waits for: at each call one more instant."""

    def __init__(self) -> None:
        self.calls: list[bool] = []

    def take(self, last: bool) -> dict[str, Any]:
        self.calls.append(last)
        instant = float(len(self.calls))
        block = ([KEY], array("d", [instant]).tobytes(), array("d", [100 * instant]).tobytes())
        return {"m1": {"blocks": [block], "lost": 0, "failed": None}, "m2": None}


def nothing(machine: str, file: str) -> Iterator[bytes]:
    """There is no machine to fetch a file from."""
    raise MachineError(f"machine {machine} is gone")


def read(path: Path) -> Any:
    return json.loads(path.read_text())


def test_a_network_leaves_its_plan_series_counters_and_verdict(tmp_path: Path) -> None:
    record = RunRecord(tmp_path / "run", series="100ms", facts={"verb": "run"}, seed=7)
    machines = Machines()
    network = record.network(PLAN, {"m1": {"cores": 2}}, 7, machines.take)
    network.end_series()
    network.end_series()
    network.finish(COUNTERS, Verdict.of([]), nothing)
    record.end(0, [Verdict.of([])])
    folder = tmp_path / "run" / "network-1"
    assert machines.calls[-1] is True
    assert read(folder / "plan.json")["machines"]["m1"]["instances"] == [{"name": "m1", "captures": []}]
    assert read(folder / "machines.json") == {"m1": {"cores": 2}}
    assert read(folder / "verdict.json")["word"] == "trusted"
    _, values = read_series(folder).of(*KEY)
    assert list(values) == [100.0 * (number + 1) for number in range(len(machines.calls))]
    assert "scalar r1-r2:a>b delivered_packets 5" in (folder / "omnetpp" / "seed-7.sca").read_text()
    assert "tx_bytes" in (folder / "omnetpp" / "seed-7.vec").read_text()
    manifest = read(tmp_path / "run" / "manifest.json")
    assert (manifest["verb"], manifest["seed"], manifest["exit_code"]) == ("run", 7, 0)


def test_before_the_end_there_is_a_manifest_already_and_it_does_not_say_how_it_ended(tmp_path: Path) -> None:
    RunRecord(tmp_path / "run", facts={"verb": "run"})
    assert "exit_code" not in read(tmp_path / "run" / "manifest.json")


def interrupted_at(line: int, steps: Callable[[], object]) -> bool:
    """Take the steps, with a ^C at this line of them; whether there are so many lines."""
    left = line

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        if frame.f_code.co_filename.startswith(PACKAGE) and event == "line":
            left -= 1
            if left == 0:
                signal.raise_signal(signal.SIGINT)
        return trace

    sys.settrace(trace)
    try:
        steps()
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(None)
    return left <= 0


def test_an_interrupt_at_any_line_leaves_no_empty_folder_and_no_half_an_end(tmp_path: Path) -> None:
    folder = tmp_path / "run"

    def steps() -> None:
        RunRecord(folder, facts={"verb": "run"}).end(3, [Verdict("trusted", [])])

    line = 1
    while interrupted_at(line, steps):
        if folder.exists():
            manifest = read(folder / "manifest.json")
            assert manifest["verb"] == "run", line
            at_end = {"results.json", "verdict.json"} if "exit_code" in manifest else set()
            assert {each.name for each in folder.iterdir()} == {"manifest.json"} | at_end, line
            shutil.rmtree(folder)
        line += 1
    assert line > 100


def test_captures_are_kept_under_the_name_of_their_machine(tmp_path: Path) -> None:
    capture = tmp_path / "r1.pcap"
    capture.write_bytes(b"frames")
    plan = {
        "machines": {"m1": {"instances": [{"captures": [{"interface": "r1-eth1", "file": str(capture)}]}]}}
    }
    network = RunRecord(tmp_path / "run").network(plan, {}, 1, None)
    network.finish({}, Verdict.of([]), nothing)
    assert (network.folder / "captures" / "m1-r1.pcap").read_bytes() == b"frames"
    assert not (network.folder / "series.parquet").exists()


def test_captures_on_other_computers_are_fetched_in_pieces_and_what_cannot_be_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here = tmp_path / "r1.pcapng"
    here.write_bytes(b"another file of that name, on this computer")
    captures = {"m1": [str(here), "/there/r1b.pcapng"], "m2": ["/there/r2.pcapng"], "m3": [str(here)]}
    plan = {
        "machines": {
            name: {"instances": [{"captures": [{"file": file} for file in files]}]}
            for name, files in captures.items()
        }
    }

    def pieces(machine: str, file: str) -> Iterator[bytes]:
        yield f"{machine} ".encode()
        if machine == "m2":
            raise MachineError("machine m2: its agent is gone")
        yield file.encode()

    network = RunRecord(tmp_path / "run").network(plan, {}, 1, None)
    network.finish({}, Verdict.of([]), pieces, elsewhere={"m1", "m2"})
    kept = {path.name: path.read_bytes() for path in (network.folder / "captures").iterdir()}
    assert kept == {
        "m1-r1.pcapng": f"m1 {here}".encode(),
        "m1-r1b.pcapng": b"m1 /there/r1b.pcapng",
        "m3-r1.pcapng": b"another file of that name, on this computer",
    }
    said = capsys.readouterr().err
    assert "the capture /there/r2.pcapng of machine m2 is not kept: machine m2: its agent is gone" in said


def test_captures_of_a_machine_that_leaves_are_kept_then_and_those_that_began_later_too(
    tmp_path: Path,
) -> None:
    captures = {
        name: {"instances": [{"captures": [{"file": f"/there/{name}.pcapng"}]}]} for name in ("m1", "m2")
    }
    gone: set[str] = set()

    def pieces(machine: str, file: str) -> Iterator[bytes]:
        assert machine not in gone
        yield f"{machine} {file}".encode()

    network = RunRecord(tmp_path / "run").network({"machines": captures}, {}, 1, None)
    network.add_capture("m2", "/tmp/late.pcapng")
    network.add_capture("m2", "/tmp/late.pcapng")
    network.keep_captures("m2", pieces, elsewhere=True)
    gone.add("m2")
    network.add_capture("m3", "/tmp/other.pcapng")
    network.add_capture("m3", "/var/other.pcapng")  # of the same name
    network.finish({}, Verdict.of([]), pieces, elsewhere={"m1", "m3"})
    assert {path.name: path.read_text() for path in (network.folder / "captures").iterdir()} == {
        "m1-m1.pcapng": "m1 /there/m1.pcapng",
        "m2-m2.pcapng": "m2 /there/m2.pcapng",
        "m2-late.pcapng": "m2 /tmp/late.pcapng",
        "m3-other.pcapng": "m3 /tmp/other.pcapng",
        "m3-other.2.pcapng": "m3 /var/other.pcapng",
    }


def test_a_machine_that_is_lost_costs_samples_and_not_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def take(last: bool) -> dict[str, Any]:
        raise HybridnetError("machine m1 is gone")

    network = RunRecord(tmp_path / "run", series=1).network(PLAN, {}, 1, take)
    network.end_series()
    network.finish({}, Verdict.of([]), nothing)
    assert (network.folder / "verdict.json").exists()


def test_a_record_is_current_in_its_block_and_has_the_results_of_its_script(tmp_path: Path) -> None:
    result("before_the_run", 1)
    assert current() is None
    with recording(RunRecord(tmp_path / "run")) as record:
        assert current() is record
        assert result("goodput_mbps", 93.5) == 93.5
        with pytest.raises(UsageError, match=r"it is 93.5 already; give each result a name of its own"):
            result("goodput_mbps", 94)
    assert current() is None
    record.end(1)
    assert read(tmp_path / "run" / "results.json") == {"goodput_mbps": 93.5}
    take_results()


@pytest.mark.parametrize("wrong", [float("nan"), "93", None, True])
def test_a_result_is_a_number(wrong: Any) -> None:
    with pytest.raises(
        UsageError, match=r"result goodput .* is not a finite number; write one without a unit"
    ):
        result("goodput", wrong)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"series": "10us"}, "write 1 ms or more"),
        ({"series": "soon"}, "record_series"),
        ({"series": "1s", "elements": "some"}, "write 'all', or a list of names"),
        ({"series": "1s", "elements": []}, "write 'all', or a list of names"),
    ],
)
def test_what_makes_no_sense_is_refused_before_an_earlier_run_is_replaced(
    tmp_path: Path, options: dict[str, Any], says: str
) -> None:
    (tmp_path / "manifest.json").write_text("{}")
    (tmp_path / "precious").write_text("yes")
    with pytest.raises(HybridnetError, match=says):
        RunRecord(tmp_path, **options)
    assert (tmp_path / "precious").exists()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"record_series": "10us"}, "write 1 ms or more"),
        ({"out": 3}, "Net: out 3 is not a path"),
    ],
)
def test_a_net_refuses_them_too(options: dict[str, Any], says: str) -> None:
    with pytest.raises(HybridnetError, match=says):
        Net(**options)


def test_a_sampling_refuses_what_there_is_not() -> None:
    with pytest.raises(UsageError, match="series_of 3"):
        Sampling("1s", of=3)  # type: ignore[arg-type]
