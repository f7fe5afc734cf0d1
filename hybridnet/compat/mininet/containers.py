# SPDX-License-Identifier: MIT
"""Containernet's hosts: those whose root is a container image.

Containernet runs them by Docker's daemon. Here they are hosts with an image (`hybridnet.kinds.image`), and no daemon is
asked. What only Docker's daemon has is tolerated or refused by name.

Source of names and manners: Containernet, mininet/node.py, commit c0689423.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NoReturn

from hybridnet.compat.mininet.hosts import CPULimitedHost
from hybridnet.compat.mininet.lenient_options import tolerate
from hybridnet.describe.images import parse_image
from hybridnet.describe.schema.plans import HostLimit
from hybridnet.describe.topo import host_options
from hybridnet.describe.values import shown
from hybridnet.errors import HybridnetError, UsageError
from hybridnet.kinds.image import ImageHost
from hybridnet.system.ending import Endings, undone_on_error

__all__ = ["Docker", "image_of"]

PERIOD_US = 100_000
"""The kernel's period of processor time, where a script says none."""
_UNLIMITED: HostLimit = {
    "share": None,
    "sched": "cfs",
    "period_us": PERIOD_US,
    "cores": None,
    "memory_bytes": None,
    "processes": None,
}
_SHELL = "/bin/bash"
_RESOURCES = (
    *("cpu_quota", "cpu_period", "cpu_shares", "cpuset_cpus", "mem_limit", "memswap_limit"),
    "pids_limit",
)
_WITHOUT_EFFECT = {
    "cpu_shares": "a host has a quota of processor time or none, and no weight",
    "memswap_limit": "a host with mem_limit= gets no swap beside it",
    "shm_size": "/dev/shm has no bound of its own",
    "ipc_mode": "each host has a /dev/shm of its own, and System V's objects are the computer's",
    "storage_opt": "what a host writes is in memory, and has no bound of its own",
    "network_mode": "a host has the interfaces of its links, and no others",
    "port_bindings": "every port is open in the network, and none on this computer",
    "device_requests": "a host has the devices of devices=",
}
# Nothing to do: a host's programs are root with all rights, its ports are open, and nothing is left to remove.
_SATISFIED = ("cap_add", "ports", "publish_all_ports", "rm")


class NoDaemonError(UsageError, AttributeError):
    """A script asks for Docker's daemon: an AttributeError for scripts."""


def image_of(dimage: Any, what: str) -> str:
    """The image that ``dimage=`` names, as `hybridnet.Topo.addHost` takes it: one of hybridnet's forms, or a name as
    Docker reads it, whose registry is Docker Hub unless it says another.

    Raises:
        UsageError: there is none.
        TopologyError: it is no name of an image.

    Example:
        >>> image_of("ubuntu:trusty", "host d1")
        'docker://docker.io/library/ubuntu:trusty'
        >>> image_of("ghcr.io/a/b", "host d1")
        'docker://ghcr.io/a/b'
    """
    if not dimage:
        raise UsageError(f'{what}: dimage= is missing; write dimage="ubuntu:24.04", or the file of an image')
    name = str(dimage)
    if name.startswith(("oci:", "archive:", "docker://", "/", ".")) or name.endswith(
        (".tar", ".tar.gz", ".tgz")
    ):
        return str(parse_image(name, f"{what}: dimage"))
    # As of distribution/reference, "Grammar" and `splitDockerDomain`.
    first, slash, _ = name.partition("/")
    if not slash:
        name = f"docker.io/library/{name}"
    elif not ({".", ":"} & set(first) or first == "localhost"):
        name = f"docker.io/{name}"
    return str(parse_image(f"docker://{name}", f"{what}: dimage"))


