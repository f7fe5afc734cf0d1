# SPDX-License-Identifier: MIT
"""Commands in many nodes of a machine at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TypedDict, final

from hybridnet.agent.programs.shell import Output, Shell
from hybridnet.errors import HybridnetError, MachineError

__all__ = ["CommandOutput", "output_of", "run_commands"]

_SHOWN = 5  # of those that failed, in an error


@final
class CommandOutput(TypedDict):
    """Of a command that has ended."""

    output: str
    status: int | None
    last_pid: int | None


def output_of(output: Output) -> CommandOutput:
    """As plain data."""
    return {"output": output.text, "status": output.status, "last_pid": output.last_pid}


def run_commands(
    shell_of: Callable[[str], Shell], commands: Mapping[str, str], timeout: float | None
) -> dict[str, CommandOutput]:
    """Run a command in the persistent shell of each node, side by side; wait for all.

    Args:
        commands: by node.
        timeout: seconds after which a command is interrupted; None: none.

    Raises:
        MachineError: a command could not be started or did not end in time; every other one has ended.
    """
    if not commands:
        return {}
    with ThreadPoolExecutor(len(commands)) as threads:
        running = {
            node: threads.submit(_run, shell_of, node, text, timeout) for node, text in commands.items()
        }
    errors = [error for future in running.values() if (error := future.exception()) is not None]
    failed = [str(error) for error in errors if isinstance(error, HybridnetError)]
    if len(failed) < len(errors):
        raise next(error for error in errors if not isinstance(error, HybridnetError))
    if failed:
        more = f"; and {len(failed) - _SHOWN} more" if len(failed) > _SHOWN else ""
        raise MachineError("; ".join(failed[:_SHOWN]) + more)
    return {node: output_of(future.result()) for node, future in running.items()}


def _run(shell_of: Callable[[str], Shell], node: str, text: str, timeout: float | None) -> Output:
    return shell_of(node).run(text, timeout)
