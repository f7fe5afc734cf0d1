# SPDX-License-Identifier: MIT
"""Small manners of Mininet's methods, which scripts and test suites count on: the expected values are what Mininet 2.3
of Debian 12 gives for the same lines.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.system.computer import Ended, run_on_a_computer


def run_script(tmp_path: Path, text: str) -> Ended:
    script = tmp_path / "script.py"
    script.write_text(text)
    return run_on_a_computer([sys.executable, "-m", "hybridnet.cli", "run", str(script)])


def told(ended: Ended) -> dict[str, str]:
    return dict(line.split(" ", 1) for line in ended.out.splitlines() if " " in line)


OF_A_HOST = """
from functools import partial
from mininet.net import Mininet
from mininet.node import Controller, Host, OVSBridge
from mininet.topo import SingleSwitchTopo

class Quiet(Controller):
    def start(self):
        pass

host = partial(Host, privateDirs=[("/opt/q", "configs/%(name)s/")])
net = Mininet(SingleSwitchTopo(1), host=host, switch=OVSBridge, controller=None)
net.start()
h1 = net["h1"]
print("private", h1.cmd("cat /opt/q/f").strip())
print("redirected", repr(h1.cmd(["echo", "hello", ">", "f"]) + h1.cmd("cat f").strip()))
print("piped", h1.cmd(["echo", "a b c", "|", "wc", "-w"]).strip())
print("reckoned", h1.cmd(["echo", "$((1+1))"]).strip())
h1.sendCmd(["echo", "$((2+2))"])
print("sent", h1.waitOutput().strip())
c0 = net.addController("c0", controller=Quiet)
c0.sendCmd(["echo", "$((2+3))"])
print("controller", c0.waitOutput().strip(), c0.cmd(["echo", "a b c", "|", "wc", "-w"]).strip())
h1.setARP("192.168.254", "0:16:3e:e9:4b:11")
h1.setHostRoute("192.168.254", "h1-eth0")
for act in (
    lambda: h1.setARP("10.0.0.9", "nonsense"),
    lambda: h1.setARP("10.0.0.9", None),
    lambda: h1.setHostRoute("10.9.9.9", "nosuch-eth0"),
):
    act()
print("neighbour", h1.cmd("ip neigh show nud permanent").split()[:5])
print("route", h1.cmd("ip route show 192.168.0.254").strip())
net.stop()
"""


def test_commands_addresses_and_folders_of_a_host_are_read_as_by_mininet(tmp_path: Path) -> None:
    (tmp_path / "configs" / "h1").mkdir(parents=True)
    (tmp_path / "configs" / "h1" / "f").write_text("conf h1\n")
    (tmp_path / "script.py").write_text(OF_A_HOST)
    command = f"cd {tmp_path} && exec {sys.executable} -m hybridnet.cli run script.py"
    ended = run_on_a_computer(["sh", "-c", command])
    assert ended.status == 0, ended.err
    assert told(ended) == {
        "private": "conf h1",
        "redirected": "'hello'",
        "piped": "3",
        "reckoned": "2",
        "sent": "4",
        "controller": "5 3",
        "neighbour": "['192.168.0.254', 'dev', 'h1-eth0', 'lladdr', '00:16:3e:e9:4b:11']",
        "route": "192.168.0.254 dev h1-eth0 scope link",
    }
    for refused in ("10.0.0.9 at nonsense", "10.0.0.9 at None", "its route to 10.9.9.9"):
        assert refused in ended.err


OF_A_SWITCH = """
import socket
from mininet.net import Mininet
from mininet.node import OVSSwitch
from mininet.link import TCLink

