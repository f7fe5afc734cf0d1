# SPDX-License-Identifier: MIT
"""`hybridnet run --rootless` by nobody, who has no rights at all, on a computer of its own."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys

import pytest

from tests.system.computer import ROOT, Ended, run_on_a_computer

COMMAND = f"{sys.executable} -P -m hybridnet.cli"
FIRST = re.search(r"```python\n(from hybridnet import.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
# udev gives this device to everybody, and a computer for tests perhaps not.
AS_NOBODY = """set -e
mount -t tmpfs tmpfs /dev/net
mknod /dev/net/tun c 10 200
chmod {mode} /dev/net/tun
mount -t tmpfs tmpfs /mnt
cat > /mnt/mine.py
chown nobody /mnt
cd /mnt
exec setpriv --reuid=nobody --regid=nogroup --clear-groups --inh-caps=-all env HOME=/mnt bash -c {shell}
"""

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(
        subprocess.run(["setpriv", "--reuid=nobody", "test", "-r", __file__], check=False).returncode != 0,
        reason="nobody cannot read the repository",
    ),
]


def by_nobody(shell: str, script: str = "", mode: str = "666") -> Ended:
    """Run a line of bash as nobody, in a folder of nobody's that has the script as mine.py."""
    text = AS_NOBODY.format(mode=mode, shell=shlex.quote(shell))
    return run_on_a_computer(["unshare", "--mount", "bash", "-c", text], input=script, patience_s=10.0)


def network(body: str, after: str = "net.pingAll(timeout=10)") -> str:
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    return (
        f"from hybridnet import Net, Topo\n\n\nclass Mine(Topo):\n    def build(self):\n{lines}\n\n"
        f"with Net(Mine()) as net:\n    {after}\n"
    )


PAIR = 'self.addSwitch("s1")\nfor name in ("h1", "h2"):\n    self.addLink(self.addHost(name), "s1")'


def test_the_first_network_runs_and_leaves_nothing() -> None:
    assert FIRST is not None
    done = by_nobody(f"{COMMAND} run --rootless mine.py", FIRST[1])
    assert done.status == 0, done.err
    assert "0% dropped (2/2 received)" in done.err
    times = [float(found) for found in re.findall(r"time=([\d.]+) ms", done.out)]
    assert len(times) == 3
    assert min(times) >= 20.0, "two ways of 10 ms"
    assert done.left == {}, done.err


def test_what_it_writes_belongs_to_the_user() -> None:
    done = by_nobody(
        f"{COMMAND} run --rootless --out one mine.py; find one -printf '%u %m %f\\n'", network(PAIR)
    )
    assert done.status == 0, done.err
    files = [line.split() for line in done.out.splitlines()]
    assert {user for user, _, _ in files} == {"nobody"}
    assert ["nobody", "644", "verdict.json"] in files


def test_many_switches_use_packet_sockets() -> None:
    """Where root has AF_XDP ports from eight bridges on."""
    body = (
        'for number in range(8):\n    self.addLink(self.addHost(f"h{number}"), self.addSwitch(f"s{number}"))'
    )
    look = "print(net['h1'].cmd('id -u'), net.plan.machines['m1']['port_type'])"
    done = by_nobody(f"{COMMAND} run --rootless mine.py", network(body, look))
    assert done.status == 0, done.err
    assert done.out.split()[-2:] == ["0", "afpacket"]


def test_a_script_for_mininet_runs_too() -> None:
    script = (
        "from mininet.net import Mininet\nfrom mininet.topo import SingleSwitchTopo\n"
        "net = Mininet(SingleSwitchTopo(2))\nnet.start()\nprint('lost', net.pingAll(timeout=10))\nnet.stop()\n"
    )
    done = by_nobody(f"{COMMAND} run --rootless mine.py", script)
    assert (done.status, done.left) == (0, {}), done.err
    assert "lost 0.0" in done.out


def test_the_page_is_on_the_computers_network() -> None:
    script = network(PAIR, "print('up', flush=True); input()")
    command = (
        f"coproc {COMMAND} run --rootless --live mine.py 2>&1; "
        "while read -r line <&${COPROC[0]}; do echo $line; case $line in *http:*) link=$line;; up) break;; esac; done; "
        "link=http:${link##*http:}; curl --silent --output page --write-out 'answer %{http_code}' $link; "
        "echo >&${COPROC[1]}; wait $COPROC_PID"
    )
    done = by_nobody(command, script)
    assert re.search(r"answer (200|30\d)", done.out), done.out + done.err
    assert done.left == {}


