# SPDX-License-Identifier: MIT
"""Every error that hybridnet raises on purpose.

::

    HybridnetError                 exit 1
    ├── UsageError                 exit 2   the command line or a call asks for something that makes no sense
    │   ├── TopologyError          exit 2   the description: unknown node, duplicate name, unsupported option
    │   ├── UnitError              exit 2   a quantity: no unit, nonsense, out of range
    │   └── PlanError              exit 2   the description cannot be built as asked: addresses, cut links, names
    ├── EnvironmentLackError       exit 3   this computer lacks a package, a privilege, a kernel feature
    ├── MachineError               exit 1   a machine, its agent or something it was told to make
    ├── ControllerError            exit 1   a controller did not start, died, or does not answer
    │   └── ControllerLateError    exit 1   it was not ready in time: its mistake, or a computer that is too busy
    ├── ExperimentError            exit 1   a run failed, or one of its checks does not hold
    └── UntrustedResultError       exit 4   it ran, but the verdict says that its results cannot be trusted

A message is one sentence: the object, the value that is wrong, and the cure. Nothing else leaves hybridnet on purpose:
any other exception is a defect of hybridnet.
"""

from __future__ import annotations

__all__ = [
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
]


class HybridnetError(Exception):
    """The root of the tree; `exit_code` is what a command that ends with it returns."""

    exit_code = 1


class UsageError(HybridnetError):
    """The command line or a call asks for something that makes no sense."""

    exit_code = 2


class TopologyError(UsageError):
    """The description names an unknown node, repeats a name, or uses an option that does not exist."""


class UnitError(UsageError):
    """A quantity has no unit, is not a number, or lies out of range."""


class PlanError(UsageError):
    """The description is well-formed, but cannot be built as asked."""


class EnvironmentLackError(HybridnetError):
    """This computer lacks something; the message says what it means and how to get it."""

    exit_code = 3


class MachineError(HybridnetError):
    """A machine, its agent, or something that it was told to make or run."""


class ControllerError(HybridnetError):
    """A controller did not start, died, or does not answer."""


class ControllerLateError(ControllerError):
    """A controller was not ready in time: its own mistake, or a computer that is too busy."""


class ExperimentError(HybridnetError):
    """A run failed, or one of its checks does not hold."""


class UntrustedResultError(HybridnetError):
    """The run ended, but its verdict says that the results cannot be trusted."""

    exit_code = 4