class Docker(CPULimitedHost, ImageHost):  # type: ignore[misc]  # its `config` is that of Mininet's hosts
    """A host whose root is a container image. Its shell, `popen` and terminals are in the image.

    Args:
        name: unique in the network.
        dimage: the image: a name as Docker reads it, such as ``"ubuntu:trusty"``, or one of hybridnet's forms: a
            file that ``docker save`` has written, ``"oci:FOLDER:TAG"``.
        dcmd: what runs in it from the beginning, as a list or text, instead of the image's ENTRYPOINT and CMD; as the
            image's USER. None: nothing, until `start`.
        build_params: refused: only Docker's daemon builds images.
        **params: of `CPULimitedHost`, and Docker's: environment, volumes, tmpfs, dns, devices, sysctls (``net.*``),
            cpu_quota and cpu_period (microseconds), cpus, cpuset_cpus (``"0,2-3"``), mem_limit (``"64m"``, or bytes),
            pids_limit. Others have no effect, with a warning.
    """

    dnameprefix = "mn"

    def __init__(
        self,
        name: str,
        dimage: Any = None,
        dcmd: Any = None,
        build_params: Mapping[str, Any] | None = None,
        **params: Any,
    ) -> None:
        if build_params and build_params.get("path"):
            raise UsageError(
                f"host {name}: build_params=: images are built by Docker's daemon, and none is asked here; build it "
                "with `docker build`, write it to a file with `docker save`, and name the file in dimage="
            )
        self.dimage, self.dcmd = dimage, _SHELL if dcmd is None else dcmd
        self._image = image_of(dimage, f"host {name}")
        self._runs_own = dcmd is None
        self._has_begun = False
        self.environment = params.get("environment") or {}
        self.volumes = _listed_volumes(params.get("volumes"), f"host {name}")
        self.tmpfs = params.get("tmpfs") or []
        self.dns = params.get("dns") or []
        self.sysctls = params.get("sysctls") or {}
        # A host's `devices` are network interfaces of the computer.
        self.devices = params.pop("devices", None) or []
        self.cpus = params.get("cpus")
        self.resources: dict[str, Any] = {each: params.get(each) for each in _RESOURCES}
        for each, why in _WITHOUT_EFFECT.items():
            if params.get(each):
                tolerate(f"Docker hosts: {each}=", f"it has no effect: {why}")
        super().__init__(name, **params)

    def topo_options(self, taken: set[Any]) -> dict[str, object]:
        """See `Node`."""
        folders, volumes = [*_paths_of(self.tmpfs, f"host {self.name}")], []
        for each in self.volumes:
            if ":" in each:
                volumes.append(self._volume(each))
            else:
                folders.append(each)  # of its own
        volumes += [volume for each in self.devices if (volume := self._device(each)) is not None]
        options = super().topo_options(taken)
        described: Any = options.get("privateDirs") or []
        options |= {
            "image": self._image,
            "environment": _texts(self.environment),
            "volumes": volumes,
            "privateDirs": [*described, *folders],
            "run": False,  # it begins under the limits
        }
        if self.dns:
            options["dns"] = self.dns
        if not self._runs_own:  # as Containernet, which leaves the image's ENTRYPOINT out
            options |= {"entrypoint": [], "command": self.dcmd}
        return options

    def _volume(self, volume: str) -> str:
        """As hybridnet has it. A folder that is missing is made, as Docker makes it."""
        source, at, *more = volume.split(":")
        if not source.startswith(("/", ".")):
            raise UsageError(
                f"host {self.name}: volumes=: {shown(volume)} has a name, and only Docker's daemon has volumes with "
                "names; write a folder of this computer, such as '/srv/data:/data'"
            )
        source = os.path.abspath(source)
        if self.network().is_here() and not os.path.exists(source):
            tolerate(f"host {self.name}: its volume {source} was not there", "it is made, and stays")
            os.makedirs(source)
        read_only = any("ro" in each.split(",") for each in more)
        return f"{source}:{at}:{'ro' if read_only else 'rw'}"

    def _device(self, device: str) -> str | None:
        """A device of the computer as a volume: ``FROM``, ``FROM:AT`` or ``FROM:AT:RIGHTS``."""
        source, *at = str(device).split(":")
        if self.network().is_here() and not os.path.exists(source):
            tolerate(f"host {self.name}: devices=", f"there is no {source} here; the host goes without it")
            return None
        return f"{source}:{at[0] if at else source}"

    def run_waiting(self) -> None:
        """Begin `dcmd`, under the limits of the host, and run the commands of its constructor: the network is made."""
        if not self._has_begun:
            self._has_begun = True
            for limit in self._limits():
                self._limit(limit)
            self._set_kernel()
            if not self._runs_own:
                self.restart()
        super().run_waiting()

    def start(self) -> None:
        """Start the image's own ENTRYPOINT and CMD. Containernet leaves that to scripts."""
        self._need_network()
        if self._runs_own:
            self.restart()
        else:
            tolerate(
                f"host {self.name}: start()",
                "it runs dcmd=, and the image's own command does not run beside it; start that with cmd()",
            )

    def _set_kernel(self) -> None:
        for name, value in self.sysctls.items():
            if not name.startswith("net."):
                tolerate(f"host {self.name}: sysctls={name}", "it is the computer's; it has no effect")
                continue
            try:
                self.execute(["sysctl", "-q", "-w", f"{name}={value}"])
            except HybridnetError as problem:
                tolerate(f"host {self.name}: sysctls={name}", f"it has no effect: {problem}")

    # Resources

    def _limits(self) -> list[HostLimit]:
        """What `resources` say, apart for each control group, as a computer may lack one."""
        found: list[HostLimit] = []
        quota, period = self.resources["cpu_quota"], self.resources["cpu_period"] or PERIOD_US
        if quota is not None or self.cpus:
            share = self.cpus if quota is None else quota / period if quota > 0 else None
            found.append({"share": share, "sched": "cfs", "period_us": period})
        if cores := self.resources["cpuset_cpus"]:
            found.append({"cores": host_options.cores(cores, f"host {self.name}: cores")})
        memory, processes = self.resources["mem_limit"], self.resources["pids_limit"]
        if memory is not None:
            most = host_options.memory(_bytes(memory), f"host {self.name}: memory")
            found.append({"memory_bytes": most})
        if processes is not None:
            most = host_options.pids(processes if processes > 0 else None, f"host {self.name}: pids")
            found.append({"processes": most})
        return found

    def _change_limits(self, before: Sequence[HostLimit], wanted: Sequence[HostLimit]) -> None:
        """Have the host limited as is wanted, or if one limit is refused as before."""
        had: dict[str, Any] = {**_UNLIMITED}
        for each in before:
            had |= each
        undo = Endings()
        with undone_on_error(undo.close):
            for limit in wanted:
                self._limit(limit)
                back: Any = {key: had[key] for key in limit}
                undo.add(partial(self._limit, back))

    def updateCpuLimit(
        self, cpu_quota: int = -1, cpu_period: int = -1, cpu_shares: int = -1, cores: Any = None
    ) -> None:
        """Change the limit of its processor time: a quota in each period, in microseconds; a quota of -1: no limit.
        `cores`: processors, such as ``"0-2,16"``. `cpu_shares` has no effect.
        """
        told = {"cpu_quota": cpu_quota}
        told |= {
            name: value
            for name, value in (("cpu_period", cpu_period), ("cpu_shares", cpu_shares))
            if value >= 0
        }
        self.update_resources(**told, **({"cpuset_cpus": cores} if cores else {}))

    def updateMemoryLimit(self, mem_limit: int = -1, memswap_limit: int = -1) -> None:
        """Change the limit of its memory, in bytes; -1: as it is."""
        told = {"mem_limit": mem_limit, "memswap_limit": memswap_limit}
        self.update_resources(**{name: value for name, value in told.items() if value >= 0})

    def update_resources(self, **resources: Any) -> None:
        """Change what limits it, by the names of `resources`: now, or when the network is made. All hold or none."""
        for name in sorted(resources.keys() - set(_RESOURCES) | resources.keys() & set(_WITHOUT_EFFECT)):
            why = _WITHOUT_EFFECT.get(name, "only Docker's daemon knows it")
            tolerate(f"Docker hosts: {name}=", f"it has no effect: {why}")
        before, limits = self.resources, self._limits() if self.is_made() else []
        self.resources = {**before, **resources}
        if self.is_made():
            try:
                self._change_limits(limits, self._limits())
            except HybridnetError:
                self.resources = before
                raise

    # Docker's daemon

    @property
    def dcli(self) -> NoReturn:
        """Raises NoDaemonError."""
        raise NoDaemonError(
            f"host {self.name}: dcli: a client of Docker's daemon, and none is asked here; use cmd(), popen(), log() "
            "and updateCpuLimit()"
        )

    d_client = dcli


