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
    from hybridnet.describe.topo import External, Topo
    from hybridnet.errors import (
        ControllerError,
        ControllerLateError,
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
    from hybridnet.kinds.linux import LinuxBridge
    from hybridnet.machines.cluster import Cluster
    from hybridnet.machines.workers.ssh import SshMachine
    from hybridnet.observe.recording.outcome import result
    from hybridnet.observe.results.limits import Limits
    from hybridnet.plan.files.topohub import Topohub
    from hybridnet.plan.network import (
        MachineSpec,
        PeeringOptions,
        Plan,
        PlanOptions,
        RealtimeOptions,
        make_plan,
    )
    from hybridnet.run.controllers import (
        Controller,
        Faucet,
        Gauge,
        OsKen,
        OVSController,
        RemoteController,
        Ryu,
    )
    from hybridnet.run.live import Client
    from hybridnet.run.net import Net, Sampling
    from hybridnet.run.node import (
        CPULimitedHost,
        Host,
        Intf,
        Link,
        Node,
        OVSKernelSwitch,
        OVSSwitch,
        Switch,
    )  # fmt: skip
    from hybridnet.run.prompt.shell import CLI
    from hybridnet.simulate.flows import Workload
    from hybridnet.simulate.instance.replay import replay
    from hybridnet.simulate.offline import Condition, FastForward
    from hybridnet.system.log import debug, error, info, output, setLogLevel, warn
    from hybridnet.tools.generate import Generator, Receiver
    from hybridnet.tools.sweep.values import value
    from hybridnet.tools.wire import Wire

_HOMES = {
    "run.prompt.shell": ["CLI"],
    "machines.cluster": ["Cluster"],
    "errors": [
        "ControllerError",
        "ControllerLateError",
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
    "tools.generate": ["Generator", "Receiver"],
    "system.log": ["debug", "error", "info", "output", "setLogLevel", "warn"],
    "run.net": ["Net", "Sampling"],
    "run.controllers": ["Controller", "Faucet", "Gauge", "OVSController", "OsKen", "RemoteController", "Ryu"],
    "kinds.linux": ["LinuxBridge"],
    "run.node": [
        "CPULimitedHost",
        "Host",
        "Intf",
        "Link",
        "Node",
        "OVSKernelSwitch",
        "OVSSwitch",
        "Switch",
    ],
    "plan.files.topohub": ["Topohub"],
    "plan.network": ["MachineSpec", "PeeringOptions", "Plan", "PlanOptions", "RealtimeOptions", "make_plan"],
    "machines.workers.ssh": ["SshMachine"],
    "observe.recording.outcome": ["result"],
    "observe.results.limits": ["Limits"],
    "run.live": ["Client"],
    "simulate.instance.replay": ["replay"],
    "simulate.flows": ["Workload"],
    "simulate.offline": ["Condition", "FastForward"],
    "tools.sweep.values": ["value"],
    "describe.topo": ["External", "Topo"],
    "tools.wire": ["Wire"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "CLI",
    "CPULimitedHost",
    "Client",
    "Cluster",
    "Condition",
    "Controller",
    "ControllerError",
    "ControllerLateError",
    "EnvironmentLackError",
    "ExperimentError",
    "External",
    "FastForward",
    "Faucet",
    "Gauge",
    "Generator",
    "Host",
    "HybridnetError",
    "Intf",
    "Limits",
    "Link",
    "LinuxBridge",
    "MachineError",
    "MachineSpec",
    "Net",
    "Node",
    "OVSController",
    "OVSKernelSwitch",
    "OVSSwitch",
    "OsKen",
    "PeeringOptions",
    "Plan",
    "PlanError",
    "PlanOptions",
    "RealtimeOptions",
    "Receiver",
    "RemoteController",
    "Ryu",
    "Sampling",
    "SshMachine",
    "Switch",
    "Topo",
    "Topohub",
    "TopologyError",
    "UnitError",
    "UntrustedResultError",
    "UsageError",
    "Wire",
    "Workload",
    "__version__",
    "debug",
    "error",
    "info",
    "make_plan",
    "output",
    "replay",
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
