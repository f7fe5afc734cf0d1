# SPDX-License-Identifier: MIT
"""Hosts whose root is an image: what runs there, what it sees, and that nothing of it stays."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridnet import Net, Topo
from hybridnet.errors import MachineError
from tests.image_files import BUSYBOX, busybox_layer, docker_archive, layer, oci_folder
from tests.system.computer import Ended, run_on_a_computer

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(not BUSYBOX.exists(), reason="busybox-static is not installed"),
]

CONFIG = {
    "Entrypoint": ["sh", "-c"],
    "Cmd": ['echo "$MODE as $(id -u):$(id -g) in $(pwd)"; trap "echo ended; exit 3" QUIT; sleep 1000 & wait'],
    "Env": ["PATH=/bin", "MODE=quiet"],
    "WorkingDir": "/srv/site",
    "User": "web",
    "StopSignal": "SIGQUIT",
}
MOST_HOSTS = 100
MOST_SECONDS = 10.0


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return docker_archive(tmp_path_factory.mktemp("images") / "busybox.tar", [busybox_layer()], CONFIG)


@pytest.fixture(scope="module")
def net(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Net]:
    shared = tmp_path_factory.mktemp("shared")
    (shared / "file").write_text("of the computer")
    bare = oci_folder(shared / "bare", [layer(("file", b"alone"))], {})
    topo = Topo()
    topo.addSwitch("s1", failMode="standalone")
    topo.addHost("web", image=str(archive), environment={"MODE": "loud"}, privateDirs=["/var/lib/own"])
    topo.addHost(
        "other",
        image=str(archive),
        run=False,
        volumes=[f"{shared}:/shared:ro", f"{shared}/file:/etc/one", "/:/computer:ro"],
    )
    topo.addHost("bare", image=f"oci:{bare}")
    topo.addHost("plain")
    for name in ("web", "other", "bare", "plain"):
        topo.addLink(name, "s1")
    with Net(topo, controller=None) as made:
        yield made


def until_logged(net: Net, words: str) -> str:
    deadline = time.monotonic() + 10
    while words not in (said := str(net["web"].log())):
        assert time.monotonic() < deadline, said
    return said


def test_the_command_has_the_images_user_folder_and_environment(net: Net) -> None:
    assert until_logged(net, "\n") == "loud as 33:34 in /srv/site\n"
    assert net["web"].exit_status() is None


def test_the_shell_is_in_the_image_and_has_none_of_the_computers_files(net: Net) -> None:
    web = net["web"]
    assert web.cmd("ls /").split() == ["bin", "dev", "etc", "proc", "root", "srv", "sys", "tmp", "var"]
    assert web.cmd("echo $PATH $HOSTNAME; pwd; cat /etc/hostname") == "/bin web\n/srv/site\nweb\n"
    assert web.cmd("ls /sys/class/net").split() == ["lo", "web-eth0"]
    mounts = [line.split()[1] for line in web.cmd("cat /proc/mounts").splitlines()]
    assert not [each for each in mounts if each.startswith(("/run", "/home", "/usr"))]
    assert "other" in web.cmd("cat /etc/hosts")
    assert web.cmd("sleep 100 & echo $!; kill $!").strip().isdigit()


def test_programs_beside_the_shell_are_the_images(net: Net) -> None:
    web = net["web"]
    assert web.pexec("sh", "-c", "echo $MODE; pwd; exit 4") == ("loud\n/srv/site\n", "", 4)
    assert web.popen("echo $X | cat", shell=True, env={"X": "a b"}).communicate()[0] == "a b\n"
    assert web.popen(["pwd"], cwd="/tmp").communicate()[0] == "/tmp\n"
    assert web.pexec("no-such-program")[2] == 127


def test_an_image_without_any_program_has_a_shell(net: Net) -> None:
    assert net["bare"].cmd("read line < /file; echo $line; echo /*") == "alone\n/dev /etc /file /proc /sys\n"


def test_hosts_with_and_without_an_image_reach_each_other(net: Net) -> None:
    assert net.pingAll() == 0.0
    assert " 0% packet loss" in net["web"].cmd("ping -c 1 -W 5 plain")
    net["other"].setIP("10.0.0.77/8")
    assert " 0% packet loss" in net["plain"].cmd("ping -c 1 -W 5 10.0.0.77")


def test_what_a_host_writes_is_its_own(net: Net, archive: Path) -> None:
    net["web"].cmd("echo changed > /root/file; touch /var/lib/own/file /new")
    assert net["other"].cmd("ls /root") == ""
    assert "new" not in net["other"].cmd("ls /")


def test_volumes_show_folders_and_files_of_the_machine(net: Net) -> None:
    other = net["other"]
    assert other.cmd("cat /shared/file /etc/one") == "of the computer" * 2
    assert "Read-only file system" in other.cmd("echo x > /shared/file")
    assert {"proc", "etc"} <= set(other.cmd("ls /computer").split())


def test_a_command_ends_by_the_images_signal_and_begins_again(net: Net) -> None:
    web = net["web"]
    until_logged(net, "\n")
    assert web.end() == 3
    assert until_logged(net, "ended").endswith("ended\n")
    web.restart()
    until_logged(net, "ended\nloud")
    web.signal(signal.SIGKILL)
    assert web.exit_status(timeout=10) == -signal.SIGKILL
    assert net["other"].exit_status() is None  # never started


def test_a_command_that_is_not_to_begin_with_the_network_begins_when_it_is_told(net: Net) -> None:
    other = net["other"]
    other.restart()
    assert other.exit_status() is None
    other.signal(signal.SIGKILL)
    assert other.exit_status(timeout=10) == -signal.SIGKILL


def test_an_image_that_is_not_there_is_an_error_and_leaves_nothing(tmp_path: Path) -> None:
    topo = Topo()
    topo.addHost("h1", image=f"{tmp_path}/none.tar")
    with pytest.raises(MachineError, match=r"image archive:.*there is no file .*none\.tar"):
        Net(topo, controller=None).start()


def test_a_hundred_hosts_of_one_image_come_up_in_ten_seconds(archive: Path) -> None:
    topo = Topo()
    topo.addSwitch("s1", failMode="standalone")
    for number in range(MOST_HOSTS):
        topo.addLink(topo.addHost(f"h{number}", image=str(archive)), "s1")
    began = time.monotonic()
    with Net(topo, controller=None) as net:
        took = time.monotonic() - began
        assert net["h99"].cmd("cat /etc/hostname") == "h99\n"
    assert took < MOST_SECONDS


SCRIPT = """
import os, signal, sys
from hybridnet import Net, Topo
from hybridnet.system.journal import Journal

