# SPDX-License-Identifier: MIT
"""Why rows differ: the sentences that docs/mininet.md says, by the words by which rows name them."""

from __future__ import annotations

__all__ = ["DIFFERENCES"]

DIFFERENCES = {
    "addresses": "A switch's loopback interface says its MAC address, 00:00:00:00:00:00; Mininet's says None.",
    "arithmetic": "`netParse` pads a short network with zeros, and `ipAdd` refuses a number below 0.",
    "bridge": "`stop` of a switch removes its bridge and leaves its interfaces, which are down until `start`, and "
    "`bridgeOpts` says what hybridnet's bridges have.",
    "controllers": "A controller has no shell until it runs a command, is no `Node`, and `start` waits until it "
    "listens.",
    "ends": "A link that was deleted remembers its ends, and may be deleted again.",
    "error": "What Mininet ends by an assertion, an attribute of None or the end of the program is an error that says "
    "what to write.",
    "follows": "What an earlier difference has left is there.",
    "groups": "`CPULimitedHost` has no `cgroupSet` and its like: hybridnet chooses the control groups.",
    "inner": "Names that only Mininet's own code uses, such as `configureRoutedControlNetwork` and `OVSVersion`, are "
    "not there.",
    "job": "A command in the background says its job, and `lastPid` is always known.",
    "lasts": "A node's shell, folder and interfaces last until the network stops, whatever `terminate`, `cleanup` and "
    "`stop` of the node say.",
    "lazy": "Nothing is made before the network starts or a command needs it: until then a node has no pid, no "
    "controller is sought, and no command was the last.",
    "log": "What is not the place of a word in `lg.output` follows it.",
    "numbers": "Lengths of prefixes and shares are numbers, MAC addresses and dpids have small letters, addresses all "
    "four bytes.",
    "once": "What is added to a running network works at once; Mininet's waits for `attach` or `configDefault`.",
    "params": "A switch's `params` also say how its bridge is made.",
    "patch": "A patch is up, has no MAC address, and is there.",
    "popen": "`popen` returns an object that is no instance of `subprocess.Popen`, without `mnexec` in its arguments; "
    "a program that does not exist gives status 127.",
    "ports": "A link that is deleted takes its port out of the bridge.",
    "progress": "hybridnet tells its progress, and its warnings, in its own words.",
    "prompt": "The prompt's commands explain themselves in hybridnet's words.",
    "refused": "What ifconfig, arp and route refuse is a warning, and not their text as the result.",
    "replaced": "A switch that is not installed is replaced, and that is said.",
    "route": "`setDefaultRoute()` takes the first interface, where Mininet's asks for one that is named None.",
    "shown": "A link prints as `<Link h1-eth0<->s1-eth1>`.",
    "simulated": "The simulator shapes a link: HTB stands for TBF and HFSC, no offload is switched, and tc has "
    "nothing to say.",
    "spared": "`sh` returns errors, too, and shows nothing; `killprocs` ends nothing.",
    "stalls": "Flows arrive also where Open vSwitch forwards in user space.",
    "terminal": "The shell's terminal is hybridnet's: `TERM` is dumb, ^C and ^D print and end nothing there, and "
    "a node has no `master`, `slave`, `decoder`.",
    "whole": "Several lines in one command are one command: the prompt between them is not seen.",
    "windows": "Terminals are windows of tmux where there is no display.",
    "works": "Much that Mininet refuses, or waits for without end, works.",
}