net = Mininet(switch=OVSSwitch, build=False, link=TCLink)
c1 = net.addController("c1", port=7777)
net.addLink(net.addHost("h1"), net.addSwitch("s1"), bw=10)
net.addLink(net.addHost("h2"), "s1")
net.build(); net.start(); net.waitConnected(timeout=9)
s1 = net["s1"]
print("ports", s1.dpctl("dump-ports").count("duration="))
s1.dpctl("add-flow", "in_port=1,actions=mod_vlan_vid:5,enqueue:2:1")
print("flow", "mod_vlan_vid:5,enqueue:" in s1.dpctl("dump-flows"), "idle_age=" in s1.dpctl("dump-flows"))
net.delController(c1)
print("controllers", net.controllers, socket.socket().connect_ex(("127.0.0.1", 7777)))
print("refused", repr(s1.cmd("tc qdisc change dev s1-eth1 parent 5:1 handle 10: netem delay ''").strip()))
s1.cmd("tc qdisc add dev s1-eth1 parent 5:1 handle 10: netem loss .5%")
print("answered", s1.cmd("tc qdisc show dev s1-eth1").split()[-1])
print("named", [line.split()[-1] for line in s1.dpctl("dump-desc").splitlines() if "DP Desc" in line])
net.stop()
"""


def test_dpctl_controllers_and_tc_of_a_switch_do_what_they_do_in_mininet(tmp_path: Path) -> None:
    ended = run_script(tmp_path, OF_A_SWITCH)
    assert ended.status == 0, ended.err
    assert told(ended) == {
        "ports": "0",  # OpenFlow 1.0 has no durations
        "flow": "True False",
        "controllers": "[] 111",  # ECONNREFUSED
        "refused": "'What is \"delay\"? A simulated link has delay, loss, limit and rate.'",
        "answered": "0.5%",
        "named": "['s1']",  # bridgeOpts of Mininet's OVSSwitch: other-config:dp-desc
    }


OWN_CLASSES = """
from collections import Counter
from mininet.cli import CLI
from mininet.link import TCIntf, TCLink
from mininet.net import Mininet
from mininet.node import Host, OVSSwitch
from mininet.topo import SingleSwitchTopo

called = Counter()

class Filled(Host):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, privateDirs=[("/srv", "/run/private/%(name)s")], **kwargs)
    @classmethod
    def setup(cls):
        called["setup"] += 1
        super().setup()
    def startShell(self, *args, **kwargs):
        called["startShell"] += 1
        super().startShell(*args, **kwargs)
    def mountPrivateDirs(self):
        for mount, private in self.privateDirs:
            private %= self.__dict__
            self.cmd(f"mkdir -p {private}; echo hello > {private}/file; mount --bind {private} {mount}")
    def unmountPrivateDirs(self):
        called["unmountPrivateDirs"] += 1
        super().unmountPrivateDirs()
    def setParam(self, results, method, **param):
        called["setParam " + method] += 1
        return super().setParam(results, method, **param)
    def setIP(self, *args, **kwargs):
        called["setIP"] += 1
        return super().setIP(*args, **kwargs)
    def cleanup(self):
        called["cleanup"] += 1
        super().cleanup()

class Aged(OVSSwitch):
    def bridgeOpts(self):
        return super().bridgeOpts() + " other-config:mac-aging-time=15"
    def intfOpts(self, intf):
        return super().intfOpts(intf) + " external_ids:mark=here"

class Up(TCIntf):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.isUp(setUp=True)
        self.cmd("echo", self, ">> /run/made")

class UpLink(TCLink):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **{**kwargs, "cls1": Up, "cls2": Up})

class Prompt(CLI):
    def run(self):
        print("prompt", self.mn is net)

net = Mininet(SingleSwitchTopo(1), host=Filled, switch=Aged, link=UpLink, controller=None)
net.start()
h1, s1 = net.get("h1", "s1")
print("filled", h1.cmd("cat /srv/file").strip(), h1.cmd("findmnt -n /srv | wc -l").strip())
print("aging", s1.cmd("ovs-vsctl get bridge s1 other_config:mac-aging-time").strip())
print("mark", s1.cmd("ovs-vsctl get interface s1-eth1 external_ids:mark").strip())
print("made", sorted(open("/run/made").read().split()))
net.addLink(net.addHost("h2"), s1)
print("later", sorted(open("/run/made").read().split())[1:], net["h2"].defaultIntf().isUp())
Prompt(net)
net.stop()
print("called", sorted(called.items()))
"""


def test_what_mininet_calls_of_a_script_s_own_classes_is_called(tmp_path: Path) -> None:
    ended = run_script(tmp_path, OWN_CLASSES)
    assert ended.status == 0, ended.err
    # A host that is added later is configured before it has a link: it has no interface to configure then.
    once = ["setIP", "setParam setDefaultRoute", "setParam setIP", "setParam setMAC", "setup"]
    expected = dict.fromkeys(once, 1) | dict.fromkeys(["cleanup", "startShell", "unmountPrivateDirs"], 2)
    assert told(ended) == {
        "filled": "hello 1",
        "aging": '"15"',
        "mark": "here",
        "made": "['h1-eth0', 's1-eth1']",
        "later": "['h2-eth0', 's1-eth1', 's1-eth2'] True",
        "prompt": "True",
        "called": str(sorted(expected.items())),
    }


ENDED_BY_SIGNALS = """
from mininet.net import Mininet
from mininet.topo import SingleSwitchTopo
net = Mininet(SingleSwitchTopo(1), controller=None)
net.start()
h1 = net["h1"]
for name in ("KILL", "TERM", "SEGV", "INT", "PIPE", "HUP"):
    print(name, repr(h1.cmd(f"sh -c 'kill -{name} $$'").strip()), h1.cmd("echo $?").strip())
