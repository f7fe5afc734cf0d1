# SPDX-License-Identifier: MIT
"""Names that Mininet's modules have only because they import them: scripts find them there too, as by
``from mininet.net import *`` or ``from mininet.node import quietRun``.

A name is imported when a script asks for it.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

__all__ = ["offer_reexported"]

_WHOLE = ""  # modules themselves

REEXPORTED: dict[str, dict[str, str]] = {
    "mininet.net": {
        _WHOLE: "os re select signal random",
        "sys": "exit",
        "time": "sleep",
        "itertools": "chain groupby",
        "math": "ceil",
        "mininet.cli": "CLI",
        "mininet.log": "info error debug output warn",
        "mininet.node": "Node Host OVSKernelSwitch DefaultController Controller",
        "mininet.nodelib": "NAT",
        "mininet.link": "Link Intf",
        "mininet.util": "quietRun fixLimits numCores ensureRoot macColonHex ipStr ipParse netParse ipAdd waitListening "
        "BaseString",
        "mininet.term": "cleanUpScreens makeTerms",
    },
    "mininet.node": {
        _WHOLE: "os pty re signal select",
        "re": "findall",
        "subprocess": "Popen PIPE",
        "sys": "exit",
        "time": "sleep",
        "mininet.log": "info error warn debug",
        "mininet.util": "quietRun errRun errFail moveIntf isShellBuiltin numCores retry BaseString decode encode "
        "getincrementaldecoder Python3 which",
        "mininet.moduledeps": "moduleDeps pathCheck TUN",
        "mininet.link": "Link Intf TCIntf OVSIntf",
    },
    "mininet.nodelib": {
        "mininet.node": "Node Switch",
        "mininet.log": "info warn",
        "mininet.moduledeps": "pathCheck",
        "mininet.util": "quietRun",
    },
    "mininet.topo": {"mininet.util": "irange natural naturalSeq"},
    "mininet.topolib": {"mininet.topo": "Topo", "mininet.net": "Mininet"},
    "mininet.link": {_WHOLE: "re", "mininet.log": "info error debug", "mininet.util": "makeIntfPair"},
    "mininet.cli": {
        _WHOLE: "select errno sys time os atexit",
        "subprocess": "call",
        "cmd": "Cmd",
        "os": "isatty",
        "select": "poll POLLIN",
        "mininet.log": "info output error",
        "mininet.term": "makeTerms runX11",
        "mininet.util": "quietRun dumpNodeConnections dumpPorts",
    },
    "mininet.util": {
        _WHOLE: "codecs os re sys",
        "functools": "partial",
        "select": "poll POLLIN POLLHUP",
        "subprocess": "call check_call Popen PIPE STDOUT",
        "sys": "exit",
        "time": "sleep",
        "mininet.log": "output info error warn debug",
    },
    "mininet.log": {_WHOLE: "logging types", "logging": "Logger"},
    "mininet.clean": {
        _WHOLE: "os time",
        "subprocess": "Popen PIPE check_output CalledProcessError",
        "mininet.log": "info",
        "mininet.term": "cleanUpScreens",
        "mininet.util": "decode",
    },
    "mininet.term": {"os": "environ", "mininet.log": "error", "mininet.util": "quietRun errRun"},
    "mininet.moduledeps": {
        "os": "environ",
        "sys": "exit",
        "mininet.util": "quietRun BaseString",
        "mininet.log": "info error debug",
    },
}


def offer_reexported(module: ModuleType, name: str) -> None:
    """Have a module of this package offer what Mininet's module `name` has imported."""
    sources = {each: source for source, names in REEXPORTED.get(name, {}).items() for each in names.split()}
    if not sources or "__getattr__" in vars(module):
        return

    def imported(each: str) -> Any:
        if each not in sources:
            raise AttributeError(f"module {name!r} has no attribute {each!r}")
        source = sources[each]
        if source == _WHOLE:
            return importlib.import_module(each)
        place = f"hybridnet.compat.{source}" if source.startswith("mininet.") else source
        return getattr(importlib.import_module(place), each)

    vars(module)["__getattr__"] = imported
    own = vars(module).get("__all__", ())
    vars(module)["__all__"] = [*own, *(each for each in sources if each not in own)]
