# SPDX-License-Identifier: MIT
"""How a flow is followed to its end; tests/system/live_flows_test.py has iperf3 in hosts."""

from __future__ import annotations

import subprocess
from typing import Any

from hybridnet.run.live.flows import Flow, Flows


class Program(subprocess.Popen[str]):
    """As `hybridnet.run.node.popen.Popen`, on this computer itself."""

    def __init__(self, text: str) -> None:
        super().__init__(["sh", "-c", text], stdout=subprocess.PIPE, text=True)

    def close(self) -> None:
        self.kill()
        self.wait()
        assert self.stdout is not None
        self.stdout.close()


def test_a_client_that_does_not_end_leaves_no_server_behind(monkeypatch: Any) -> None:
    server, client = Program("echo listening; exec sleep 1000"), Program("echo said; exec sleep 1000 >&-")
    monkeypatch.setattr(client, "wait", lambda seconds=None, end=client.wait: end(seconds and 0.2))
    flow = Flow(1, "h1", "h2", "TCP", 1.0, (server, client))  # type: ignore[arg-type]
    Flows(None)._follow(flow)  # type: ignore[arg-type]
    assert flow.state == "failed"
    assert "timed out" in flow.error
    assert (server.poll(), client.poll()) == (-9, -9)
