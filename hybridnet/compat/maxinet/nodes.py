# SPDX-License-Identifier: MIT
"""What MaxiNet's scripts hold in place of a node: it knows its worker, and is else the node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hybridnet.compat.maxinet.worker import Worker

__all__ = ["NodeWrapper"]


class NodeWrapper:
    """A node of an experiment; methods and attributes are those of the node, as in Mininet. Prints as its name.

    Args:
        nodename: its name.
        worker: where it lives.
    """

    def __init__(self, nodename: str, worker: Worker) -> None:
        self.nn = nodename
        self.worker = worker

    def is_docker(self) -> bool:
        """Whether it is a container; it is not."""
        return False

    def is_libvirt(self) -> bool:
        """Whether it is a virtual machine; it is not."""
        return False

    def _call(self, cmd: str, *params1: Any, **params2: Any) -> Any:
        """Call a method of the node; other nodes among the parameters may be such as this."""
        return self.worker.rpc(
            self.nn,
            cmd,
            *(_node(param) for param in params1),
            **{name: _node(param) for name, param in params2.items()},
        )

    def _get(self, name: str) -> Any:
        """An attribute of the node."""
        return self.worker.rattr(self.nn, name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = self._get(name)
        if not callable(found):
            return found
        return lambda *params1, **params2: self._call(name, *params1, **params2)

    def __str__(self) -> str:
        return self.nn

    def __repr__(self) -> str:
        return f"NodeWrapper ({self.nn} at {self.worker})"


def _node(param: Any) -> Any:
    return param.worker.node(param.nn) if isinstance(param, NodeWrapper) else param