net.stop()
"""


def test_the_shell_says_in_a_word_which_signal_has_ended_a_program(tmp_path: Path) -> None:
    ended = run_script(tmp_path, ENDED_BY_SIGNALS)
    assert ended.status == 0, ended.err
    assert told(ended) == {
        "KILL": "'Killed' 137",
        "TERM": "'Terminated' 143",
        "SEGV": "'Segmentation fault' 139",
        "INT": "'' 130",
        "PIPE": "'' 141",
        "HUP": "'Hangup' 129",
    }


STOPPED_SWITCH = """
from mininet.net import Mininet
from mininet.node import OVSSwitch
from mininet.topo import LinearTopo

net = Mininet(LinearTopo(2), switch=OVSSwitch)
net.start()
net.waitConnected(timeout=20)
s1, s2 = net.switches
s1.cmd("ovs-ofctl add-flow s1 cookie=0x77,priority=9,actions=drop")
s1.stop(deleteIntfs=False)
print("stopped", s1.connected(), s2.connected())
print("bridges", s2.cmd("ovs-vsctl list-br").split())
print("without", net.pingAll(timeout="1"))
s1.stop()
s1.start(net.controllers)
print("ports", s1.cmd("ovs-vsctl list-ports s1").split())
print("again", net.waitConnected(timeout=20), s1.cmd("ovs-ofctl dump-flows s1").count("0x77"))
for host in net.hosts:  # who asks for an address meanwhile waits for an answer that nobody will give
    host.cmd("ip neigh flush all")
print("lost", net.pingAll(timeout="5"))
net.stop()
"""


def test_a_switch_that_stops_is_gone_with_its_controllers_and_its_flows_until_it_starts(
    tmp_path: Path,
) -> None:
    ended = run_script(tmp_path, STOPPED_SWITCH)
    assert ended.status == 0, ended.err
    found = told(ended)
    assert {name: found[name] for name in ("stopped", "bridges", "without", "ports", "again", "lost")} == {
        "stopped": "False True",
        "bridges": "['s2']",  # OVSSwitch.stop of Mininet's: ovs-vsctl del-br
        "without": "100.0",
        "ports": "['s1-eth1', 's1-eth2']",
        "again": "True 0",
        "lost": "0.0",
    }


PROGRAMS_THAT_END = """
import subprocess
from mininet.net import Mininet
from mininet.topo import SingleSwitchTopo
net = Mininet(SingleSwitchTopo(1), controller=None)
net.start()
h1 = net["h1"]
done = h1.popen("true")
done.communicate()
done.kill()
print("ended", done.returncode)
slow = h1.popen(["sh", "-c", "echo a; exec sleep 60"])
try:
    slow.communicate(timeout=1)
except subprocess.TimeoutExpired:
    slow.kill()
    print("kept", slow.communicate()[0], slow.returncode)
net.stop()
"""


def test_a_program_that_has_ended_may_be_killed_and_one_in_time_trouble_keeps_its_output(
    tmp_path: Path,
) -> None:
    ended = run_script(tmp_path, PROGRAMS_THAT_END)
    assert ended.status == 0, ended.err
    assert told(ended) == {"ended": "0", "kept": "b'a\\n' -9"}


PROGRAMS_WITH_STREAMS = """
import io, os, select, tempfile
from subprocess import DEVNULL, PIPE, STDOUT
from mininet.net import Mininet
from mininet.topo import SingleSwitchTopo
net = Mininet(SingleSwitchTopo(2), controller=None)
net.start()
h1, h2 = net["h1"], net["h2"]
words = tempfile.TemporaryFile()
words.write(b"two words\\n")
words.seek(0)
print("file", h1.popen("wc -w", stdin=words).communicate()[0])
said = h1.popen("echo hello")
print("pipeline", h2.popen("wc -c", stdin=said.stdout).communicate()[0])
counted = h2.popen(["tr", "a-z", "A-Z"], stdin=h1.popen("seq -f item%g 20000", shell=True).stdout)
upper = counted.communicate()[0].split()
print("long", len(upper), upper[-1])
slow = h1.popen("echo one; sleep 1; echo two", shell=True)
print("selected", [bool(select.select([slow.stdout], [], [], 20)[0]) and slow.stdout.readline() for _ in range(2)])
polled = select.poll()
quiet = h1.popen("sleep 1; echo now", shell=True, stderr=STDOUT)
polled.register(quiet.stdout.fileno(), select.POLLIN)
print("polled", polled.poll(1), bool(polled.poll(20000)), quiet.stdout.read())
with tempfile.NamedTemporaryFile() as sink:
    print("sink", h1.popen("echo out; echo err >&2", shell=True, stdout=sink.fileno(), stderr=sink).wait(),
        sorted(open(sink.name, "rb").read().split()))
