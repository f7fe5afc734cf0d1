# SPDX-License-Identifier: MIT
"""Where costs are kept: one file for each computer, under the state directory of the user.

    $XDG_STATE_HOME/hybridnet/costs/COMPUTER.json     ~/.local/state where that is not set

Measuring needs root and planning does not, so what `sudo hybridnet calibrate` measures belongs to the user who asked.
"""

from __future__ import annotations

import json
import os
import pwd
import re
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from hybridnet.agent.machine.facts import Facts
from hybridnet.describe.values import parse_json
from hybridnet.errors import EnvironmentLackError, UsageError
from hybridnet.system.asking_user import asking_user
from hybridnet.tools.forecast.costs import CostFacts, Costs

__all__ = ["MOST_AGE_DAYS", "costs_file", "facts_of", "keep_costs", "read_costs", "stale_because"]

MOST_AGE_DAYS = 90


def facts_of(facts: Facts) -> CostFacts:
    """Those that make costs stale when they change."""
    return {
        "processor": facts["processor"],
        "cpus": len(facts["cpus"]),
        "kernel": facts["kernel"],
        "openvswitch": facts["openvswitch"],
        "kernel_datapath": facts["kernel_datapath"],
        "hybridnet": facts["hybridnet"],
    }


def costs_file(computer: str) -> Path:
    """The file of a computer's costs."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,252}", computer):
        raise UsageError(f"computer {computer!r}: that is not a host name; write the name of one")
    return _state_of(asking_user()[0]) / "hybridnet" / "costs" / f"{computer}.json"


def keep_costs(costs: Costs) -> Path:
    """Write a computer's costs, in place of what was there. Returns the file.

    Raises:
        EnvironmentLackError: it cannot be written.
    """
    path = costs_file(costs.computer)
    uid, gid = asking_user()
    try:
        for folder in reversed([path.parent, *path.parent.parents]):
            if not folder.is_dir():
                folder.mkdir(mode=0o755)
                os.chown(folder, uid, gid)
        # A new name, which nothing stands at: root writes here, in a folder of somebody else's.
        descriptor, new = tempfile.mkstemp(dir=path.parent, prefix=f".{costs.computer}-")
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(json.dumps(costs.to_json(), indent=1) + "\n")
            os.fchmod(descriptor, 0o644)
            os.fchown(descriptor, uid, gid)
        os.replace(new, path)
    except OSError as error:
        raise EnvironmentLackError(
            f"costs of {costs.computer}: {path} cannot be written: {error.strerror}; set XDG_STATE_HOME to a folder "
            "that can"
        ) from None
    return path


def read_costs(computer: str, facts: CostFacts | None = None) -> Costs:
    """The costs of a computer, where they are fresh.

    Args:
        facts: what the computer says of itself now; None: it cannot be asked, and only age and version count.

    Raises:
        UsageError: there are none, they are stale, or the file is damaged.
    """
    path = costs_file(computer)
    try:
        content = parse_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(
            f"forecast: what things cost on {computer} is not known; run `sudo hybridnet calibrate`, once on each "
            "computer"
        ) from None
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{path}: it cannot be read: {error}; run `sudo hybridnet calibrate` again"
        ) from None
    costs = Costs.from_json(content, str(path))
    if why := stale_because(costs, facts):
        raise UsageError(
            f"forecast: the costs of {computer} are stale: {why}; run `sudo hybridnet calibrate` again"
        )
    return costs


def stale_because(costs: Costs, facts: CostFacts | None, now: datetime | None = None) -> str | None:
    """Why costs no longer hold; None where they do.

    Args:
        facts: as of `read_costs`.
        now: None: the present.
    """
    there: Mapping[str, object] = _own_version() if facts is None else facts
    for name, present in there.items():
        if (then := costs.facts.get(name)) != present:
            return f"{name} was {then} and is {present}"
    try:
        age = (now or datetime.now(UTC)) - datetime.fromisoformat(costs.measured_at)
    except (ValueError, TypeError):
        return f"{costs.measured_at!r} is not a time"
    if age.days >= MOST_AGE_DAYS:
        return f"they were measured {age.days} days ago, and hold for {MOST_AGE_DAYS}"
    return None


def _own_version() -> dict[str, str]:
    from hybridnet import __version__

    return {"hybridnet": __version__}


def _state_of(uid: int) -> Path:
    if given := os.environ.get("XDG_STATE_HOME"):
        return Path(given)
    try:
        home = pwd.getpwuid(uid).pw_dir
    except KeyError:  # a user without a name
        home = os.environ.get("HOME", "/")
    return Path(home) / ".local" / "state"
