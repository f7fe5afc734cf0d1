# SPDX-License-Identifier: MIT
"""Labs of Kathará (https://www.kathara.org/man-pages/kathara-lab.conf.5.html), and of Netkit before it.

A device becomes a host, or a router of the kind ``frr`` where its image or its start-up script has FRR or Quagga. Two
members of a collision domain are linked directly; a domain with another number of them becomes a Linux bridge, which
learns. A device's folder is laid over the computer's files, and its start-up script runs in it. No image is run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hybridnet.describe.topo import Topo
from hybridnet.describe.values import plain, shown
from hybridnet.errors import TopologyError
from hybridnet.plan.files.lab import (
    MOST_NODES,
    Findings,
    LabFiles,
    ends_options,
    export_line,
    frr_options,
    has_frr,
    is_service_of_frr,
    refuse_large,
)

__all__ = ["LAB_CONF", "fill_from_kathara"]

LAB_CONF = "lab.conf"
MOST_LINES = 100_000
_ENTRY = re.compile(
    r"""(?P<device>[^\s\[=]+)\[(?P<key>[^\]]+)\]\s*=\s*(?P<value>"[^"]*"|'[^']*'|[^\s#]*)\s*(#.*)?"""
)
_ABOUT = re.compile(r"""LAB_\w+\s*=.*""")
_DOMAIN = re.compile(r"(?P<name>\w{1,64})(?:/(?P<mac>[0-9A-Fa-f:]{17}))?")
_MOST_INTERFACES = 1000  # of a device
_SERVICE = re.compile(r"(?:systemctl\s+(?:re)?start\s+|service\s+|/etc/init\.d/)([\w.@-]+)")
# What Kathará sets in each device, for IPv4.
_AS_KATHARA = (
    "sysctl -qw net.ipv4.ip_forward=1 net.ipv4.icmp_ratelimit=0 net.ipv4.conf.all.rp_filter=0 "
    "net.ipv4.conf.default.rp_filter=0"
)
_YES, _NO = ("y", "yes", "t", "true", "on", "1"), ("n", "no", "f", "false", "off", "0")
_SILENT = ("image", "num_terms", "shell", "cpus", "exec", "env", "sysctl", "ipv6")
"""Keys that are obeyed, or are of no account to a network."""
_NOTED: Mapping[str, str] = {
    "mem": "no limit of memory is set; leave it out",
    "bridged": "the device gets no way out of the lab; write nat (docs/nodes.md) where it needs one",
    "port": "no port is published; reach the device from hybridnet's prompt",
    "ulimit": "the limits are the computer's; leave it out",
    "privileged": "commands run as root; leave it out",
    "entrypoint": "no image is run; start what the network needs in the start-up script",
    "args": "no image is run; start what the network needs in the start-up script",
}


@dataclass
class _Device:
    interfaces: dict[int, tuple[str, str | None]] = field(default_factory=dict)  # number: domain, MAC address
    options: dict[str, list[str]] = field(default_factory=dict)

    def last(self, key: str) -> str:
        return self.options.get(key, [""])[-1]


def fill_from_kathara(topo: Topo, text: str, file: str) -> list[str]:
    """Add what a lab describes: its ``lab.conf``, and the start-up scripts and folders beside it. Returns what is done
    otherwise than Kathará would, a line each.

    Raises:
        TopologyError: it is no lab, or one that hybridnet cannot make; the message has a line for each thing.
    """
    refuse_large(file, text)
    findings = Findings(file)
    devices = _devices(text, file, findings)
    folder = Path(file).resolve().parent
    files = LabFiles(folder, findings)
    for beside, words in (
        ("lab.dep", "lab.dep: devices start together, and all scripts run once the whole network is there"),
        ("lab.ext", "lab.ext: the lab is not connected to the outside; use External (docs/nodes.md)"),
    ):
        if (folder / beside).is_file():
            findings.note("lab", words)
    for name, device in devices.items():
        findings.adding(name, topo.addHost, name, **_host(name, device, folder, files, findings))
    _link(topo, devices, findings)
    findings.check()
    return findings.notes()


