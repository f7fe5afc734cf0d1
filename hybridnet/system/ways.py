# SPDX-License-Identifier: MIT
"""How a program gets into a node.

On its way it passes through programs of the computer: one gives it a session, another its priority. Where a node has
the computer's files, these run in the node already. Where it has an image, which may have none of them, they run before
it enters. Variables for the dynamic loader, which an image may have for its own programs, reach only these: a program
of the computer would load what the computer has at those places.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["Way"]

_OF_LOADER = ("LD_", "GLIBC_TUNABLES")  # how their names begin: ld.so(8)
_TAKE = """n=$1; shift
while [ "$n" -gt 0 ]; do export "$1"; shift; n=$((n-1)); done
exec "$@\""""


@dataclass(frozen=True)
class Way:
    """The words before and between.

    Args:
        tools: what puts a program of the computer into the node's network, with the computer's files, or what the node
            has of them; empty: the node is in the machine's own namespaces.
        image: what puts a program into the node's image; empty: it has none.
        environment: of programs in the image, which get none of the computer's.
        shell: the node's shell.
    """

    tools: Sequence[str] = ()
    image: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    shell: Sequence[str] = ("bash",)

    @property
    def before(self) -> list[str]:
        """What goes before programs of the computer that prepare another one."""
        return [] if self.image else list(self.tools)

    def within(self, further: Mapping[str, str]) -> list[str]:
        """What goes between these and the program itself.

        Args:
            further: variables of its environment.
        """
        if not self.image:
            return []
        program = shutil.which(self.image[0]) or self.image[0]  # the image may say another PATH
        variables = {**self.environment, **further}
        of_loader = {name: value for name, value in variables.items() if name.startswith(_OF_LOADER)}
        others = {name: value for name, value in variables.items() if name not in of_loader}
        return ["env", "-i", *_set(others), program, *self.image[1:], *self._taking(of_loader)]

    def _taking(self, variables: Mapping[str, str]) -> list[str]:
        """What gives them to a program within the image."""
        if not variables:
            return []
        return [*self.shell, "--norc", "-c", _TAKE, "bash", str(len(variables)), *_set(variables)]


def _set(variables: Mapping[str, str]) -> list[str]:
    return [f"{name}={value}" for name, value in variables.items()]
