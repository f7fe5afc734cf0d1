# SPDX-License-Identifier: MIT
"""What `hybridnet doctor` makes of what it sees: what each missing thing means, and how to fix it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from hybridnet.plan.choices.fit import AFXDP_PORT_BYTES
from hybridnet.system.tun import TUN

__all__ = ["UNTRIED", "Finding", "installing"]

UNTRIED = "only root can try it"
"""A problem that is none: nobody knows."""
_LATENCY_LIMIT_US = 100
"""Longer exit latencies of an idle state show in the instance's lateness."""
_FEW_PROCESSORS = 4
_TREE_PORTS = 140
"""What the 128-host trees have, and some to spare."""
_OLDEST_TESTED = (2, 17, 0)
_INSTALL = "run setup/install"


@dataclass(frozen=True)
class Finding:
    """One line of the table. `state`: has, lacks, note (works, but worth knowing), unknown (only
    root can try it). `package`: Debian's, which cures the lack; empty: none does.
    """

    what: str
    state: str
    found: str
    means: str = ""
    cure: str = ""
    needed: bool = False  # without it the main job does not run
    package: str = ""

    def to_json(self) -> dict[str, object]:
        """As data."""
        return asdict(self)


def installing(findings: Iterable[Finding]) -> str:
    """The one command that installs every Debian package that these findings lack; empty: they lack none.

    Example:
        >>> installing([command("ping", None, "iputils-ping", "no pingAll"), command("ip", "/bin/ip", "iproute2", "")])
        'apt-get install iputils-ping'
    """
    packages = dict.fromkeys(finding.package for finding in findings if finding.state == "lacks")
    named = [package for package in packages if package]
    return f"apt-get install {' '.join(named)}" if named else ""


def root(uid: int) -> Finding:
    """Whether this is root."""
    if uid == 0:
        return Finding("root", "has", "uid 0", needed=True)
    means = "no namespaces, switches or packet sockets; planning and offline simulation work"
    return Finding("root", "lacks", f"uid {uid}", means, "run with sudo", True)


def processors(count: int) -> Finding:
    """How many there are for this process."""
    if count >= _FEW_PROCESSORS:
        return Finding("processors", "has", str(count))
    means = "instances, switches and traffic generators share them: a busy network is soon saturated"
    return Finding("processors", "note", str(count), means, "use a larger computer for the paper's scale")


def memory(available_bytes: int) -> Finding:
    """How many AF_XDP ports it is enough for."""
    ports = available_bytes // AFXDP_PORT_BYTES
    means = "" if ports >= _TREE_PORTS else "an AF_XDP port takes 75 MB; the 128-host trees have 130 of them"
    found = f"{available_bytes / 1e9:.1f} GB, {ports} AF_XDP ports"
    return Finding("memory", "note" if means else "has", found, means)


def rootless(lack: tuple[str, str] | None, tun_mode: int | None) -> Finding:
    """Whether users have networks without root: why they have none, and the cure; and the mode of /dev/net/tun, None
    where it is not there.
    """
    what = "run --rootless"
    if lack is not None:
        return Finding(what, "lacks", lack[0], "networks need root", lack[1])
    if tun_mode is None or tun_mode & 0o006 != 0o006:
        closed = "is not there" if tun_mode is None else "is closed to others"
        means = "Open vSwitch needs it for its bridges; without it only --switches simulated"
        return Finding(what, "note", f"works; {TUN} {closed}", means, f"as root: chmod 666 {TUN}")
    return Finding(what, "has", "works")


def simulator(built: bool) -> Finding:
    """Whether the extension is there."""
    if built:
        return Finding("simcore extension", "has", "built", needed=True)
    cure = f"{_INSTALL}, or pip install -e ."
    return Finding("simcore extension", "lacks", "not built", "nothing is simulated", cure, True)


def open_vswitch(version: str | None) -> Finding:
    """Its version, of three numbers; None: it is not there."""
    if version is None:
        return _not_installed("Open vSwitch", "openvswitch-switch", "no switches", needed=True)
    if tuple(map(int, version.split("."))) < _OLDEST_TESTED:
        means = "older than the oldest tested version (2.17): AF_XDP ports and pmd-maxsleep may be missing"
        return Finding("Open vSwitch", "note", version, means, "install 3.1 or newer", True)
    return Finding("Open vSwitch", "has", version, needed=True)


def kernel_datapath(*, loaded: bool, loadable: bool) -> Finding:
    """Whether the kernel can forward."""
    what = "OVS kernel datapath"
    if loaded or loadable:
        return Finding(what, "has", f"module openvswitch {'is' if loaded else 'can be'} loaded")
    means = "switches run in user space (netdev), with AF_XDP or packet sockets as ports"
    return Finding(what, "lacks", "no module openvswitch", means, "use a distribution's stock kernel")


