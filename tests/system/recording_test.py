# SPDX-License-Identifier: MIT
"""A network that is recorded: what is in its run directory, and that it can be repeated."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

from hybridnet.observe.series.table import read_series
from hybridnet.observe.series.writer import PARTS
from tests.omnetpp_files import read_results

pytestmark = [pytest.mark.system, pytest.mark.thorough]

SECONDS, MEGABITS = 3, 20
SCRIPT = f"""
import json
import os

from hybridnet import Net, Topo, result, value

class Two(Topo):
    def build(self):
        for host in ("h1", "h2"):
            self.addHost(host, machine="m1")
        self.addSimRouter("r1", machine="m1")
        self.addSimRouter("r2", machine="m2")
        self.addSimHost("s1", machine="m2", applications=[{{"kind": "tcp_discard", "port": 9}}])
        self.addSimHost("s2", machine="m1", applications=[{{"kind": "tcp_bulk", "destination": "s1", "port": 9}}])
        self.addLink("h1", "r1")
        self.addLink("h2", "r1", bw=value("bw", {MEGABITS}), delay="5ms", max_queue_size=100, watch_queue=True)
        self.addLink("s2", "r1", bw=2)
        self.addLink("r1", "r2", delay="5ms")
        self.addLink("s1", "r2")

with Net(Two(), controller=None) as net:
    h1, h2 = net.get("h1", "h2")
    h2.cmd("iperf3 -s -D -1")
    file = f"{{os.getcwd()}}/out.json"
    client = f"iperf3 -J -t {{value('seconds', {SECONDS})}} -C cubic -c {{h2.IP()}}"
    h1.cmd(f"until {{client}} > {{file}}; do sleep 0.1; done")
    said = json.load(open(file))
    result("goodput_mbps", said["end"]["sum_received"]["bits_per_second"] / 1e6)
"""


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "hybridnet.cli", *words]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded")
    (folder / "two.py").write_text(SCRIPT)
    subprocess.run(
        command("run", "--series", "100ms", "--out", "one", "two.py"), cwd=folder, check=True, timeout=120
    )
    return folder / "one"


def read(path: Path) -> Any:
    return json.loads(path.read_text())


def test_hosts_interfaces_carry_what_the_flow_did(run: Path) -> None:
    series = read_series(run / "network-1")
    _, received = series.of("interfaces", "h2-eth0", "rx_bytes")
    carried = received[-1] - received[0]
    payload = read(run / "results.json")["goodput_mbps"] * 1e6 / 8 * SECONDS
    assert payload < carried < 1.2 * payload


def test_connections_of_linux_and_simulated_ones_have_a_window_and_a_round_trip(run: Path) -> None:
    series = read_series(run / "network-1")
    windows = {element: values for element, _, values in series.each("connections", "cwnd_bytes")}
    of_linux = [element for element in windows if element.startswith("h1:")]
    simulated = [element for element in windows if element.startswith("s2:")]
    assert of_linux
    assert len(simulated) == 1
    assert max(windows[simulated[0]]) > 1448
    busiest = max(
        of_linux, key=lambda element: series.of("connections", element, "acknowledged_bytes")[1][-1]
    )
    assert series.of("connections", busiest, "srtt_ns")[1][-1] > 5e6  # the link's delay
    assert series.of("connections", busiest, "in_flight_bytes")[1].max() > 0


def test_links_between_machines_portals_instances_and_processors_are_sampled(run: Path) -> None:
    series = read_series(run / "network-1")
    kinds = {(kind, element) for kind, element, _ in series.figures()}
    assert {("machines", "m1"), ("machines", "m2"), ("instances", "m1"), ("instances", "m2")} <= kinds
    assert any(kind == "links" and element.startswith("r1-r2:") for kind, element in kinds)
    assert not any(kind == "links" and element.startswith("h2-r1:") for kind, element in kinds)
    assert {element for kind, element in kinds if kind == "peers"} == {"m1>m2", "m2>m1"}
    assert sum(kind == "portals" for kind, _ in kinds) == 2
    times, _ = series.of("machines", "m1", "processor_busy")
    assert len(times) > SECONDS / 0.1 / 2


def test_the_directory_has_what_repeats_the_run_and_no_token(run: Path) -> None:
    manifest = read(run / "manifest.json")
    assert (manifest["verb"], manifest["arguments"]) == ("run", ["--series", "100ms", "files/two.py"])
    assert (run / "files" / "two.py").read_text() == SCRIPT
    assert set(read(run / "network-1" / "plan.json")["machines"]) == {"m1", "m2"}
    assert not any("token" in path.read_text() for path in run.rglob("*.json"))
    assert read(run / "network-1" / "verdict.json")["word"] in ("trusted", "saturated", "broken")


def test_opp_scavetool_reads_the_counters_the_series_and_the_histograms(run: Path) -> None:
    stem = run / "network-1" / "omnetpp" / "seed-1"
    scalars = read_results(stem.with_suffix(".sca"))
    counters = read(run / "network-1" / "counters.json")
    [sink] = [row for row in counters["m2"]["applications"] if row["name"] == "s1:tcp_discard:9"]
    assert scalars.scalars["s1:tcp_discard:9", "received_bytes"] == sink["received_bytes"] > 0
    for machine in ("m1", "m2"):
        late = scalars.statistics[counters[machine]["name"], "lateness_ns"]
        assert late.fields["count"] == sum(count for _, count in counters[machine]["lateness"]["buckets"])
    both_ways = [
        each
        for (element, name), each in scalars.statistics.items()
        if element.startswith("h2-r1:") and name == "queue_sojourn_ns"
    ]
    waited = max(both_ways, key=lambda each: each.fields["count"])
    # 100 frames at 20 Mbit/s wait for at most 61 ms, and iperf3's flow fills the queue.
    assert 5e6 < max(edge for edge, _ in waited.bins) < 63e6
    vectors = read_results(stem.with_suffix(".vec")).vectors
    series = read_series(run / "network-1")
    assert set(vectors) == {(element, name) for _, element, name in series.figures()}
    times, values = series.of("interfaces", "h2-eth0", "rx_bytes")
    received = vectors["h2-eth0", "rx_bytes"]
    assert received.times == pytest.approx(list(times), abs=1e-9)
    assert received.values == list(values)


def test_histograms_of_queues_are_in_the_pictures_and_on_the_page(run: Path) -> None:
    said = subprocess.run(
        command("plot", str(run)), check=True, stdout=subprocess.PIPE, text=True, timeout=120
    ).stdout
    assert {"throughput", "rtt", "cwnd", "lateness", "processors", "cdf", "queue-wait", "queue-found"} <= {
        Path(line).stem for line in said.split()
    }
    said = subprocess.run(
        command("plot", str(run), "--web"), check=True, stdout=subprocess.PIPE, text=True, timeout=120
    ).stdout
    assert "How long packets waited" in Path(said.strip()).read_text()


def test_the_run_is_repeated_and_agrees(run: Path) -> None:
    words = ["rerun", str(run), "--within", "15%", "--json"]
    done = subprocess.run(command(*words), stdout=subprocess.PIPE, text=True, timeout=120, check=False)
    said = json.loads(done.stdout)
    assert said["disagreeing"] == []
    assert done.returncode == 0
    assert {"result goodput_mbps", "h1-eth0 tx Mbit/s", "h2-eth0 rx Mbit/s"} <= set(said["judged"])


def test_of_a_run_that_was_killed_what_was_sampled_is_there(run: Path, tmp_path: Path) -> None:
    words = [
        "run",
        "--series",
        "100ms",
        "--set",
        "seconds=60",
        "--out",
        "killed",
        str(run / "files" / "two.py"),
    ]
    with tempfile.TemporaryDirectory(prefix="hn") as state:  # so that what its head leaves is known
        environment = {**os.environ, "HYBRIDNET_STATE_DIR": state}
        process = subprocess.Popen(command(*words), cwd=tmp_path, env=environment, start_new_session=True)
        parts = tmp_path / "killed" / "network-1" / PARTS
        deadline = time.monotonic() + 60
        while not list(parts.glob("*.parquet")):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        process.send_signal(signal.SIGKILL)
        process.wait()
        subprocess.run(command("clean"), env=environment, check=True, capture_output=True)
    series = read_series(tmp_path / "killed" / "network-1")
    times, _ = series.of("machines", "m1", "processor_busy")
    assert times[-1] > 3.0
    assert read(tmp_path / "killed" / "manifest.json")["verb"] == "run"


NAMED = """
from pathlib import Path

