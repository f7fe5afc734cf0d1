# SPDX-License-Identifier: MIT
"""A script written for Containernet runs unchanged through `hybridnet run`, without Docker."""

from __future__ import annotations

import re
import sys

import pytest

from tests.image_files import BUSYBOX, busybox_layer, docker_archive
from tests.system.computer import Ended, run_on_a_computer

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(not BUSYBOX.exists(), reason="busybox-static is not installed"),
]

# Its ENTRYPOINT and user make a difference: Containernet leaves out the first, and keeps the second for `dcmd`.
CONFIG = {
    "Entrypoint": ["sh", "-c"],
    "Cmd": ["echo began as $(id -u); sleep 1000"],
    "Env": ["PATH=/bin"],
    "User": "web",
}
SCRIPT = """
import sys, time
from mininet.cli import CLI
from mininet.link import TCLink
from mininet.log import info, setLogLevel
from mininet.net import Containernet
from mininet.node import Controller, Docker

setLogLevel("info")
image, shared = sys.argv[1:]
net = Containernet(controller=Controller)
net.addController("c0")
d1 = net.addDocker("d1", ip="10.0.0.251", dimage=image, dcmd="sh -c 'echo $MODE $(id -u) > /tmp/said; sleep 1000'",
                   environment={"MODE": "loud"}, volumes=[shared + ":/shared:ro"], ports=[80],
                   cpu_period=50000, cpu_quota=10000, tmpfs=["/scratch"])
d2 = net.addHost("d2", ip="10.0.0.252", cls=Docker, dimage=image)
s1, s2 = net.addSwitch("s1"), net.addSwitch("s2")
net.addLink(d1, s1)
net.addLink(s1, s2, cls=TCLink, delay="100ms", bw=1)
net.addLink(s2, d2)
net.start()
info("*** Testing connectivity\\n")
print("lost", net.ping([d1, d2]), net.ping([d1], manualdestip="10.0.0.252"))
print("trip", d1.cmd("ping -c 3 10.0.0.252").splitlines()[-1])
while not (said := d1.cmd("cat /tmp/said 2>/dev/null").strip()):
    time.sleep(0.05)
print("said", said)
print("mode", d1.cmd("echo $MODE").strip())
print("volume", *d1.cmd("cat /shared/file; touch /shared/new").split())
print("own", d1.cmd("touch /scratch/file && echo kept").strip())


def burnt(seconds=3):
    loop = d1.popen(["sh", "-c", "echo; while :; do :; done"])
    loop.stdout.readline()
    (began, before), _, (ended, after) = loop.times(), time.sleep(seconds), loop.times()
    loop.close()
    return (after - before) / (ended - began)


print("share", round(burnt(), 3))
d1.updateCpuLimit(cpu_quota=25000)
print("share", round(burnt(), 3))
d2.start()
while not d2.log():
    time.sleep(0.05)
print("started", d2.log().strip())
d3 = net.addDocker("d3", dimage=image, dcmd="sleep 1000")
net.addLink(d3, s1, params1={"ip": "10.0.0.254/8"})
print("added", net.ping([d1], manualdestip="10.0.0.254"), d3.exit_status())
net.removeLink(node1=d3, node2=s1)
net.removeDocker("d3")
print("removed", net.ping([d1], manualdestip="10.0.0.254", timeout=1), sorted(net.keys()))
CLI(net)
net.stop()
"""


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    folder = tmp_path_factory.mktemp("containernet")
    image = docker_archive(folder / "busybox.tar", [busybox_layer()], CONFIG)
    (folder / "shared").mkdir()
    (folder / "shared/file").write_text("of the computer\n")
    script = folder / "script.py"
    script.write_text(SCRIPT)
    command = [
        sys.executable,
        "-m",
        "hybridnet.cli",
        "run",
        str(script),
        "--",
        str(image),
        f"{folder}/shared",
    ]
    return run_on_a_computer(command)


def said(ended: Ended, word: str) -> list[str]:
    """What lines of the script that begin with a word say behind it."""
    found = [line.partition(" ")[2] for line in ended.out.splitlines() if line.startswith(f"{word} ")]
    assert found, f"{ended.out}\n{ended.err}"
    return found


def test_the_script_ends_well_and_leaves_nothing(ended: Ended) -> None:
    assert ended.status == 0, ended.err
    assert ended.left == {}


def test_a_link_has_its_delay(ended: Ended) -> None:
    assert said(ended, "lost") == ["0.0 0.0"]
    [line] = said(ended, "trip")
    least = float(re.findall(r"= ([\d.]+)/", line)[0])
    # 100 ms each way; 98 octets, with the Ethernet header, take 0.784 ms at 1 Mbit/s, each way.
    assert 201.5 <= least <= 206


def test_dcmd_runs_instead_of_the_entrypoint_as_the_images_user_with_the_environment(ended: Ended) -> None:
    assert said(ended, "said") == ["loud 33"]
    assert said(ended, "mode") == ["loud"]


def test_a_volume_and_a_folder_in_memory_are_there(ended: Ended) -> None:
    assert said(ended, "volume") == ["of the computer touch: /shared/new: Read-only file system"]
    assert said(ended, "own") == ["kept"]


def test_a_quota_limits_the_processor_time_and_may_change(ended: Ended) -> None:
    """10,000 and 25,000 of 50,000 us; at the edges of the time that is looked at lies a period each. Where others
    compute, too, it gets less.
    """
    before, after = (float(each) for each in said(ended, "share"))
    assert 0.1 < before <= 0.23
    assert before < after <= 0.55


def test_the_images_own_command_begins_when_it_is_told(ended: Ended) -> None:
    assert said(ended, "started") == ["began as 33"]


def test_containers_come_and_go_while_the_network_runs(ended: Ended) -> None:
    assert said(ended, "added") == ["0.0 None"]
    assert said(ended, "removed") == ["100.0 ['c0', 'd1', 'd2', 's1', 's2']"]
