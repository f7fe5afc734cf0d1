# SPDX-License-Identifier: MIT
"""Scripts written for MaxiNet run unchanged on two machines of this computer, and leave nothing behind."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.system, pytest.mark.thorough]

# In Python 2, as MaxiNet's scripts are.
EVERYTHING = """
import subprocess, time
from MaxiNet.Frontend import maxinet
from MaxiNet.tools import FatTree, Tools
from mininet.node import OVSSwitch

topo = FatTree(4, 10, 0.1)
mapping = dict([("h%d" % n, (n - 1) / 2) for n in range(1, 5)])
mapping.update({"s1": 0, "s2": 0, "s3": 1, "s4": 1, "s5": 0, "s6": 1, "s7": 1})
cluster = maxinet.Cluster(minWorkers=2, maxWorkers=2)
exp = maxinet.Experiment(cluster, topo, switch=OVSSwitch, nodemapping=mapping)
exp.setup()

print "workers", cluster.num_workers(), [w.run_cmd("hostname") for w in cluster.workers()]
print "nodes", len(exp.hosts), len(exp.switches), exp.get_worker("h3").hn(), exp.get_worker(exp.get("s5")).hn()
exp.monitor()
h1 = exp.get_node("h1")
print "ping", h1.cmd("ping -c 3 -i 0.2 -q", exp.get("h4").IP()).splitlines()[-1]

exp.configLinkStatus("s5", "s7", "down")
print "down", "0 received" in h1.cmd("ping -c 1 -W 1 10.0.0.4")
exp.configLinkStatus("s5", "s7", "up")
print "up", "0 received" not in h1.cmd("ping -c 3 -W 5 10.0.0.4")

w3 = exp.get_worker("h3")
w3.run_cmd("head -c 300000 /dev/urandom >FOLDER/made")
w3.get_file("FOLDER/made", "FOLDER/got/")
w3.put_file("FOLDER/got/made", "FOLDER/put")
w3.sync_get_file("FOLDER/put", "FOLDER/synced")
sums = [w3.run_cmd("md5sum <FOLDER/%s" % name) for name in ("made", "put")]
sums += [subprocess.check_output("md5sum <FOLDER/%s" % name, shell=True).strip() for name in ("got/made", "synced")]
print "files", len(set(sums))
try:
    w3.run_cmd("echo no; false")
except subprocess.CalledProcessError, error:
    print "failed", error.returncode, error.output.strip()

for switch in exp.switches:
    exp.get_worker(switch).run_cmd("ovs-vsctl -- set Bridge %s protocols=OpenFlow10,OpenFlow13" % switch.name)
print "flows", "actions=" in exp.get("s1").dpctl("-O OpenFlow13 dump-flows")
print "logs", exp.get_log_folder()
exp.CLI(locals(), globals())
exp.stop()
"""

PROMPT = """hosts
workers
switches
pingall h1
ip h2
py print("seen", exp.get("h2").IP())
m2 hostname
h3 hostname
exit
"""

GROWING = """
import subprocess
from MaxiNet.Frontend import maxinet
from MaxiNet.tools import Tools
from mininet.node import OVSSwitch
from mininet.topo import Topo

topo = Topo()
topo.addSwitch("s1", dpid=Tools.makeDPID(1))
topo.addHost("h1", ip=Tools.makeIP(1), mac=Tools.makeMAC(1))
topo.addLink("h1", "s1")
cluster = maxinet.Cluster(minWorkers=2, maxWorkers=2)
exp = maxinet.Experiment(cluster, topo, switch=OVSSwitch)
exp.setup()
[wid] = [exp.hostname_to_workerid[w.hn()] for w in cluster.workers()
         if w.run_cmd("hostname") == subprocess.check_output("hostname").strip()]
print "frontend", wid

exp.addSwitch("s2", dpid=Tools.makeDPID(2), wid=1)
exp.addHost("h3", ip=Tools.makeIP(3), pos="s2")
exp.addHost("root", inNamespace=False, wid=wid)
between = exp.addLink("s1", "s2", autoconf=True)
exp.addLink("h3", "s2", autoconf=True)
exp.addLink("s1", "root", autoconf=True)
exp.get("root").setIP("10.0.0.4", 8)
exp.net.waitConnected(timeout=20)
h3 = exp.get("h3")
print "workers", [exp.get_worker(name).machine for name in ("s1", "s2", "h3", "root")]
print "hosts", len(exp.hosts), len(exp.switches)
print "across", "0 received" not in h3.cmd("ping -c 3 -W 5 10.0.0.1")
print "root", "0 received" not in exp.get("root").cmd("ping -c 3 -W 5 10.0.0.3")
exp.configLinkStatus("s1", "s2", "down")
print "down", "0 received" in h3.cmd("ping -c 1 -W 1 10.0.0.1")
exp.configLinkStatus("s1", "s2", "up")
exp.delLink(between)
print "removed", "0 received" in h3.cmd("ping -c 1 -W 1 10.0.0.1")
exp.delHost("h3")
print "gone", exp.get("h3"), len(exp.hosts)
exp.stop()
"""

IN_PARTS = """
from MaxiNet.Frontend import maxinet
from MaxiNet.Frontend.partitioner import Partitioner
from MaxiNet.tools import FatTree

