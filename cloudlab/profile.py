# SPDX-License-Identifier: MIT
"""Two to eight nodes on one link, for hybridnet.

Instructions:
The nodes install hybridnet when they boot, and then write /local/setup.done; /local/setup.log says how far they are.
Then, on node-0, everything is one command: hybridnet reproduce maxinet --cloudlab --scale paper
"""

# CloudLab runs this with its own geni-lib and an older Python. Without geni-lib it only describes the experiment, which
# write_rspec.py writes as RSpec, so that the experiment is said once.
try:
    import geni.portal as portal
    import geni.rspec.pg as pg
except ImportError:
    portal = None

import re

# A distribution's kernel: Open vSwitch's own datapath is a module there. The first is the default.
IMAGES = [
    ("urn:publicid:IDN+emulab.net+image+emulab-ops//" + name, label)
    for name, label in (
        ("DEBIAN12-64-STD", "Debian 12"),
        ("DEBIAN13-64-STD", "Debian 13"),
        ("UBUNTU24-64-STD", "Ubuntu 24.04"),
    )
]
# name, what it is, its type in geni-lib, default, more about it, what to choose from (None: anything)
PARAMETERS = [
    ("nodes", "Number of nodes", "INTEGER", 2, "From 2 to 8. hybridnet calls them m1, m2 ...", None),
    (
        "hardware",
        "Hardware type of the nodes",
        "NODETYPE",
        "c220g5",  # two sockets of 10 cores, and a 10 Gbit/s interface for experiments
        "Any type with an experiment interface as fast as the link.",
        None,
    ),
    (
        "image",
        "Disk image",
        "IMAGE",
        IMAGES[0][0],
        "hybridnet is tested on Debian 12 and 13.",
        IMAGES,
    ),
    ("link_mbps", "Rate of the link, Mbit/s", "BANDWIDTH", 10000, "0: whatever the interfaces have.", None),
    (
        "link_delay_ms",
        "Delay of the link, ms",
        "LATENCY",
        0,
        "Above 0, CloudLab puts a computer into the link that delays.",
        None,
    ),
    (
        "repository",
        "Where hybridnet is cloned from",
        "STRING",
        "",
        "Empty: CloudLab has put the repository of this profile into /local/repository.",
        None,
    ),
    ("commit", "Commit, tag or branch to check out", "STRING", "", "Empty: as it was cloned.", None),
]
MOST_NODES = 8
NETWORK, NETMASK = "10.10.1.", "255.255.255.0"  # the link's; the control network is left alone
LINK = "link-0"
FOLDER = "/local/repository"
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9@:/._~+-]*\Z")  # it becomes a word of a shell command


class Mistake(Exception):
    """A parameter makes no sense."""


def experiment(values):
    """The experiment with these values of the parameters, as plain data.

    Raises Mistake.
    """
    if not 2 <= values["nodes"] <= MOST_NODES:
        raise Mistake(f"nodes: {values['nodes']} is not from 2 to {MOST_NODES}")
    if values["link_mbps"] < 0 or values["link_delay_ms"] < 0:
        raise Mistake("link: rate and delay are 0 or more")
    for name in ("repository", "commit"):
        if values[name] and not _WORD.match(values[name]):
            raise Mistake(f"{name}: {values[name]!r} is not one")
    steps = ["set -e"]
    if values["repository"]:
        steps.append(f"test -d {FOLDER} || git clone {values['repository']} {FOLDER}")
    if values["commit"]:
        steps.append(f"git -C {FOLDER} checkout {values['commit']}")
    steps.append(f"{FOLDER}/cloudlab/setup")
    nodes = [
        {
            "name": f"node-{number}",
            "interface": f"if-node-{number}",
            "address": f"{NETWORK}{number + 1}",
        }
        for number in range(values["nodes"])
    ]
    return {
        "nodes": nodes,
        "hardware": values["hardware"],
        "image": values["image"],
        "command": "sudo sh -c '{}'".format("; ".join(steps)),
        "link": LINK,
        "netmask": NETMASK,
        "kbps": int(1000 * values["link_mbps"]),
        "delay_ms": values["link_delay_ms"],
    }


def request():
    """Ask CloudLab for it."""
    context = portal.Context()
    for name, what, kind, default, more, choices in PARAMETERS:
        context.defineParameter(
            name,
            what,
            getattr(portal.ParameterType, kind),
            default,
            legalValues=choices,
            longDescription=more,
        )
    parameters = context.bindParameters()
    try:
        said = experiment({row[0]: getattr(parameters, row[0]) for row in PARAMETERS})
    except Mistake as mistake:
        context.reportError(portal.ParameterError(str(mistake)))
        context.verifyParameters()
        raise
    asked = context.makeRequestRSpec()
    link = asked.LAN(said["link"])
    if said["kbps"]:
        link.bandwidth = said["kbps"]
    if said["delay_ms"]:
        link.latency = said["delay_ms"]
    for each in said["nodes"]:
        node = asked.RawPC(each["name"])
        node.hardware_type = said["hardware"]
        node.disk_image = said["image"]
        interface = node.addInterface(each["interface"])
        interface.addAddress(pg.IPv4Address(each["address"], said["netmask"]))
        link.addInterface(interface)
        node.addService(pg.Execute(shell="bash", command=said["command"]))
    context.printRequestRSpec(asked)


if portal is not None:
    request()