def test_its_user_captures_at_simulated_interfaces() -> None:
    body = f'{PAIR}\nself.addLink(self.addSimHost("v1"), "s1", delay="1ms")'
    script = network(body, "print('up', flush=True); input()")
    command = (
        f"coproc {COMMAND} run --rootless mine.py 2>&1; "
        "while read -r line <&${COPROC[0]}; do case $line in up) break;; esac; done; "
        f"{COMMAND} extcap --extcap-interfaces; mkfifo pipe; "
        f"at=$({COMMAND} extcap --extcap-interfaces | sed -n 's/.*value=\\(.*:v1-eth0\\)}}{{.*/\\1/p'); "
        f"{COMMAND} extcap --capture --extcap-interface $at --fifo pipe & "
        "timeout 20 head -c 24 pipe | wc -c; wait $!; echo ended with $?; "
        "echo >&${COPROC[1]}; wait $COPROC_PID"
    )
    done = by_nobody(command, script)
    assert "{display=hybridnet: v1-eth0 of v1, simulated}" in done.out
    assert "24\nended with 0\n" in done.out, done.out + done.err
    assert done.left == {}


@pytest.mark.parametrize("number", ["TERM", "KILL"])
def test_whoever_ends_the_command_ends_all(number: str) -> None:
    script = network(PAIR, "print('up', flush=True); net['h1'].cmd('sleep 100')")
    command = (
        f"coproc {COMMAND} run --rootless mine.py; process=$COPROC_PID; "
        "while read -r line <&${COPROC[0]} && [ $line != up ]; do :; done; "
        f"kill -{number} $process; wait $process"
    )
    done = by_nobody(command, script)
    assert done.status == {"TERM": 143, "KILL": 137}[number], done.err
    assert done.left == {}


@pytest.mark.parametrize(
    ("options", "script", "code", "words"),
    [
        ("mine.py", network(PAIR + '\nself.addLink(self.addNAT("nat0"), "s1")'), 3, "host nat0: a way out"),
        ("mine.py", network('self.addLink(self.addHost("h1", cpu=0.2), self.addSwitch("s1"))'), 3, "host h1: con"),
        ("mine.py", network('self.addSwitch("s1", devices=["eth7"])'), 1, "device eth7 does not exist"),
        ("--topo minimal --controller remote", "", 1, "c0: nothing answers"),
        ("--topo minimal --ssh me@there", "", 2, "does not reach machines elsewhere"),
        ("--topo minimal --port-type afxdp", "", 2, "--port-type afxdp needs the computer's root"),
        ("--topo minimal --time simulated", "", 2, "--time simulated needs no root"),
    ],
)  # fmt: skip
def test_what_needs_more_is_refused_by_its_name(options: str, script: str, code: int, words: str) -> None:
    done = by_nobody(f"{COMMAND} run --rootless {options}", script)
    assert done.status == code, done.out + done.err
    last = done.err.splitlines()[-1]
    assert words in last
    assert "rootless" in last or "leave" in last, "what to do instead"
    assert done.left == {}


def test_where_tap_devices_are_roots_switches_can_be_simulated() -> None:
    done = by_nobody(f"{COMMAND} run --rootless mine.py", network(PAIR), mode="600")
    assert done.status == 3
    assert "switch s1: Open vSwitch in user space makes its devices by /dev/net/tun" in done.err
    assert "--switches simulated" in done.err.splitlines()[-1]
    done = by_nobody(f"{COMMAND} run --rootless --switches simulated mine.py", network(PAIR), mode="600")
    assert done.status == 0, done.err
    assert "0% dropped (2/2 received)" in done.err


def test_where_users_have_no_namespaces_it_says_what_opens_them() -> None:
    closed = "echo 0 > /proc/sys/user/max_user_namespaces; "
    done = run_on_a_computer(
        [
            "unshare",
            "--user",
            "--map-root-user",
            "bash",
            "-c",
            f"{closed}exec {COMMAND} run --rootless mine.py",
        ]
    )
    assert done.status == 3
    assert "user.max_user_namespaces is 0; as root: sysctl -w user.max_user_namespaces=10000" in done.err