def af_xdp(supported: bool) -> Finding:
    """Whether Open vSwitch and the kernel know such ports."""
    if supported:
        return Finding("AF_XDP ports", "has", "kernel and Open vSwitch")
    means = "large trees in user space are slower: each packet waits until all bridges were visited"
    cure = "install an Open vSwitch built with libxdp"
    return Finding("AF_XDP ports", "lacks", "kernel or Open vSwitch", means, cure)


def packet_sockets(problem: str | None) -> Finding:
    """Whether there are any."""
    means, cure = "emulation portals cannot read devices", "run as root, CONFIG_PACKET=y"
    return tried("packet sockets", problem, means, cure, needed=True, works="AF_PACKET")


def tun(problem: str | None) -> Finding:
    """Whether TAP devices can be made."""
    means = "AF_PACKET ports of switches and `tap` portals cannot be made"
    cure = "modprobe tun, or a kernel with CONFIG_TUN"
    return tried("/dev/net/tun", problem, means, cure, works="TAP devices can be made")


def nanosecond_timeouts(supported: bool, kernel: str) -> Finding:
    """Whether a sleep may end between two milliseconds."""
    if supported:
        return Finding("epoll_pwait2", "has", "nanosecond timeouts")
    means = "instances sleep in whole milliseconds and are late by up to one"
    return Finding("epoll_pwait2", "lacks", f"kernel {kernel}", means, "use kernel 5.11 or newer")


def idle_states(latencies_us: Sequence[int], driver: str | None, can_be_asked: bool) -> Finding:
    """How late processors wake up.

    Args:
        latencies_us: of each idle state, what leaving it takes.
        driver: that puts processors into them.
        can_be_asked: instances can ask for quick ones only.
    """
    what = "processor idle states"
    if not latencies_us:
        return Finding(what, "has", "not managed here")
    slowest = max(latencies_us)
    found = f"{len(latencies_us)} states, slowest wakes in {slowest} us"
    if slowest <= _LATENCY_LIMIT_US and driver != "haltpoll":
        return Finding(what, "has", found)
    if can_be_asked:
        return Finding(what, "has", f"{found}; processors enter no slow one while an instance runs")
    means = "a sleeping instance may wake up late; in a virtual machine by tens of us, whatever the state's latency"
    return Finding(what, "note", found, means, "run with sudo, where /dev/cpu_dma_latency is")


def governor(name: str | None) -> Finding:
    """What chooses the frequency; None: nothing here does."""
    if name in (None, "performance"):
        return Finding("frequency governor", "has", name or "not managed here")
    means = "the first packets after a pause run at a low frequency"
    return Finding("frequency governor", "note", str(name), means, "cpupower frequency-set -g performance")


def congestion_control(default: str, available: Sequence[str]) -> Finding:
    """Whether TCP can be that of the comparison."""
    what, found = "congestion control", f"default {default}"
    if "cubic" not in available:
        return Finding(what, "lacks", found, "the comparison's TCP flows use cubic", "modprobe tcp_cubic")
    if default != "cubic":
        means = "iperf and the experiments ask for cubic themselves; your own programs get the default"
        return Finding(what, "note", found, means, "sysctl net.ipv4.tcp_congestion_control=cubic")
    return Finding(what, "has", "cubic")


def ryu(version: str) -> Finding:
    """It is there."""
    return Finding("Ryu", "has", version, needed=True)


def no_ryu(found: str, cure: str = _INSTALL) -> Finding:
    """It is not there."""
    return Finding("Ryu", "lacks", found, "no controllers but remote ones", cure, True)


def mininet(version: str | None) -> Finding:
    """The one to compare with."""
    if version is None:
        return _not_installed("Mininet", "mininet", "`reproduce maxinet` has nothing to compare with")
    return Finding("Mininet", "has", version)


def simulated_time(found: str, problem: str | None) -> Finding:
    """The kernel in whose simulated time runs take place, or why there is none."""
    if problem is None:
        return Finding("simulated time", "has", found)
    return Finding("simulated time", "lacks", found, "no --time simulated", "run hybridnet setup-kernel")


def command(name: str, path: str | None, package: str, means: str, *, needed: bool = False) -> Finding:
    """A command, and the package that has it."""
    if path is None:
        return _not_installed(name, package, means, needed=needed)
    return Finding(name, "has", path, needed=needed)


def _not_installed(what: str, package: str, means: str, *, needed: bool = False) -> Finding:
    return Finding(what, "lacks", "not installed", means, f"apt-get install {package}", needed, package)


def tried(
    what: str, problem: str | None, means: str, cure: str, *, needed: bool = False, works: str = "works"
) -> Finding:
    """What came of a trial: None: it works."""
    if problem == UNTRIED:
        return untried(what)
    if problem is None:
        return Finding(what, "has", works, needed=needed)
    return Finding(what, "lacks", problem, means, cure, needed)


def untried(what: str) -> Finding:
    """Nobody knows."""
    return Finding(what, "unknown", UNTRIED)