records, killed_at = 0, int(sys.argv[2])
record = Journal.record

def counted(journal, kind, **fields):
    global records
    records += 1
    if records == killed_at:
        os.kill(os.getpid(), signal.SIGKILL)
    record(journal, kind, **fields)

Journal.record = counted
topo = Topo()
topo.addSwitch("s1", failMode="standalone")
for name in ("h1", "h2"):
    topo.addLink(topo.addHost(name, image=sys.argv[1], cpu=0.5), "s1")
net = Net(topo, controller=None, cluster="here")
net.start()
net["h1"].cmd("sleep 1000 &")
net["h1"].popen(["sleep", "1001"])
print("made", records, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
OF_THE_HEAD = 3  # records of the run itself; the guardian comes next
INSTANTS = 10


def killed(archive: Path, at_record: int, tmp_path: Path) -> Ended:
    """A run with two hosts of an image that was killed before it wrote down this thing, 0: once it was whole."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    command = [sys.executable, str(script), str(archive), str(at_record)]
    return run_on_a_computer(command, patience_s=20.0)


@pytest.fixture(scope="module")
def whole(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Ended:
    return killed(archive, 0, tmp_path_factory.mktemp("whole"))


def nothing_is_left(done: Ended) -> bool:
    """Of processes, mounts, namespaces, devices, files and control groups."""
    mounts = Path("/proc/self/mountinfo").read_text().splitlines()
    return done.left == {} and not [each for each in mounts if " overlay " in each and "hybridnet" in each]


def test_nothing_is_left_after_kill_9(whole: Ended) -> None:
    assert "made" in whole.out, whole.err
    assert nothing_is_left(whole), (whole.left, whole.err)


@pytest.mark.thorough
@pytest.mark.parametrize("tenth", range(1, INSTANTS + 1))
def test_nothing_is_left_after_kill_9_while_it_is_made(
    tenth: int, whole: Ended, archive: Path, tmp_path: Path
) -> None:
    """At ten instants between the first thing that the run makes and the last."""
    things = int(whole.out.split("made")[1]) - OF_THE_HEAD
    assert things >= INSTANTS
    done = killed(archive, OF_THE_HEAD + things * tenth // INSTANTS, tmp_path)
    assert "made" not in done.out
    assert nothing_is_left(done), (done.left, done.err)
