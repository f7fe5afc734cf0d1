# SPDX-License-Identifier: MIT
"""What is kept of a network lets nobody into it."""

from __future__ import annotations

import json

from hybridnet import Topo
from hybridnet.plan import MachineSpec, PlanOptions, make_plan
from hybridnet.recording.network_record import without_secrets

RUN_KEY, TOKEN = "5e" * 32, "8f" * 8


def test_a_kept_plan_has_neither_token_nor_keys() -> None:
    topo = Topo()
    for machine in ("m1", "m2"):
        topo.addSimHost(f"h-{machine}", machine=machine)
    topo.addLink("h-m1", "h-m2", delay="5ms")
    topo.addLink(topo.addGuest("laptop"), topo.addSwitch("s1", machine="m1"), delay="5ms")
    machines = [MachineSpec("m1", "192.0.2.1", computer="a"), MachineSpec("m2", "192.0.2.2", computer="b")]
    plan = make_plan(topo, machines, PlanOptions(token=TOKEN, peering_key=RUN_KEY))
    secrets = {TOKEN, RUN_KEY, plan.guests["laptop"]["key"]}
    whole, kept = json.dumps(plan.to_json()), json.dumps(without_secrets(plan.to_json()))
    assert {secret for secret in secrets if secret in whole} == secrets
    assert {secret for secret in secrets if secret in kept} == set()
