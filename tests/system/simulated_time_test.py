# SPDX-License-Identifier: MIT
"""Whole runs in simulated time, in a kernel of their own: what reaches them, what they measure, and how they end.

No test here waits for anything by the clock of this computer, but for the end of a process.
"""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from hybridnet.errors import EnvironmentLackError
from hybridnet.kernel.build import VARIABLE, find_kernel
from hybridnet.kernel.process import MEMORY_MIB
from tests.system.computer import run_on_a_computer

pytestmark = pytest.mark.system

try:
    KERNEL = find_kernel()
except EnvironmentLackError as error:
    pytest.skip(str(error), allow_module_level=True)

HYBRIDNET = (sys.executable, "-m", "hybridnet.cli")
ROOT = Path(__file__).parents[2]
LAUNCHER = """
import sys
from pathlib import Path
from hybridnet.kernel.process import Command, run_in_kernel
kept = {Path(word): Path(word) for word in sys.argv[2].split(":") if word}
try:
    sys.exit(run_in_kernel(Path(sys.argv[1]), Command(sys.argv[3:], kept), lambda line: print(line, file=sys.stderr)))
except KeyboardInterrupt:
    sys.exit(130)
"""
AS_NOBODY = ("setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups", "--inh-caps=-all")
BURNER = (sys.executable, "-c", "while True: pass")

DELAY_MS, RATE_BPS, PING_BYTES = 5, 100_000_000, 98
"""Of the link below; a ping's frame has 56 octets of data and 42 of headers."""
NETWORK = f"""
from hybridnet import Net, Topo, setLogLevel
class Two(Topo):
    def build(self):
        h1, h2, s1 = self.addHost("h1"), self.addHost("h2"), self.addSwitch("s1")
        self.addLink(h1, s1)
        self.addLink(h2, s1, bw=100, delay="{DELAY_MS}ms")
with Net(Two()) as net:
    net["h1"].cmd("ping -c 1", net["h2"].IP())
    print(net["h1"].cmd("ping -c 5 -i 0.2", net["h2"].IP()))
    net["h2"].cmd("iperf3 -s -D -1")
    print(net["h1"].cmd("iperf3 -n 2M -c", net["h2"].IP()))
"""


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), VARIABLE: str(KERNEL), **more}


def in_kernel(
    *words: str, cwd: Path, input: str = "", kept: str = "", env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command by itself in a kernel."""
    return subprocess.run(
        [sys.executable, "-c", LAUNCHER, str(KERNEL), kept, *words],
        cwd=cwd,
        input=input,
        env=environment(**(env or {})),
        capture_output=True,
        text=True,
        check=False,
    )


def started(script: str, cwd: Path) -> subprocess.Popen[str]:
    """Start a script of the shell by itself in a kernel, with pipes to it."""
    return subprocess.Popen(
        [sys.executable, "-c", LAUNCHER, str(KERNEL), "", "sh", "-c", script],
        cwd=cwd,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def hybridnet(
    *words: str, cwd: Path, input: str = "", prefix: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """Run a command of hybridnet."""
    return subprocess.run(
        [*prefix, *HYBRIDNET, *words],
        cwd=cwd,
        input=input,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )


def kernels_in(folder: Path) -> set[int]:
    """The processes of this computer that are kernels which began in this folder."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if (entry / "exe").readlink() == KERNEL.resolve() and (entry / "cwd").readlink() == folder:
                found.add(int(entry.name))
        except OSError:  # it has ended, or belongs to the system
            continue
    return found


def children(pid: int) -> list[int]:
    return list(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))


@contextmanager
def burning(count: int) -> Iterator[None]:
    burners = [subprocess.Popen(BURNER) for _ in range(count)]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


def test_streams_arguments_environment_and_exit_code_reach_the_command(tmp_path: Path) -> None:
    script = 'read -r line; echo "$1 $COLOUR $line $(pwd)"; echo beside >&2; exit 7'
    ended = in_kernel("sh", "-c", script, "x", "a b", cwd=tmp_path, input="typed\n", env={"COLOUR": "red"})
    assert (ended.returncode, ended.stdout, ended.stderr) == (7, f"a b red typed {tmp_path}\n", "beside\n")


def test_what_is_written_at_once_is_whole(tmp_path: Path) -> None:
    """Who writes without a buffer does not look how much was taken."""
    ended = in_kernel(sys.executable, "-uc", "print('x' * 1_000_000)", cwd=tmp_path)
    assert (ended.returncode, len(ended.stdout)) == (0, 1_000_001)


