# SPDX-License-Identifier: MIT
"""A stand-in for geni-lib, which is not installed here: as much of its interface as `cloudlab/profile.py` uses.

It records what a profile asks for. That the real geni-lib asks CloudLab for the same has been tried by hand: see
docs/cloudlab.md.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Any


class Recorded:
    """An object of a request: what was set on it, and what was added to it."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.added: list[Any] = []

    def addInterface(self, given: Any) -> Any:
        interface = given if isinstance(given, Recorded) else Recorded(f"{self.name}:{given}")
        self.added.append(interface)
        return interface

    def addAddress(self, address: Any) -> None:
        self.added.append(address)

    addService = addAddress


class Request:
    """An RSpec in the making."""

    def __init__(self) -> None:
        self.nodes: list[Recorded] = []
        self.links: list[Recorded] = []

    def RawPC(self, name: str) -> Recorded:
        self.nodes.append(Recorded(name))
        return self.nodes[-1]

    def LAN(self, name: str) -> Recorded:
        self.links.append(Recorded(name))
        return self.links[-1]


class ParameterType:
    INTEGER, STRING, IMAGE, NODETYPE = "integer", "string", "image", "nodetype"
    BANDWIDTH, LATENCY = "bandwidth", "latency"


class Refused(Exception):
    """The portal shows the user an error instead of making the experiment."""


def geni_of(values: Mapping[str, Any]) -> tuple[dict[str, types.ModuleType], list[Request]]:
    """Modules that stand in for geni-lib's, and the requests that a profile prints.

    Args:
        values: of parameters, as the user of the portal gives them; the others have their defaults.
    """
    printed: list[Request] = []

    class Context:
        def __init__(self) -> None:
            self.parameters: dict[str, Any] = {}

        def defineParameter(
            self,
            name: str,
            what: str,
            kind: str,
            default: Any,
            legalValues: list[tuple[str, str]] | None,
            longDescription: str,
        ) -> None:
            assert what
            assert longDescription
            value = values.get(name, default)
            if legalValues is not None and value not in dict(legalValues):
                raise Refused(f"{name}: {value}")
            self.parameters[name] = value

        def bindParameters(self) -> types.SimpleNamespace:
            assert set(values) <= set(self.parameters)
            return types.SimpleNamespace(**self.parameters)

        def reportError(self, error: str) -> None:
            raise Refused(error)

        def makeRequestRSpec(self) -> Request:
            return Request()

        def printRequestRSpec(self, request: Request) -> None:
            printed.append(request)

    portal = types.ModuleType("geni.portal")
    vars(portal).update(Context=Context, ParameterType=ParameterType, ParameterError=str)
    pg = types.ModuleType("geni.rspec.pg")
    vars(pg).update(
        IPv4Address=lambda address, netmask: ("ip", address, netmask),
        Execute=lambda shell, command: ("execute", shell, command),
    )
    rspec, geni = types.ModuleType("geni.rspec"), types.ModuleType("geni")
    vars(rspec).update(pg=pg)
    vars(geni).update(portal=portal, rspec=rspec)
    return {"geni": geni, "geni.portal": portal, "geni.rspec": rspec, "geni.rspec.pg": pg}, printed