cluster = maxinet.Cluster(maxWorkers=2)
partitioner = Partitioner()
partitioner.loadtopo(FatTree(2, 10, 1))
parts = partitioner.partition_using_map({"s1": 1, "s2": 0, "s3": 0})
for controller in (None, "192.0.2.1:6653"):
    exp = maxinet.Experiment(cluster, parts, controller=controller, is_partitioned=True)
    exp.setup()
    print("placed", *(worker.hn() for worker in map(exp.get_worker, ("h1", "s1", "h2", "s2", "s3"))))
    # Several: Open vSwitch may lose the first packets of ports that it has just got.
    print(f"ping-{controller}", int(", 0 received" not in exp.get("h1").cmd("ping -c 5 -i 0.2 -W 1 10.0.0.2")))
    exp.stop()
"""


def run_script(tmp_path: Path, text: str, stdin: str = "") -> tuple[dict[str, str], str]:
    """What the script prints, by the first word of each line; and what hybridnet says."""
    script = tmp_path / "script.py"
    script.write_text(text.replace("FOLDER", str(tmp_path)))
    state = tmp_path / "state"
    command = [sys.executable, "-m", "hybridnet.cli", "run", str(script)]
    done = subprocess.run(
        command,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "HYBRIDNET_STATE_DIR": str(state)},
    )
    assert done.returncode == 0, done.stderr
    assert not state.exists()  # the run has removed all that it made
    lines = (line.partition(" ") for line in done.stdout.splitlines())
    return {first: rest for first, _, rest in lines}, done.stderr


def test_a_script_of_python_2_does_what_maxinets_examples_do(tmp_path: Path) -> None:
    (tmp_path / "got").mkdir()
    told, said = run_script(tmp_path, EVERYTHING, PROMPT)
    assert "is Python 2: translated into Python 3" in said
    assert "*** Spreading 11 nodes: 5 on m1, 6 on m2; 1 cut link, which got a delay of 200 us (s5-s7)" in said
    first = socket.gethostname()  # the first worker has this computer's name
    assert told["workers"] == f"2 ['{first}', 'm2']"
    assert told["nodes"] == f"4 7 m2 {first}"
    least_ms = float(told["ping"].split("= ")[1].split("/")[0])
    assert least_ms >= 1.4  # five links of 0.1 ms and one of 0.2 ms, there and back
    assert (told["down"], told["up"], told["flows"]) == ("True", "True", "True")
    assert told["files"] == "1"
    assert told["failed"] == "1 no"
    assert told["seen"] == "10.0.0.2"  # by `py` at the prompt
    assert "h1 h2 h3 h4\n" in said
    assert f"{first}[0] m2[1]\n" in said
    assert "s1[0] s2[0] s3[1] s4[1] s5[0] s6[1] s7[1]\n" in said
    assert "h1 -> h2\nh1 -> h3\nh1 -> h4\n*** Results: 0.00% dropped\n10.0.0.2\nm2\n" in said
    logs = Path(told["logs"])
    files = sorted(path.name for path in logs.iterdir())
    workers = ((0, first), (1, "m2"))
    assert files == [
        f"maxinet_{kind}_{wid}_({name}).log" for kind in ("cpu", "intf_eth0", "mem") for wid, name in workers
    ]
    rows = [line.split(",") for line in (logs / files[2]).read_text().splitlines()]
    assert all(len(row) == 5 for row in rows)
    assert sum(int(row[2]) for row in rows) > 0  # what crosses the cut link leaves through eth0
    for path in logs.iterdir():
        path.unlink()
    logs.rmdir()


@pytest.mark.slow
def test_nodes_and_links_come_and_go_on_both_workers_while_it_runs(tmp_path: Path) -> None:
    told, said = run_script(tmp_path, GROWING)
    assert told["frontend"] == "0"
    assert told["workers"] == "['m1', 'm2', 'm2', 'm1']"
    assert told["hosts"] == "3 2"
    assert "link s1-s2: it is a cut link, and gets a delay of 200 us" in said
    assert {told[name] for name in ("across", "root", "down", "removed")} == {"True"}
    assert told["gone"] == "None 2"


def test_two_experiments_in_given_parts_run_one_after_the_other(tmp_path: Path) -> None:
    told, said = run_script(tmp_path, IN_PARTS)
    assert told["placed"] == "m2 m2 {0} {0} {0}".format(socket.gethostname())
    assert (told["ping-None"], told["ping-192.0.2.1:6653"]) == (
        "1",
        "0",
    )  # nobody answers the second one's switches
    assert "Unable to contact the remote controller at 192.0.2.1:6653" in said
