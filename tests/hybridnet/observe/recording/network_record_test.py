# SPDX-License-Identifier: MIT
"""What is kept of a network lets nobody into it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hybridnet import Topo
from hybridnet.observe.recording.network_record import without_secrets
from hybridnet.plan.network import MachineSpec, PlanOptions, make_plan

RUN_KEY, TOKEN = "5e" * 32, "8f" * 8


def test_a_kept_plan_has_neither_token_nor_keys() -> None:
    topo = Topo()
    for machine in ("m1", "m2"):
        topo.addSimHost(f"h-{machine}", machine=machine)
    topo.addLink("h-m1", "h-m2", delay="5ms")
    topo.addLink(topo.addGuest("laptop"), topo.addSwitch("s1", machine="m1"), delay="5ms")
    machines = [MachineSpec("m1", "192.0.2.1", computer="a"), MachineSpec("m2", "192.0.2.2", computer="b")]
    plan = make_plan(topo, machines, PlanOptions(token=TOKEN, peering_key=RUN_KEY))
    secrets = {TOKEN, RUN_KEY, plan.guests["laptop"]["key"]}
    whole, kept = json.dumps(plan.to_json()), json.dumps(without_secrets(plan.to_json()))
    assert {secret for secret in secrets if secret in whole} == secrets
    assert {secret for secret in secrets if secret in kept} == set()


ON_A_FULL_DISK = """
import resource, signal, sys
from array import array
from pathlib import Path
from hybridnet.observe.recording.network_record import NetworkRecord
from hybridnet.observe.results.verdict import Verdict, Word

keys = [("link", "l", str(number)) for number in range(1000)]
values = array("d", [0.1 * number for number in range(100_000)])
blocks = [(keys, array("d", range(100)).tobytes(), values.tobytes())] if sys.argv[2] == "series" else []
take = lambda last: {"m1": {"lost": 0, "failed": None, "blocks": blocks}}
record = NetworkRecord(Path(sys.argv[1]), {"machines": {}}, {}, 1, take)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
record.end_series()
try:
    record.finish({"m1": {"name": "x" * 100_000}}, Verdict(Word.TRUSTED, []), None)
except OSError as error:
    print("error:", error.strerror, error.filename)
print(*sorted(path.name for path in Path(sys.argv[1]).iterdir()))
"""


@pytest.mark.parametrize("what", ["series", "counters"])
def test_a_full_disk_costs_what_has_no_room_and_names_it_and_the_verdict_is_there(
    tmp_path: Path, what: str
) -> None:
    """Where no file can have more than 20 kB."""
    folder = tmp_path / "network-1"
    done = subprocess.run(
        [sys.executable, "-c", ON_A_FULL_DISK, str(folder), what],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert f"error: File too large {folder}/counters.json" in done.stdout, done.stderr
    assert json.loads((folder / "verdict.json").read_text())["word"] == "trusted"
    assert not (folder / "counters.json.tmp").exists()
    lost = f"a part of the series is missing: [Errno 27] File too large: '{folder}/series.parquet'"
    assert (lost in done.stderr) == (what == "series")