def _devices(text: str, file: str, findings: Findings) -> dict[str, _Device]:
    devices: dict[str, _Device] = {}
    lines = text.splitlines()
    if len(lines) > MOST_LINES:
        raise TopologyError(f"{file}: it has more than {MOST_LINES} lines; divide the lab")
    for number, line in enumerate(lines, 1):
        line = line.strip()
        if not line or line.startswith("#") or _ABOUT.fullmatch(line):
            continue
        found = _ENTRY.fullmatch(line)
        if found is None:
            findings.refuse(f"line {number}", f'{shown(line[:80])} is not DEVICE[KEY]="value"; correct it')
            continue
        device = devices.setdefault(found["device"], _Device())
        if len(devices) > MOST_NODES:
            raise TopologyError(f"{file}: the lab has more than {MOST_NODES} devices; divide it")
        key, value = found["key"].strip("\"' "), found["value"].strip("\"'")
        if key.isascii() and key.isdigit():
            _add_interface(found["device"], device, key, value, findings)
        else:
            device.options.setdefault(key, []).append(value)
    if not devices:
        findings.check()
        raise TopologyError(f'{file}: it is no lab of Kathará: it has no device; write pc1[0]="A"')
    return devices


def _add_interface(name: str, device: _Device, key: str, value: str, findings: Findings) -> None:
    domain = _DOMAIN.fullmatch(value)
    if domain is None:
        findings.refuse(
            name, f"[{key}]: {shown(value)} is not the name of a collision domain; write letters and digits"
        )
    elif len(key) > 4 or int(key) >= _MOST_INTERFACES:
        findings.refuse(
            name, f"[{key[:8]}]: interfaces are numbered from 0 to {_MOST_INTERFACES - 1}; correct it"
        )
    elif int(key) in device.interfaces:
        findings.refuse(name, f"[{key}]: the interface is there twice; leave one out")
    else:
        device.interfaces[int(key)] = (domain["name"], domain["mac"])


def _host(name: str, device: _Device, folder: Path, files: LabFiles, findings: Findings) -> dict[str, object]:
    """The options of a device."""
    texts: dict[str, str] = {}
    for key, place, target in (("shared", "shared", "/shared"), (f"{name}/", name, "")):
        if (folder / place).is_dir():
            texts |= files.at(name, key, folder / place, target)
    texts = files.laid(name, f"{name}/", texts)
    scripts = []
    for script in ("shared.startup", f"{name}.startup"):
        if (folder / script).is_file() and (text := files.text(name, script, folder / script)) is not None:
            scripts.append((script, text))
    if (folder / f"{name}.shutdown").is_file():
        findings.note(name, f"{name}.shutdown: it is not run; leave it out")
    options: dict[str, object] = {"ip": None, "ip6": None}
    with_frr = has_frr(device.last("image")) or any(
        is_service_of_frr(line) for _, text in scripts for line in _said(text)
    )
    if with_frr:
        options |= frr_options(texts)
        scripts = [(script, _without_service(text)) for script, text in scripts]
    _say(name, device, with_frr, scripts, findings)
    commands = [_AS_KATHARA, *_set_up(name, device, findings)]
    for script, text in scripts:
        texts[f"/hostlab/{script}"] = text
        commands.append(f"bash /hostlab/{script}")
    commands += device.options.get("exec", [])
    if (cpus := device.last("cpus")) != "":
        try:
            options["cpu"] = float(cpus)
        except ValueError:
            findings.refuse(name, f"cpus: {shown(cpus)} is not a number of processors; correct it")
    return {
        **options,
        "commands": [each for each in commands if each.strip()],
        **({"files": texts} if texts else {}),
    }


