# SPDX-License-Identifier: MIT
"""Offloads of devices, remembered so that they can be put back if an instance could not do it itself.

A portal changes offloads of its device and of the other end of a veth pair, and puts them back when its instance ends.
An instance that was killed leaves them changed. Networks remove their devices anyway; a wire's belong to the user.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable

from hybridnet.system.command import run

_FEATURE = re.compile(r"^\s*([\w-]+): (on|off)(?: \[(fixed|requested \w+)\])?$", re.MULTILINE)


class DeviceFeatures:
    """What `ethtool -k` says about devices of this namespace, and about their other ends here, at one time."""

    def __init__(self, devices: Iterable[str]) -> None:
        """Read them; a device that does not exist has none."""
        self._before: dict[str, dict[str, str]] = {}
        for device in devices:
            for each in (device, _other_end(device)):
                if each is not None and (features := _features(each)):
                    self._before[each] = features

    def put_back(self) -> None:
        """Set what differs now back to what it was, if the device still exists."""
        for device, before in self._before.items():
            now = _features(device)
            changed = {name: value for name, value in before.items() if now.get(name, value) != value}
            if changed:
                run(["ethtool", "-K", device, *(word for change in changed.items() for word in change)])


def _features(device: str) -> dict[str, str]:
    """Return the features that can be changed; none if there is no such device."""
    done = subprocess.run(["ethtool", "-k", device], capture_output=True, text=True, check=False)
    return {name: value for name, value, note in _FEATURE.findall(done.stdout) if note != "fixed"}


def _other_end(device: str) -> str | None:
    """The other end of a veth pair, if it is in this namespace."""
    done = subprocess.run(
        ["ip", "-json", "link", "show", "dev", device], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        return None
    [link] = filter(None, json.loads(done.stdout))
    return None if "link_netnsid" in link else link.get("link")
