# SPDX-License-Identifier: MIT
"""Where the controllers of a network are begun."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hybridnet.errors import ControllerError
from hybridnet.run.controllers.kinds import RemoteController
from hybridnet.run.net.controllers import Controllers
from hybridnet.system.ending import Endings


class Begun(RemoteController):
    """Notes where it is to be reached."""

    def begin(self, head_address: str, others: Sequence[str] = ()) -> None:
        self.at = [head_address, *others]


def test_controllers_begin_at_every_address_that_their_machines_are_given() -> None:
    heads = {"m1": "10.99.1.1", "m2": "10.99.2.1", "m3": "10.99.1.1"}
    controllers = Controllers(None)
    every, one = Begun("c0"), Begun("c1", machines=["m1", "m3"])
    controllers.all += [every, one]
    controllers.begin(heads, Endings())
    assert (every.at, one.at) == (["10.99.1.1", "10.99.2.1"], ["10.99.1.1"])
    every.at_several_addresses = False
    with pytest.raises(
        ControllerError, match=r"c0: its machines reach this computer at 10\.99\.1\.1, 10\.99\.2\.1"
    ):
        controllers.begin(heads, Endings())