from hybridnet import Net, Ryu, Topo, result
from hybridnet.plan.files import read_topology

HERE = Path(__file__).parent
flags = ["--user-flags", str(HERE / "flags.py"), "--speed", "3"]
with Net(read_topology("two.yaml"), controller=Ryu("c0", HERE.parent / "apps" / "app.py", arguments=flags)) as net:
    net.timeline(HERE / "down.yaml", lead=0.1).wait()
    result("lost_percent", net.pingAll(timeout=1))
"""
BESIDE = {
    "scripts/flags.py": "from ryu import cfg\ncfg.CONF.register_cli_opts([cfg.IntOpt('speed', default=1)])\n",
    "scripts/down.yaml": "- {at: 0.1, link: [h1, s1], status: down}\n",
    "apps/app.py": "from rules import Base\n\n\nclass App(Base):\n    pass\n",
    "apps/rules.py": "from ryu.app.simple_switch_13 import SimpleSwitch13 as Base\n",
    "two.yaml": "hosts: {h1:, h2:}\nswitches: {s1:}\nlinks:\n- {between: [h1, s1]}\n- {between: [h2, s1]}\n",
}


@pytest.mark.slow
def test_a_run_is_repeated_when_the_files_that_its_script_names_are_gone(tmp_path: Path) -> None:
    for name, text in {**BESIDE, "scripts/named.py": NAMED}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    words = ["run", "--out", str(tmp_path / "runs" / "one"), "scripts/named.py"]
    subprocess.run(command(*words), cwd=tmp_path, check=True, timeout=120)
    assert read(tmp_path / "runs" / "one" / "results.json")["lost_percent"] == 100
    assert set(read(tmp_path / "runs" / "one" / "manifest.json")["files"]) == {
        *("named.py", "flags.py", "down.yaml", "app.py", "rules.py", "two.yaml"),
    }
    for name in (*BESIDE, "scripts/named.py"):
        (tmp_path / name).unlink()
    subprocess.run(command("rerun", str(tmp_path / "runs" / "one")), check=True, timeout=120)
    subprocess.run(command("rerun", str(tmp_path / "runs" / "one-again")), check=True, timeout=120)
