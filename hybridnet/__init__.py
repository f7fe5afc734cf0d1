# SPDX-License-Identifier: MIT
"""Networks that are part emulated and part simulated in real time.

Everything public is listed here. Names are loaded when they are first used, so describing and planning a
network needs neither Dask nor the simulator.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    __version__: str
    from hybridnet.cli.shell import CLI
    from hybridnet.cluster import Cluster
    from hybridnet.controllers import Controller, OVSController, RemoteController, Ryu
    from hybridnet.errors import (
        ControllerError,
        EnvironmentLackError,
        ExperimentError,
        HybridnetError,
        MachineError,
        PlanError,
        TopologyError,
        UnitError,
        UntrustedResultError,
        UsageError,
    )
    from hybridnet.generate import Generator, Receiver
    from hybridnet.net import Mininet, Net
    from hybridnet.node import (
        CPULimitedHost,
        Host,
        Intf,
        Link,
        LinuxBridge,
        Node,
        OVSKernelSwitch,
        OVSSwitch,
        Switch,
        TCIntf,
        TCLink,
    )  # fmt: skip
    from hybridnet.plan import MachineSpec, PeeringOptions, Plan, PlanOptions, RealtimeOptions, make_plan
    from hybridnet.recording.outcome import result
    from hybridnet.sweep.values import value
    from hybridnet.system.log import debug, error, info, output, setLogLevel, warn
    from hybridnet.topo import External, Topo
    from hybridnet.wire import Wire

_HOMES = {
    "cli.shell": ["CLI"],
    "cluster": ["Cluster"],
    "errors": [
        "ControllerError",
        "EnvironmentLackError",
        "ExperimentError",
        "HybridnetError",
        "MachineError",
        "PlanError",
        "TopologyError",
        "UnitError",
        "UntrustedResultError",
        "UsageError",
    ],
    "generate": ["Generator", "Receiver"],
    "system.log": ["debug", "error", "info", "output", "setLogLevel", "warn"],
    "net": ["Mininet", "Net"],
    "controllers": ["Controller", "OVSController", "RemoteController", "Ryu"],
    "node": [
        "CPULimitedHost",
        "Host",
        "Intf",
        "Link",
        "LinuxBridge",
        "Node",
        "OVSKernelSwitch",
        "OVSSwitch",
        "Switch",
        "TCIntf",
        "TCLink",
    ],
    "plan": ["MachineSpec", "PeeringOptions", "Plan", "PlanOptions", "RealtimeOptions", "make_plan"],
    "recording.outcome": ["result"],
    "sweep.values": ["value"],
    "topo": ["External", "Topo"],
    "wire": ["Wire"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "CLI",
    "CPULimitedHost",
    "Cluster",
    "Controller",
    "ControllerError",
    "EnvironmentLackError",
    "ExperimentError",
    "External",
    "Generator",
    "Host",
    "HybridnetError",
    "Intf",
    "Link",
    "LinuxBridge",
    "MachineError",
    "MachineSpec",
    "Mininet",
    "Net",
    "Node",
    "OVSController",
    "OVSKernelSwitch",
    "OVSSwitch",
    "PeeringOptions",
    "Plan",
    "PlanError",
    "PlanOptions",
    "RealtimeOptions",
    "Receiver",
    "RemoteController",
    "Ryu",
    "Switch",
    "TCIntf",
    "TCLink",
    "Topo",
    "TopologyError",
    "UnitError",
    "UntrustedResultError",
    "UsageError",
    "Wire",
    "__version__",
    "debug",
    "error",
    "info",
    "make_plan",
    "output",
    "result",
    "setLogLevel",
    "value",
    "warn",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version  # a tenth of what a small network takes to start

        return version("hybridnet")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'hybridnet' has no attribute {name!r}")
    return getattr(importlib.import_module(f"hybridnet.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    return __all__
