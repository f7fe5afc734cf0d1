# SPDX-License-Identifier: MIT
"""What a plan says of the applications of simulated hosts, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet.describe.topo import Topo
from hybridnet.errors import PlanError
from tests.hybridnet.plan.support import plan


def asking(client: dict[str, Any], server: dict[str, Any]) -> Topo:
    topo = Topo()
    topo.addSimHost(
        "asks", applications=[{"kind": "request_client", "destination": "answers", "port": 80, **client}]
    )
    topo.addSimHost("answers", applications=[{"kind": "request_server", "port": 80, **server}])
    topo.addLink("asks", "answers", delay="1ms")
    return topo


def test_a_client_whose_server_has_other_sizes_is_refused() -> None:
    with pytest.raises(
        PlanError,
        match="simhost asks: request_client to answers: request is 200 bytes, and 100 at the request_server there",
    ):
        plan(asking({"request": "200 B"}, {}))
    with pytest.raises(PlanError, match="response is 10000 bytes, and 5000 at"):
        plan(asking({}, {"response": "5 kB"}))


def test_a_client_may_say_the_servers_sizes_or_ask_another_port() -> None:
    plan(asking({"request": "200 B"}, {"request": "200 B"}))
    plan(asking({"request": "200 B", "port": 81}, {}))
