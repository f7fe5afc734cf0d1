# SPDX-License-Identifier: MIT
"""What the words of `mn`'s flags stand for: ``--topo tree,2``, ``--switch ovsbr``, and what ``--custom`` files add.

A file of a user's may have dictionaries ``topos``, ``switches``, ``hosts``, ``controllers``, ``links``, ``tests``, a
function ``validate`` of the options, and a class ``CLI`` for the prompt.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial, wraps
from pathlib import Path
from typing import Any

from hybridnet.compat.mininet.cli import CLI
from hybridnet.compat.mininet.controllers.kinds import (
    NOX,
    Controller,
    DefaultController,
    NullController,
    OVSController,
    RemoteController,
    Ryu,
)
from hybridnet.compat.mininet.hosts import CPULimitedHost, Host
from hybridnet.compat.mininet.link import Link, OVSLink, TCLink, TCULink
from hybridnet.compat.mininet.loading.python2 import run_definitions
from hybridnet.compat.mininet.nodelib import LinuxBridge
from hybridnet.compat.mininet.switches import IVSSwitch, OVSBridge, OVSSwitch, UserSwitch
from hybridnet.compat.mininet.topo import (
    LinearTopo,
    MinimalTopo,
    SingleSwitchReversedTopo,
    SingleSwitchTopo,
    Topo,
)
from hybridnet.compat.mininet.topolib import TorusTopo, TreeTopo
from hybridnet.compat.mininet.util import preset, splitArgs
from hybridnet.describe.values import meant, nearest
from hybridnet.errors import HybridnetError, UsageError
from hybridnet.run.prompt.user_code import user_code

__all__ = ["Choices"]

_CHOICES: dict[str, dict[str, Callable[..., Any]]] = {
    "topos": {
        "minimal": MinimalTopo,
        "linear": LinearTopo,
        "reversed": SingleSwitchReversedTopo,
        "single": SingleSwitchTopo,
        "tree": TreeTopo,
        "torus": TorusTopo,
    },
    "switches": {
        "default": OVSSwitch,
        "ovs": OVSSwitch,
        "ovsk": OVSSwitch,
        "ovsbr": OVSBridge,
        "lxbr": LinuxBridge,
        "user": UserSwitch,
        "ivs": IVSSwitch,
    },
    "hosts": {
        "proc": Host,
        "cfs": partial(CPULimitedHost, sched="cfs"),
        "rt": partial(CPULimitedHost, sched="rt"),
    },
    "controllers": {
        "default": DefaultController,
        "ref": Controller,
        "ovsc": OVSController,
        "nox": NOX,
        "remote": RemoteController,
        "ryu": Ryu,
        "none": NullController,
    },
    "links": {"default": Link, "tc": TCLink, "tcu": TCULink, "ovs": OVSLink},
    "tests": {},
}


@dataclass
class Choices:
    """What each word stands for, by kind: topos, switches, hosts, controllers, links, tests."""

    known: dict[str, dict[str, Callable[..., Any]]] = field(
        default_factory=lambda: {kind: dict(named) for kind, named in _CHOICES.items()}
    )
    described: dict[str, str] = field(default_factory=dict)  # classes of topologies: the file of each
    validate: Callable[[Any], object] | None = None
    prompt: Callable[..., Any] = CLI

    def add_files(self, text: str) -> None:
        """Take in what files of a user's define: one path, or several, joined by commas.

        Raises:
            UsageError: there is no such file.
        """
        for name in [text] if Path(text).is_file() else text.split(","):
            if not Path(name).is_file():
                raise UsageError(f"--custom {name}: there is no such file")
            with user_code(name, UsageError):
                found = run_definitions(name)
            self.described |= {
                value.__name__: name
                for value in found.values()
                if isinstance(value, type)
                and issubclass(value, Topo)
                and value.__module__ == found["__name__"]
            }
            for kind, named in self.known.items():
                named.update(found.get(kind, {}))
            self.validate = found.get("validate", self.validate)
            self.prompt = found.get("CLI", self.prompt)

    def made(self, kind: str, text: str) -> Any:
        """Call what ``tree,2,fanout=3`` names with its arguments. Raises UsageError for an unknown name, and for
        arguments that it does not take.
        """
        make, args, kwargs = self._split(kind, text)
        if (wrong := _no_number(make, args, kwargs)) is not None:
            raise UsageError(f"--{_flag(kind)} {text}: {wrong}; it takes {_taken(make)}")
        try:
            return make(*args, **kwargs)
        except HybridnetError:
            raise
        except Exception as problem:  # Mininet's own raise plain ones, as for a torus that is too small
            raise UsageError(f"--{_flag(kind)} {text}: {problem}; it takes {_taken(make)}") from problem

    def chosen(self, kind: str, text: str) -> Any:
        """The class that ``ovs,protocols=OpenFlow13`` names, with its parameters. The one of ``ryu,simple_switch_13``
        comes after the name of the node. Raises UsageError for an unknown name; so does the class for parameters
        without a name that it does not take.
        """
        make, args, kwargs = self._split(kind, text)
        made = preset(make, args, kwargs)
        if not args:
            return made

        @wraps(made)
        def checked(*of_node: Any, **params: Any) -> Any:
            try:
                return made(*of_node, **params)
            except (AttributeError, TypeError, ValueError) as problem:
                words = " ".join(map(str, args))
                raise UsageError(
                    f"--{_flag(kind)} {text}: {words} is not what it takes without a name ({problem}); "
                    "write PARAMETER=VALUE"
                ) from problem

        return checked

    def _split(self, kind: str, text: str) -> tuple[Any, list[Any], dict[str, object]]:
        name, args, kwargs = splitArgs(text)
        named = self.known[kind]
        if name not in named:
            if kind == "topos" and (near := nearest(name, self.described)):
                raise UsageError(
                    f"--topo {text}: {name} does not exist; {self.described[near]} has a class {near}, and "
                    f"--topo knows what a file gives a name: topos = {{{name!r}: {near}}}"
                )
            raise UsageError(
                f"--{_flag(kind)} {text}: {name} does not exist; {meant(name, named)}there are "
                f"{', '.join(sorted(named))}"
            )
        return named[name], args, kwargs


def _signature(make: Any) -> inspect.Signature:
    """What a topology takes: what its `build` does, unless it has a constructor of its own."""
    build = getattr(make, "build", None)
    if build is None or "__init__" in vars(make):
        return inspect.signature(make)
    _, *others = inspect.signature(build).parameters.values()
    return inspect.Signature(others)


def _taken(make: Any) -> str:
    signature = _signature(make)
    bare = [each.replace(annotation=inspect.Parameter.empty) for each in signature.parameters.values()]
    return str(inspect.Signature(bare))


def _no_number(make: Any, args: list[Any], kwargs: dict[str, object]) -> str | None:
    """The first word that is given where a topology wants a whole number, and says so; None if there is none."""
    signature = _signature(make)
    try:
        given = signature.bind(*args, **kwargs).arguments
    except TypeError:
        return None  # the call says what is wrong
    return next(
        (
            f"{name} {value!r} is not a whole number"
            for name, value in given.items()
            if signature.parameters[name].annotation in ("int", int) and not isinstance(value, int)
        ),
        None,
    )


def _flag(kind: str) -> str:
    """The flag that chooses one of a kind: ``switch`` of ``switches``."""
    return {"switches": "switch"}.get(kind, kind.removesuffix("s"))