def _listed_volumes(volumes: Any, what: str) -> list[str]:
    """Volumes as Docker's list; it also takes a dictionary ``{FROM: {"bind": AT, "mode": "ro"}}``."""
    if isinstance(volumes, Mapping):
        volumes = [
            f"{source}:{at['bind']}:{at.get('mode', 'rw')}" if isinstance(at, Mapping) else f"{source}:{at}"
            for source, at in volumes.items()
        ]
    found = [volumes] if isinstance(volumes, str) else volumes or []
    if not isinstance(found, Sequence) or not all(isinstance(each, str) for each in found):
        raise UsageError(f"{what}: volumes {shown(volumes)} is no list; write ['/srv/data:/data:rw']")
    return list(found)


def _paths_of(tmpfs: Any, what: str) -> list[str]:
    """The folders in memory of Docker's list, or dictionary, with options, of which none has an effect."""
    told = [f"{at}:{options}" for at, options in tmpfs.items()] if isinstance(tmpfs, Mapping) else tmpfs
    divided = [each.partition(":") for each in ([told] if isinstance(told, str) else told)]
    if any(options for _, _, options in divided):
        tolerate(f"{what}: options of tmpfs=", "they have no effect; the folders have no bound of their own")
    return [os.path.normpath(path) for path, _, _ in divided]


def _bytes(memory: Any) -> Any:
    """As a host has it. Docker reads "64mb" as "64m", and no text's unit as decimal; -1 and 0 are no limit."""
    if not isinstance(memory, str):
        return memory if memory > 0 else None
    text = memory.strip().lower()
    return int(text) if text.isdecimal() else text.removesuffix("b") if text[-2:-1].isalpha() else text


def _texts(environment: Any) -> Any:
    """Variables as programs get them: Docker takes any value's text."""
    if not isinstance(environment, Mapping):
        return environment
    return {name: str(value) for name, value in environment.items() if value is not None}