def _set_up(name: str, device: _Device, findings: Findings) -> list[str]:
    """What its shell runs before the start-up script."""
    found = []
    if _is_on(name, device, "ipv6", findings):
        found.append("sysctl -qw net.ipv6.conf.all.forwarding=1")
    for setting in device.options.get("sysctl", []):
        if re.fullmatch(r"[\w.-]+=[\w .-]+", setting):
            found.append(f"sysctl -qw '{setting}'")
        else:
            findings.refuse(name, f"sysctl: {shown(setting)} is not NAME=VALUE; correct it")
    for variable in device.options.get("env", []):
        key, _, value = variable.partition("=")
        if re.fullmatch(r"[A-Za-z_]\w*", key):
            found.append(export_line(key, value))
        else:
            findings.refuse(name, f"env: {shown(variable)} is not NAME=value; correct it")
    return found


def _is_on(name: str, device: _Device, key: str, findings: Findings) -> bool:
    """Whether a device has something, in the words that Kathará takes."""
    value = device.last(key).lower()
    if value not in ("", *_YES, *_NO):
        findings.refuse(name, f"{key}: {shown(device.last(key))} is neither true nor false; correct it")
    return value in _YES


def _say(
    name: str, device: _Device, with_frr: bool, scripts: list[tuple[str, str]], findings: Findings
) -> None:
    """Everything that is left out or done otherwise."""
    if image := device.last("image"):
        findings.note_image(name, image, with_frr)
    for key in device.options:
        if key in _NOTED:
            if key != "bridged" or _is_on(name, device, "bridged", findings):
                findings.note(name, f"{key}: {_NOTED[key]}")
        elif key not in _SILENT:
            findings.note(name, f"{plain(key)}: hybridnet does not know this; leave it out")
    for script, text in scripts:
        for service in dict.fromkeys(each for line in _said(text) for each in _SERVICE.findall(line)):
            findings.note(
                name,
                f"{script}: nothing starts services in a host; have the script start the program of {plain(service)}",
            )


def _said(script: str) -> list[str]:
    """Its lines that do something."""
    return [line for line in script.splitlines() if not line.lstrip().startswith(("#", ": "))]


def _without_service(script: str) -> str:
    """A script without what starts FRR as a service: the router does that itself."""
    lines = script.splitlines()
    kept = [
        f": {line}  # hybridnet has started it"
        if is_service_of_frr(line) and not line.lstrip().startswith("#")
        else line
        for line in lines
    ]
    return "\n".join([*kept, ""])


def _link(topo: Topo, devices: Mapping[str, _Device], findings: Findings) -> None:
    """Join the members of each collision domain."""
    domains: dict[str, list[tuple[str, int, str | None]]] = {}
    for name, device in devices.items():
        for number, (domain, mac) in sorted(device.interfaces.items()):
            domains.setdefault(domain, []).append((name, number, mac))
    taken: set[str] = set()
    there = set(topo.nodes(sort=False))
    for domain, members in domains.items():
        members = [each for each in members if each[0] in there]
        if len(members) == 2 and members[0][0] != members[1][0]:
            one, other = members
            options = _end(topo, one, 1, taken) | _end(topo, other, 2, taken)
            findings.adding(f"collision domain {domain}", topo.addLink, one[0], other[0], **options)
            continue
        switch = _switch_name(domain, there)
        there.add(switch)
        if not findings.adding(f"collision domain {domain}", topo.addSwitch, switch, kind="linux"):
            continue
        for port, member in enumerate(members, 1):
            options = _end(topo, member, 1, taken) | ends_options(topo, switch, f"{switch}-{port}", 2, taken)
            findings.adding(member[0], topo.addLink, member[0], switch, **options)


def _end(topo: Topo, member: tuple[str, int, str | None], number: int, taken: set[str]) -> dict[str, object]:
    name, interface, mac = member
    options = ends_options(topo, name, f"eth{interface}", number, taken)
    return {**options, **({} if mac is None else {f"addr{number}": mac})}


def _switch_name(domain: str, taken: set[str]) -> str:
    """The domain's name, if it can be that of a device and no other node has it."""
    name = domain.strip("_")[:9] or "cd"
    found, count = name, 1
    while found in taken:
        count += 1
        found = f"{name}-{count}"
    return found