asked = h1.popen("cat", stdin=PIPE, universal_newlines=True)
asked.stdin.writelines(["a\\n", "b\\n"])
asked.stdin.flush()
print("asked", asked.stdout.readline() + asked.stdout.readline() == "a\\nb\\n", asked.communicate("c\\n")[0] == "c\\n")
with h1.popen("sleep 1; exit 9", shell=True) as program:
    pass
print("with", program.returncode)
whole = b"x" * (1 << 20)
print("both", h1.popen("cat", stdin=PIPE).communicate(whole)[0] == whole)
print("early", h1.popen("true", stdin=PIPE).communicate(whole)[0])
print("times", {len(h1.popen("seq 5000").communicate()[0]) for _ in range(20)})
net.stop()
"""


@pytest.mark.parametrize("where", [[], ["--machines", "1"]])
def test_streams_of_programs_are_files_as_with_subprocess(tmp_path: Path, where: list[str]) -> None:
    script = tmp_path / "script.py"
    script.write_text(PROGRAMS_WITH_STREAMS)
    ended = run_on_a_computer([sys.executable, "-m", "hybridnet.cli", "run", *where, str(script)])
    assert ended.status == 0, ended.err
    assert told(ended) == {
        "file": "b'2\\n'",
        "pipeline": "b'6\\n'",
        "long": "20000 b'ITEM20000'",
        "selected": "[b'one\\n', b'two\\n']",
        "polled": "[] True b'now\\n'",
        "sink": "0 [b'err', b'out']",
        "asked": "True True",
        "with": "9",
        "both": "True",
        "early": "b''",
        "times": f"{{{sum(len(str(number)) + 1 for number in range(1, 5001))}}}",
    }


CONFIGURED_AGAIN = """
from mininet.net import Mininet
from mininet.node import OVSBridge
from mininet.link import TCLink
net = Mininet(switch=OVSBridge, controller=None, link=TCLink)
h1, h2 = net.addHost("h1"), net.addHost("h2")
intf = net.addLink(h1, h2, bw=100, delay="20ms", max_queue_size=77).intf1
net.start()
def tell(word):
    shown = h1.cmd("tc qdisc show dev h1-eth0; tc class show dev h1-eth0")
    netem = [line.split("limit ")[1].strip() for line in shown.splitlines() if "netem" in line]
    print(word, netem, [line.split("rate ")[1].split()[0] for line in shown.splitlines() if "class" in line])
tell("made")
intf.config(jitter="1ms")
tell("jitter")
intf.config(bw=5)
tell("rate")
intf.config(delay="5ms")
tell("delay")
intf.config(bw=3, loss=1, max_queue_size=9)
tell("several")
net.stop()
"""


def test_an_interface_that_is_configured_again_has_only_what_it_is_given_now(tmp_path: Path) -> None:
    """Mininet's TCIntf.config removes the qdiscs that are there before it adds what it is given; jitter alone is
    nothing to it. 1000 is the limit of a netem that is given none.
    """
    ended = run_script(tmp_path, CONFIGURED_AGAIN)
    assert ended.status == 0, ended.err
    found = {name: text for name, text in told(ended).items() if name != "***"}
    assert found == {
        "made": "['77 delay 20ms'] ['100Mbit']",
        "jitter": "['77 delay 20ms'] ['100Mbit']",
        "rate": "[] ['5Mbit']",
        "delay": "['1000 delay 5ms'] []",
        "several": "['9 loss 1%'] ['3Mbit']",
    }
