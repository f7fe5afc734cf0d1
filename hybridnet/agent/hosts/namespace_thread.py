# SPDX-License-Identifier: MIT
"""A thread that goes into hosts' network namespaces, so that looking into 64 of them takes no 64 processes.

A network namespace belongs to a thread, and a process started by a thread starts in its namespace: the same thread also
runs commands there without `nsenter`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from hybridnet.agent.hosts.host_namespaces import NETWORK_DIRECTORY
from hybridnet.errors import MachineError
from hybridnet.system.network_namespace import enter_network
from hybridnet.system.priority import Priority, raise_thread

Result = TypeVar("Result")


class NamespaceThread:
    """One thread that runs functions in network namespaces, one after the other."""

    def __init__(self) -> None:
        self._home = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        self._executor = ThreadPoolExecutor(
            1, "namespace", initializer=raise_thread, initargs=(Priority.AGENT,)
        )

    def run(self, host: str, function: Callable[[], Result]) -> Result:
        """Return what `function` returns in the network namespace of `host`."""
        return self._executor.submit(self._run, host, function).result()

    def run_each(self, hosts: list[str], function: Callable[[str], Result]) -> list[Result]:
        """Call `function` with each name, in that host's network namespace; an empty name is the machine."""
        return self._executor.submit(
            lambda: [self._run(host, lambda name=host: function(name)) for host in hosts]  # type: ignore[misc]
        ).result()

    def at(self, namespace: int, function: Callable[[], Result]) -> Result:
        """Return what `function` returns in the network namespace of a descriptor."""
        return self._executor.submit(self._run_at, namespace, "another namespace", function).result()

    def close(self) -> None:
        """End the thread."""
        self._executor.shutdown()
        os.close(self._home)

    def _run(self, host: str, function: Callable[[], Result]) -> Result:
        if not host:
            return function()
        try:
            inside = os.open(f"{NETWORK_DIRECTORY}/{host}", os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            raise MachineError(
                f"host {host} does not exist on this machine; build the network first"
            ) from None
        try:
            return self._run_at(inside, host, function)
        finally:
            os.close(inside)

    def _run_at(self, namespace: int, whose: str, function: Callable[[], Result]) -> Result:
        self._enter(namespace, whose)
        try:
            return function()
        finally:
            self._enter(self._home, "the machine")

    def _enter(self, descriptor: int, whose: str) -> None:
        try:
            enter_network(descriptor)
        except OSError as error:
            raise MachineError(
                f"cannot enter the network namespace of {whose}: {os.strerror(error.errno or 0)}"
            ) from None
