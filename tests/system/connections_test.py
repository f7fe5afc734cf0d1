# SPDX-License-Identifier: MIT
"""A thousand real connections at the same time to one simulated host, each byte-exact.

h1 (namespace) -- veth -- portal -- r1 ---- 2 ms, 1 Gbit/s ---- server (simulated)
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridnet import Net, Topo
from tests.system.live import only, snapshots, wait_until
from tests.system.port_type import PORT_TYPE

CONNECTIONS = 1000
BYTES = 50_000  # over each connection, there and back
PATIENCE_S = 90

CLIENT = f"""
import hashlib, json, resource, selectors, socket, sys, time

address = (sys.argv[1], 7)
resource.setrlimit(resource.RLIMIT_NOFILE, ({CONNECTIONS} + 100,) * 2)
deadline = time.monotonic() + {PATIENCE_S}
selector = selectors.DefaultSelector()


class Talk:
    def __init__(self, number):
        self.socket = socket.socket()
        self.socket.setblocking(False)
        self.unsent = memoryview(hashlib.shake_128(str(number).encode()).digest({BYTES}))
        self.sent, self.heard, self.error = hashlib.sha256(self.unsent), hashlib.sha256(), None
        self.socket.connect_ex(address)
        selector.register(self.socket, selectors.EVENT_WRITE, self)


def wait(done):
    while not done():
        left = deadline - time.monotonic()
        if left <= 0:
            return
        for key, events in selector.select(left):
            yield key.data, events


talks = [Talk(number) for number in range({CONNECTIONS})]
connected = set()
for talk, _ in wait(lambda: len(connected) == len(talks)):
    talk.error = talk.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    selector.unregister(talk.socket)
    connected.add(talk)
together = sum(not talk.error for talk in connected)  # nobody has closed: so many are open now

for talk in connected:
    selector.register(talk.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, talk)
ended = set()
for talk, events in wait(lambda: len(ended) == len(connected)):
    try:
        if events & selectors.EVENT_READ:
            heard = talk.socket.recv(1 << 16)
            talk.heard.update(heard)
            if not heard:
                selector.unregister(talk.socket)
                ended.add(talk)
                continue
        if events & selectors.EVENT_WRITE:
            talk.unsent = talk.unsent[talk.socket.send(talk.unsent) :]
            if not talk.unsent:
                talk.socket.shutdown(socket.SHUT_WR)
                selector.modify(talk.socket, selectors.EVENT_READ, talk)
    except OSError as error:
        talk.error = str(error)
        selector.unregister(talk.socket)
        ended.add(talk)
exact = sum(talk in ended and talk.sent.digest() == talk.heard.digest() for talk in talks)
errors = sorted({{str(talk.error) for talk in talks if talk.error}})
print(json.dumps({{"together": together, "ended": len(ended), "exact": exact, "errors": errors}}))
"""


class Server(Topo):
    def build(self) -> None:
        self.addHost("h1")
        self.addSimRouter("r1")
        self.addSimHost("server", ip="10.9.0.1/24", applications=[{"kind": "tcp_echo", "port": 7}])
        self.addLink("h1", "r1")
        # As many packets as the windows of all together: what is lost here shall not be the queue's doing.
        self.addLink("r1", "server", bw=1000, delay="2ms", max_queue_size=100_000)


@pytest.fixture
def net() -> Iterator[Net]:
    with Net(Server(), port_type=PORT_TYPE) as net:
        yield net


def test_a_thousand_connections_are_open_at_once_and_each_gets_its_bytes_back(
    net: Net, tmp_path: Path
) -> None:
    client = tmp_path / "client.py"
    client.write_text(CLIENT)
    said = json.loads(net["h1"].cmd(f"python3 {client} 10.9.0.1", timeout=PATIENCE_S + 30))
    assert said == {"together": CONNECTIONS, "ended": CONNECTIONS, "exact": CONNECTIONS, "errors": []}

    def echo() -> dict[str, int]:
        [snapshot] = snapshots(net).values()
        return dict(only(snapshot["applications"]))

    # The last acknowledgement of a FIN comes half a round trip after the client has ended.
    wait_until(lambda: echo()["closed"] == CONNECTIONS)
    row = echo()
    assert row["most_open"] == CONNECTIONS
    assert row["accepted"] == CONNECTIONS
    assert row["broken_connections"] == 0
    assert row["answered_bytes"] == CONNECTIONS * BYTES
