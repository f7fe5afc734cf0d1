# SPDX-License-Identifier: MIT
"""Wrong values for verbs that act on a network that runs: only errors of hybridnet's, soon, and the network works on.

The shells of the hosts are real, so what a shell would obey is not drawn here;
`tests/bad_input` draws it for agents that make nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from subprocess import TimeoutExpired
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridnet import Net, Topo
from hybridnet.system.log import setLogLevel
from tests.bad_input.values import WRONG
from tests.bad_input.walk import WALK, Subject, attempt
from tests.system.port_type import PORT_TYPE

HARMLESS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.binary(max_size=4), st.builds(object)
)


class Small(Topo):
    """Two hosts at a switch; one link is simulated."""

    def build(self, **_: Any) -> None:
        self.addSwitch("s1", failMode="standalone")
        self.addLink(self.addHost("h1"), "s1")
        self.addLink(self.addHost("h2"), "s1", bw=100, delay="1ms")


@pytest.fixture(scope="module")
def net() -> Iterator[Net]:
    setLogLevel("critical")
    with Net(Small(), controller=None, port_type=PORT_TYPE) as network:
        assert network.pingAll(timeout=5) == 0
        yield network
    setLogLevel("info")


# The verb, its good arguments, and what is drawn where good values would do something.
VERBS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("net.set_link", {"src": "h2", "dst": "s1", "key": None, "bw": 100, "delay": "1ms", "loss": None, "aqm": None}, {}),
    ("net.configLinkStatus", {"src": "h2", "dst": "s1", "status": "up"}, {}),
    ("net.snapshot", {"of_elements": False}, {}),
    ("net.run_all", {"commands": {"h1": "true"}, "timeout": 5}, {"commands": HARMLESS, "timeout": HARMLESS}),
    ("net.ping", {"hosts": ["h1", "h2"], "timeout": 0.1}, {"timeout": st.sampled_from([None, "x", -1, 0.1, [1], 0])}),
    ("h1.execute", {"argv": ["true"], "timeout": 5}, {}),
    ("h1.setIP", {"ip": "10.0.0.1/8", "prefixLen": 8, "intf": None}, {}),
    ("h1.setMAC", {"mac": "02:00:00:00:00:77", "intf": None}, {}),
    ("h1.setARP", {"ip": "10.0.0.9", "mac": "02:00:00:00:00:01"}, {}),
    ("h1.setHostRoute", {"ip": "10.0.0.9", "intf": "h1-eth0"}, {}),
    ("h1.set_interface", {"name": "h1-eth0", "up": True}, {}),
    ("h1.popen", {"args": ["true"], "cwd": None, "env": None, "stdin": None}, {"args": HARMLESS}),
    ("cluster.call", {"machine": "m1", "verb": "facts"}, {}),
]  # fmt: skip
CASES = [(verb, argument) for verb, good, _ in VERBS for argument in good]


def bound(net: Net, verb: str) -> Callable[..., object]:
    target, method = verb.split(".")
    owner: Any = net if target == "net" else net.cluster if target == "cluster" else net[target]

    def call(*, args: Any = None, **arguments: Any) -> object:
        done = getattr(owner, method)(*(() if args is None else (args,)), **arguments)
        if method == "popen":
            done.communicate(timeout=5)
        return done

    return call


@pytest.mark.parametrize(("verb", "argument"), CASES)
def test_a_wrong_value_is_refused_well_and_the_network_works_on(net: Net, verb: str, argument: str) -> None:
    good, drawn = next((good, drawn) for name, good, drawn in VERBS if name == verb)
    subject = Subject(verb, bound(net, verb), good, also=(TimeoutExpired,), watched=("children",))
    before = devices(net)

    @WALK
    @given(drawn.get(argument, WRONG))
    def walk(value: Any) -> None:
        attempt(subject, argument, value)

    walk()
    net["h1"].setIP("10.0.0.1/8")
    net.configLinkStatus("h1", "s1", "up")
    net.configLinkStatus("h2", "s1", "up")
    net.set_link("h2", "s1", bw=100, delay="1ms", loss=None, aqm=None)
    assert devices(net) == before
    assert net.ping(timeout=5) == 0


def devices(net: Net) -> list[str]:
    """The names of the devices of the machine and of its hosts."""
    return [
        name
        for done in (
            net.cluster.call("m1", "exec", argv=["ls", "/sys/class/net"], node=node)
            for node in ("", "h1", "h2")
        )
        for name in done["stdout"].decode().split()
    ]