def test_time_passes_without_this_computers(tmp_path: Path) -> None:
    """A day takes no day, and a computation no time."""
    program = (
        "import time; begin = time.monotonic(); time.sleep(86400); slept = time.monotonic() - begin;"
        "begin = time.monotonic(); sum(range(3_000_000)); print(slept // 1, time.monotonic() - begin < 0.001)"
    )
    ended = in_kernel(sys.executable, "-c", program, cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (0, "86400.0 True\n"), ended.stderr


def test_what_is_written_in_the_working_directory_and_in_a_kept_one_reaches_the_computer(
    tmp_path: Path,
) -> None:
    here, kept, other = tmp_path / "here", tmp_path / "kept", tmp_path / "other"
    for folder in (here, kept, other):
        folder.mkdir()
    script = f"mkdir made; echo 1 > made/file; echo 2 > {kept}/file; echo 3 > {other}/file; cat {other}/file"
    ended = in_kernel("sh", "-c", script, cwd=here, kept=str(kept))
    assert (ended.returncode, ended.stdout) == (0, "3\n"), ended.stderr
    assert (here / "made" / "file").read_text() == "1\n"
    assert (kept / "file").read_text() == "2\n"
    assert list(other.iterdir()) == []
    assert "made/file: written in simulated time, and brought here" in ended.stderr


def test_what_cannot_reach_the_computer_is_named(tmp_path: Path) -> None:
    """The kernel brings 256 MiB at most, and no file where there is a folder of that name outside."""
    script = "truncate -s 300M large; rmdir here; echo 1 > here; echo 2 > small"
    (tmp_path / "here").mkdir()
    ended = in_kernel("sh", "-c", script, cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (0, "")
    assert "Warning: large: written in simulated time, and lost: it has 314572800 bytes" in ended.stderr
    assert "Warning: here: written in simulated time, and lost: Is a directory" in ended.stderr
    assert (tmp_path / "small").read_text() == "2\n"


def test_a_kernel_that_was_built_elsewhere_is_kept_for_the_user_who_brings_it() -> None:
    with tempfile.TemporaryDirectory() as name:  # nobody may not enter pytest's
        Path(name).chmod(0o777)
        ended = subprocess.run(
            [*AS_NOBODY, *HYBRIDNET, "setup-kernel", "--binary", str(KERNEL)],
            env={**environment(), "XDG_DATA_HOME": name},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
        kept = Path(ended.stdout.strip())
        assert kept.is_relative_to(name)
        assert kept.read_bytes() == KERNEL.read_bytes()


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    ended = in_kernel("no-such-program", cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (127, "")
    assert "no-such-program: No such file or directory" in ended.stderr


def test_a_signal_that_ends_the_command_is_its_exit_code(tmp_path: Path) -> None:
    assert in_kernel("sh", "-c", "kill -TERM $$", cwd=tmp_path).returncode == 128 + signal.SIGTERM


def test_interrupting_ends_a_command_that_waits_for_input_and_leaves_no_process(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", LAUNCHER, str(KERNEL), "", "sh", "-c", "echo ready; cat"],
        cwd=tmp_path,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 128 + signal.SIGINT
    assert not kernels_in(tmp_path)


def test_a_kernel_that_somebody_stops_is_named_and_goes_on_as_if_nothing_had_been(tmp_path: Path) -> None:
    """Time stands still meanwhile."""
    program = "echo ready; read -r line; sleep 100; date +%s.%N"
    alone = in_kernel("sh", "-c", program, cwd=tmp_path, input="go\n")
    with started(program, cwd=tmp_path) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        first = process.stdout.readline()
        [kernel] = children(process.pid)
        os.kill(kernel, signal.SIGSTOP)
        assert process.stderr.readline() == (
            f"Warning: somebody has stopped the kernel in simulated time (process {kernel}), and simulated time with "
            f"it; to let it go on: kill -CONT {kernel}\n"
        )
        os.kill(kernel, signal.SIGCONT)
        assert process.stderr.readline() == f"the kernel in simulated time (process {kernel}) goes on\n"
        rest, said = process.communicate("go\n", timeout=20)
    assert (process.returncode, first + rest, said) == (0, alone.stdout, "")


@pytest.mark.parametrize("number", [0, 1])
def test_when_a_process_in_which_a_program_runs_is_killed_nothing_is_left(
    tmp_path: Path, number: int
) -> None:
    """Of the first process, without which the kernel ends; or of the command, for which it is SIGSEGV."""
    with started("echo ready; read -r line; exit 3", cwd=tmp_path) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        [kernel] = children(process.pid)
        os.kill(children(kernel)[number], signal.SIGKILL)
        _, said = process.communicate("go on\n", timeout=20)
    if number == 0:
        assert process.returncode != 0
        assert "Attempted to kill init!" in said
    else:
        assert (process.returncode, said) == (128 + signal.SIGSEGV, "")
    assert not kernels_in(tmp_path)


@pytest.mark.thorough
def test_what_finds_no_room_is_refused_and_room_that_is_freed_is_there_again(tmp_path: Path) -> None:
    """What is written outside the kept directories is in the kernel's memory."""
    kept = tmp_path / "kept"
    kept.mkdir()
    script = (
        f"head -c {MEMORY_MIB}M /dev/zero > /var/tmp/full || echo full; echo kept > {kept}/file; "
        "rm /var/tmp/full; echo more > more"
    )
    ended = in_kernel("sh", "-c", script, cwd=tmp_path, kept=str(kept))
    assert (ended.returncode, ended.stdout) == (0, "full\n"), ended.stderr
    assert "No space left on device" in ended.stderr
    assert (kept / "file").read_text() == "kept\n"
    assert (tmp_path / "more").read_text() == "more\n"


INSTANTS = 20


@pytest.mark.slow
def test_whenever_a_run_is_interrupted_it_ends_at_once_and_nothing_is_left(
    tmp_path: Path,
) -> None:
    """At instants spread evenly over nine tenths of the time that a run takes. The last ones are for a verdict, too."""
    (tmp_path / "network.py").write_text(NETWORK)
    began = time.monotonic()
    assert hybridnet("run", "--time", "simulated", "network.py", cwd=tmp_path).returncode == 0
    takes_s = time.monotonic() - began
    for number in range(INSTANTS):
        temporary = tmp_path / f"temporary-{number}"
        temporary.mkdir()
        with subprocess.Popen(
            [*HYBRIDNET, "run", "--time", "simulated", "network.py"],
            cwd=tmp_path,
            env=environment(TMPDIR=str(temporary)),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=0.9 * takes_s * number / INSTANTS)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=20)
        # One that came to its end meanwhile has said so. Python that only begins ends with a code of its own.
        assert process.returncode != 0 or "*** Verdict: trusted: every limit held" in said
        assert "panic" not in said
        assert not kernels_in(tmp_path)
        assert [*temporary.iterdir(), *tmp_path.glob("runs")] == []


@pytest.mark.parametrize("program", ["sleep 1; cat", "while :; do :; done"])
@pytest.mark.parametrize("killed", ["the launcher", "the kernel"])
def test_whatever_is_killed_nothing_is_left(tmp_path: Path, killed: str, program: str) -> None:
    """The second program makes no system call by which it could notice that its kernel is gone."""
    with started(f"echo ready; {program}", cwd=tmp_path) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "ready\n"
        [kernel] = children(process.pid)
        watched = [os.pidfd_open(kernel)]
        for pid in children(kernel):  # its programs; one that has just ended is gone
            with suppress(ProcessLookupError):
                watched.append(os.pidfd_open(pid))
        os.kill(process.pid if killed == "the launcher" else kernel, signal.SIGKILL)
        status = process.wait(timeout=20)
        for descriptor in watched:
            assert select.select([descriptor], [], [], 20)[0]
            os.close(descriptor)
        if killed == "the kernel":
            assert status != 0
            assert "the kernel in simulated time has ended by itself" in process.stderr.read()
    assert not kernels_in(tmp_path)


@pytest.mark.thorough
def test_a_program_that_stops_time_is_named_with_its_host(tmp_path: Path) -> None:
    (tmp_path / "spin.py").write_text(
        "from hybridnet import Net, Topo\n"
        'topo = Topo(); topo.addHost("h1")\n'
        "with Net(topo, controller=None) as net:\n"
        '    net["h1"].cmd("while :; do :; done")\n'
    )
    ended = hybridnet("run", "--time", "simulated", "spin.py", cwd=tmp_path)
    assert ended.returncode == 1
    assert "h1: " in ended.stderr
    assert "has computed for 20 s without a system call, at " in ended.stderr
    assert not kernels_in(tmp_path)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """A run of `NETWORK`."""
    folder = tmp_path_factory.mktemp("run")
    (folder / "network.py").write_text(NETWORK)
    return hybridnet("run", "--time", "simulated", "network.py", cwd=folder)


def test_a_run_is_trusted_and_the_verdict_says_in_what_time(alone: subprocess.CompletedProcess[str]) -> None:
    assert alone.returncode == 0, alone.stderr
    assert "*** Verdict: trusted: every limit held; in simulated time: " in alone.stderr


def test_round_trips_are_what_delay_and_rate_say(alone: subprocess.CompletedProcess[str]) -> None:
    """What Linux does with a packet takes simulated time only where it reads a clock: a microsecond or so."""
    expected_ms = 2 * (DELAY_MS + PING_BYTES * 8 / RATE_BPS * 1e3)
    least, mean, most = (
        float(word) for word in alone.stdout.split("rtt min/avg/max/mdev = ")[1].split("/")[:3]
    )
    assert expected_ms <= least <= mean <= most <= expected_ms + 0.005


@pytest.mark.alone  # other tests would compile modules meanwhile, which is another state of the files
def test_a_run_has_equal_bytes_beside_busy_programs(tmp_path: Path) -> None:
    (tmp_path / "network.py").write_text(NETWORK)
    alone = hybridnet("run", "--time", "simulated", "network.py", cwd=tmp_path)
    with burning(4):
        beside = hybridnet("run", "--time", "simulated", "network.py", cwd=tmp_path)
    assert (beside.returncode, beside.stdout, beside.stderr) == (alone.returncode, alone.stdout, alone.stderr)


@pytest.mark.thorough
def test_nobody_may_run_it() -> None:
    with tempfile.TemporaryDirectory() as name:  # nobody may not enter pytest's
        folder = Path(name)
        folder.chmod(0o777)
        (folder / "network.py").write_text(NETWORK)
        ended = hybridnet("run", "--time", "simulated", "network.py", cwd=folder, prefix=AS_NOBODY)
    assert ended.returncode == 0, ended.stderr
    assert "*** Verdict: trusted: every limit held; in simulated time: " in ended.stderr


def test_a_script_that_asks_for_simulated_time_runs_in_it(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(NETWORK.replace("Net(Two()", 'Net(Two(), time="simulated"'))
    ended = subprocess.run(
        [sys.executable, "script.py"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert "5 packets transmitted, 5 received" in ended.stdout


@pytest.mark.alone
def test_a_run_that_is_repeated_agrees_and_one_with_another_delay_is_not_identical(tmp_path: Path) -> None:
    (tmp_path / "network.py").write_text(NETWORK)
    (tmp_path / "slower.py").write_text(NETWORK.replace(f'delay="{DELAY_MS}ms"', f'delay="{DELAY_MS + 1}ms"'))
    words = ("run", "--time", "simulated", "--series", "100ms", "--out")
    for out, script in (("one", "network.py"), ("two", "network.py"), ("other", "slower.py")):
        ended = hybridnet(*words, out, script, cwd=tmp_path)
        assert ended.returncode == 0, ended.stderr
    machines = json.loads((tmp_path / "one" / "network-1" / "machines.json").read_text())
    assert all(facts["memory_available_bytes"] == facts["memory_bytes"] for facts in machines.values())
    assert "identical, byte for byte" in hybridnet("compare", "one", "two", cwd=tmp_path).stdout
    assert "not identical" in hybridnet("compare", "one", "other", cwd=tmp_path).stdout
    again = hybridnet("rerun", "one", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert "identical, byte for byte" in again.stdout


def test_mininets_commands_run_in_simulated_time(tmp_path: Path) -> None:
    script = "h1 ping -c 1 h2\npingall\n"
    ended = hybridnet("mn", "--time", "simulated", "--topo", "linear,3", cwd=tmp_path, input=script)
    assert ended.returncode == 0, ended.stderr
    assert "1 packets transmitted, 1 received, 0% packet loss" in ended.stdout
    assert "Results: 0% dropped (6/6 received)" in ended.stderr + ended.stdout


MININET = {
    "a Linux router between two subnets": """
from mininet.net import Mininet
net = Mininet(controller=None)
router = net.addHost("r", ip="10.1.0.1/16")
for number in (1, 2):
    host = net.addHost(f"h{number}", ip=f"10.{number}.0.2/16", defaultRoute=f"via 10.{number}.0.1")
    net.addLink(host, router, params2={"ip": f"10.{number}.0.1/16"})
net.start()
router.cmd("sysctl net.ipv4.ip_forward=1")
print(net["h1"].cmd("ping -c 3 -i 0.2 10.2.0.2"))
net.pingAll()
net.stop()
""",
    "a controller, links with rates, and a link that goes down and up": """
from mininet.link import TCLink
from mininet.log import setLogLevel
from mininet.net import Mininet
from mininet.topo import LinearTopo
setLogLevel("info")
net = Mininet(LinearTopo(3), link=TCLink, autoSetMacs=True)
net.addLink(net.addHost("h4"), net["s1"], bw=10, delay="5ms")
net.start()
net.pingAll()
net.configLinkStatus("s1", "s2", "down")
net.ping([net["h1"], net["h4"]])
net.configLinkStatus("s1", "s2", "up")
net.pingAll()
net.stop()
""",
}


def pings(text: str) -> list[str]:
    """How many of each series were answered."""
    return re.findall(r"\d+% dropped \(\d+/\d+ received\)|\d+ packets transmitted, \d+ received", text)


@pytest.mark.thorough
@pytest.mark.alone  # other tests would compile modules meanwhile
@pytest.mark.parametrize("kind", MININET)
def test_a_script_for_mininet_has_the_pings_of_real_time_and_twice_the_same_bytes(
    tmp_path: Path, kind: str
) -> None:
    (tmp_path / "script.py").write_text(MININET[kind])
    real = run_on_a_computer([*HYBRIDNET, "run", str(tmp_path / "script.py")])
    once, again = (hybridnet("run", "--time", "simulated", "script.py", cwd=tmp_path) for _ in range(2))
    assert once.returncode == 0, once.stderr
    assert (once.stdout, once.stderr) == (again.stdout, again.stderr)
    received = pings(once.stdout + once.stderr)
    assert received == pings(real.out + real.err)
    assert len(received) >= 2
    for count in received:
        sent, answered = map(int, re.findall(r"\d+", count)[-2:])
        assert sent == answered


TWO_MACHINES = f"""
from hybridnet import Net
from hybridnet.topologies import TwoTrees
with Net(TwoTrees(depth=2, bw=100, delay="{DELAY_MS}ms")) as net:
    assert net.pingAll(timeout=10) == 0
    print(net["h1"].cmd("ping -c 5 -i 0.2", net["h8"].IP()))
"""


@pytest.mark.thorough
def test_instances_of_two_machines_are_peers_without_any_error_of_their_clocks(tmp_path: Path) -> None:
    (tmp_path / "network.py").write_text(TWO_MACHINES)
    ended = hybridnet("run", "--time", "simulated", "network.py", cwd=tmp_path)
    assert "*** Verdict: trusted: every limit held; in simulated time: " in ended.stderr
    expected_ms = 2 * (DELAY_MS + PING_BYTES * 8 / RATE_BPS * 1e3)
    least, _, most = (float(word) for word in ended.stdout.split("rtt min/avg/max/mdev = ")[1].split("/")[:3])
    assert expected_ms <= least <= most <= expected_ms + 0.005


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_what_is_offered_at_the_papers_rates_is_carried_whole_and_trusted(tmp_path: Path) -> None:
    ended = hybridnet("reproduce", "fig11", "--quick", "--time", "simulated", "--out", "out", cwd=tmp_path)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    steps = json.loads((tmp_path / "out" / "steps.json").read_text())
    assert [step["verdict"]["word"] for step in steps] == ["trusted", "trusted"]
    for step in steps:
        for kind, rate_bps in (("tcp", 1e9), ("udp", 100e6)):
            assert step[f"{kind}_bps"] == pytest.approx(step["flows"] * rate_bps, rel=0.01)


@pytest.mark.slow
def test_a_program_that_starts_ever_more_programs_is_refused_one(tmp_path: Path) -> None:
    program = (
        "import os, signal, sys\n"
        "for count in range(100_000):\n"
        "    try:\n"
        "        if os.fork() == 0:\n"
        "            signal.pause()\n"
        "    except BlockingIOError as error:\n"
        "        sys.exit(f'{1000 < count < 4096} {error.strerror}')\n"
    )
    ended = in_kernel(sys.executable, "-c", program, cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (1, "True Resource temporarily unavailable\n")
    assert not kernels_in(tmp_path)


def test_the_processors_own_clock_is_the_kernels(tmp_path: Path) -> None:
    program = (
        "import ctypes, mmap, time\n"
        "page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)\n"
        "page.write(bytes.fromhex('0f31 48c1e220 4809d0 c3'))  # rdtsc; shl rdx, 32; or rax, rdx; ret\n"
        "address = ctypes.addressof(ctypes.c_char.from_buffer(page))\n"
        "rdtsc = ctypes.CFUNCTYPE(ctypes.c_uint64)(address)\n"
        "before, at = rdtsc(), time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)\n"
        "time.sleep(1)\n"
        "print(0 <= at - before < 100_000, 1_000_000_000 <= rdtsc() - before < 1_000_200_000)\n"
    )
    ended = in_kernel(sys.executable, "-c", program, cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (0, "True True\n"), ended.stderr


READING_NS = 256
"""What reading a clock takes in simulated time."""
CLOCKS = """
import ctypes, os, time
libc = ctypes.CDLL(None)
clocks = [time.CLOCK_REALTIME, time.CLOCK_MONOTONIC, time.CLOCK_MONOTONIC_RAW, time.CLOCK_BOOTTIME]
"""


def test_clocks_are_read_without_a_system_call(tmp_path: Path) -> None:
    """And take as long as with one. The program may write and end; any other system call would be its end."""
    program = f"""{CLOCKS}
PR_SET_SECCOMP, SECCOMP_MODE_STRICT, EXIT = 22, 1, 60
libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT)
read = [time.clock_gettime_ns(each) for each in clocks * 2]
os.write(1, b"%d %d %d %d" % tuple(read[n + 4] - read[n] for n in range(4)))
libc.syscall(EXIT, 0)
"""
    ended = in_kernel(sys.executable, "-c", program, cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (0, " ".join([str(4 * READING_NS)] * 4)), ended.stderr


def test_a_clock_says_the_same_to_programs_with_and_without_a_system_call(tmp_path: Path) -> None:
    program = f"""{CLOCKS}
CLOCK_GETTIME = 228
def ask(clock):
    at = (ctypes.c_long * 2)()
    libc.syscall(CLOCK_GETTIME, clock, at)
    return at[0] * 1_000_000_000 + at[1]
for each in clocks:
    readings = [how(each) for how in [time.clock_gettime_ns, ask] * 1000]
    steps = sorted(later - earlier for earlier, later in zip(readings, readings[1:]))
    print(steps[0], steps[-10])  # Linux itself reads the clock now and then
"""
    ended = in_kernel(sys.executable, "-c", program, cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (0, f"{READING_NS} {READING_NS}\n" * 4), ended.stderr


def test_others_go_on_at_their_instants_while_a_program_waits_by_reading_a_clock(tmp_path: Path) -> None:
    """What it is to end at waits for a turn of the processor, of which there are a hundred in a second."""
    program = """
import os, time
began = time.monotonic()
if os.fork() == 0:
    time.sleep(0.05)
    print(0.05 <= time.monotonic() - began < 0.061, flush=True)
    os._exit(0)
while time.monotonic() - began < 0.1:
    pass
print(0.1 <= time.monotonic() - began < 0.111, os.wait()[1])
"""
    ended = in_kernel(sys.executable, "-c", program, cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (0, "True\nTrue 0\n"), ended.stderr


def test_who_touches_memory_gets_it_in_pieces_of_sixteen_pages(tmp_path: Path) -> None:
    program = """
import mmap
memory = mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1])
resident()
before = resident()
for at in [*range(0, 1 << 20, 1 << 16), (1 << 20) - 1]:  # the first and the last piece may be shorter
    memory[at] = 1
print(resident() - before >= (1 << 20) // mmap.PAGESIZE)
"""
    ended = in_kernel(sys.executable, "-c", program, cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (0, "True\n"), ended.stderr


def test_an_ordinary_program_never_keeps_a_real_time_one_from_running(tmp_path: Path) -> None:
    """Linux 6.12 and newer give ordinary programs 50 ms of each second, if those of real time leave them less."""
    program = """
import os, signal, time
ordinary = os.fork()
if ordinary == 0:
    while True:
        time.monotonic()
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
longest, last = 0.0, time.monotonic()
ends = last + 1.5
while last < ends:
    now = time.monotonic()
    longest, last = max(longest, now - last), now
os.kill(ordinary, signal.SIGKILL)
print(longest < 0.001)
"""
    ended = in_kernel(sys.executable, "-c", program, cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (0, "True\n"), ended.stderr
