# SPDX-License-Identifier: MIT
"""A map in GraphML and a network in YAML are built as they say."""

from __future__ import annotations

import time
from pathlib import Path

from hybridnet import Net, Ryu
from hybridnet.plan.files import read_topology
from hybridnet.run.net.ping_matrix import PingMatrix
from tests.hybridnet.plan.files.graphml_test import BERLIN, MUNICH, ROME, a_map

YAML = """\
hosts: {h1: {ip: 10.7.0.1/16}, h2: {ip: 10.7.0.2/16}}
simulated_switches: {w1:}
simulated_hosts:
  web: {ip: 10.7.0.9/16, applications: [{kind: http_server, port: 80, path: /file, size: 100 kB}]}
links:
  - {between: [h1, w1], bw: 100, delay: 3ms}
  - {between: [h2, w1]}
  - {between: [web, w1]}
"""


FOUND_S = 10  # on a busy computer the controller is still choosing ways when the network has started


def test_a_map_with_a_loop_is_reached_everywhere_with_the_delay_of_its_distances(tmp_path: Path) -> None:
    topo = read_topology(a_map(tmp_path, [BERLIN, MUNICH, ROME], [(0, 1, ""), (1, 2, ""), (2, 0, "")]))
    ways = {
        ("h1", "h2"): ("Berlin", "Mnchen"),
        ("h2", "h3"): ("Mnchen", "Rome"),
        ("h3", "h1"): ("Rome", "Berlin"),
    }
    one_way_ms = {pair: topo.spec(*places).a_to_b.delay_ns / 1e6 for pair, places in ways.items()}
    around_ms = sum(one_way_ms.values())
    short = list(one_way_ms.items())[:2]

    def direct(matrix: PingMatrix) -> bool:
        """Not the other way around."""
        return all(min(matrix.rtts_ms[pair]) < 2 * (around_ms - delay_ms) for pair, delay_ms in short)

    with Net(topo, controller=Ryu("c0")) as net:
        assert net.pingAll(timeout=5) == 0
        limit = time.monotonic() + FOUND_S
        matrix = net.ping_matrix(count=3)
        while not direct(matrix) and time.monotonic() < limit:
            matrix = net.ping_matrix(count=3)
    assert direct(matrix)
    for pair, delay_ms in short:
        assert delay_ms > 2, "some hundred kilometres"
        assert 2 * delay_ms <= min(matrix.rtts_ms[pair])


def test_yaml_describes_emulated_and_simulated_nodes(tmp_path: Path) -> None:
    file = tmp_path / "net.yaml"
    file.write_text(YAML)
    with Net(read_topology(file)) as net:
        assert net["h1"].IP() == "10.7.0.1"
        assert min(net.ping_matrix(count=3).rtts_ms["h1", "h2"]) >= 6
        assert net["h2"].cmd("curl -sS http://10.7.0.9/file | wc -c").strip() == "100000"
