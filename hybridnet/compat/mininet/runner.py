# SPDX-License-Identifier: MIT
"""What `mn` does: make the network that its flags describe, try it, or open the prompt."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from hybridnet.compat.mininet.choices import Choices
from hybridnet.compat.mininet.clean import cleanup
from hybridnet.compat.mininet.controllers.kinds import findController
from hybridnet.compat.mininet.hosts import Host
from hybridnet.compat.mininet.lenient_options import tolerate
from hybridnet.compat.mininet.loading.importing import take_the_name
from hybridnet.compat.mininet.log import info, output, setLogLevel
from hybridnet.compat.mininet.machines import Machines, end_machines, machines_over, spread_over
from hybridnet.compat.mininet.net import VERSION, Mininet, MininetWithControlNet
from hybridnet.compat.mininet.util import splitArgs
from hybridnet.errors import UsageError

__all__ = ["run", "tests_of"]

_SPELLINGS = {"pingall": "pingAll", "pingpair": "pingPair"}
_NOTHING = ("none", "build")
_OF_NAT = (
    "name", "connect", "inNamespace", "subnet", "localIntf", "flush", "ip", "mac", "defaultRoute", "privateDirs"
)  # fmt: skip


def run(arguments: Any) -> int:
    """Run what the flags of `hybridnet mn` say; see `hybridnet.cli.mn`. Returns 0.

    Raises:
        HybridnetError: the flags make no sense, or the network cannot be made.
    """
    setLogLevel(arguments.verbosity)
    if arguments.version:
        output(f"{VERSION}\n")
        return 0
    if arguments.clean:
        cleanup()
        return 0
    start = time.monotonic()
    take_the_name()  # for what --custom files import
    choices = Choices()
    for files in arguments.custom:
        choices.add_files(files)
    if choices.validate is not None:
        choices.validate(arguments)
    spread_over(_machines(arguments))
    try:
        _try(_made(arguments, choices), arguments, choices)
    finally:
        end_machines()
    info(f"completed in {time.monotonic() - start:0.3f} seconds\n")
    return 0


def _try(net: Mininet, arguments: Any, choices: Choices) -> None:
    """Start the network, test it or open the prompt, and stop it."""
    tests = tests_of(net, arguments.test, choices.known["tests"])
    try:
        if arguments.pre:
            choices.prompt(net, script=arguments.pre)
        net.start()
        for test in tests:
            test()
        if not arguments.test:
            choices.prompt(net)
        if arguments.post:
            choices.prompt(net, script=arguments.post)
    finally:
        net.stop()


def tests_of(
    net: Mininet, asked: list[str], known: Mapping[str, Callable[..., object]]
) -> list[Callable[[], object]]:
    """What is to be called once the network runs.

    Args:
        asked: names such as ``pingall`` or ``iperf,seconds=2``, several joined by ``+``.
        known: a user's own tests, functions of the network.

    Raises:
        UsageError: the network has no such test.
    """
    found: list[Callable[[], object]] = []
    for text in [part for test in asked for part in test.split("+")]:
        name, args, kwargs = splitArgs(text)
        if name in known and callable(known[name]):
            found.append(_call(text, known[name], net, *args, **kwargs))
        elif name == "all":
            found += [net.ping, net.iperf]
        elif name.lower() == "iperfudp":
            found.append(_call(text, net.iperf, *args, **{"l4Type": "UDP", **kwargs}))
        elif name not in _NOTHING:
            method = getattr(net, _SPELLINGS.get(name.lower(), name), None)
            if method is None:
                raise UsageError(
                    f"--test {text}: there is no such test; there are all, build, iperf, iperfudp, none, pingall, "
                    f"pingpair{''.join(', ' + own for own in sorted(known))}"
                )
            found.append(_call(text, method, *args, **kwargs))
    return found


def _call(text: str, test: Callable[..., object], *args: Any, **kwargs: Any) -> Callable[[], object]:
    """A call of a test with the arguments that `text` gives. Raises UsageError where it does not take them."""
    try:
        inspect.signature(test).bind(*args, **kwargs)
    except TypeError as problem:
        raise UsageError(f"--test {text}: {problem}; it takes {inspect.signature(test)}") from None
    return partial(test, *args, **kwargs)


def _machines(arguments: Any) -> Machines | None:
    """The machines that the flags name; None: this computer itself."""
    if arguments.placement is not None:
        tolerate(f"--placement {arguments.placement}", "METIS chooses which node goes where")
    delay_ns = arguments.cut_delay
    servers = arguments.cluster.split(",") if arguments.cluster else []
    if not servers:
        return Machines(arguments.machines, least_cut_delay_ns=delay_ns) if arguments.machines else None
    return machines_over(servers, {}, least_cut_delay_ns=delay_ns)


def _made(arguments: Any, choices: Choices) -> Mininet:
    """The network that the flags describe, not started."""
    switch, controllers = arguments.switch, arguments.controller or ["default"]
    lacks_one = not arguments.controller and switch == "default" and findController() is None
    if lacks_one:
        switch, controllers = "ovsbr", ["none"]
    tested = bool(arguments.test) and not all(test in _NOTHING for test in arguments.test)
    host = choices.chosen("hosts", arguments.host)
    kind = MininetWithControlNet if arguments.innamespace else Mininet
    net = kind(
        topo=choices.made("topos", arguments.topo),
        switch=choices.chosen("switches", switch),
        host=Host if arguments.host == "proc" else host,
        controller=[choices.chosen("controllers", each) for each in controllers],
        link=choices.chosen("links", arguments.link),
        ipBase=arguments.ipbase,
        inNamespace=arguments.innamespace,
        xterms=arguments.xterms,
        autoSetMacs=arguments.mac,
        autoStaticArp=arguments.arp,
        autoPinCpus=arguments.pin,
        waitConnected=True if tested and arguments.wait is False else arguments.wait,
        listenPort=arguments.listenport,
    )
    if lacks_one:
        info("*** No controller is installed: switches learn by themselves\n")
    if arguments.nat is not None:
        net.addNAT(**nat_parameters(arguments.nat)).configDefault()
    return net


def nat_parameters(text: str) -> dict[str, Any]:
    """What --nat gives the NAT.

    Raises:
        UsageError: a word is not one of its parameters.

    Example:
        >>> nat_parameters("name=nat7,ip=10.0.0.250")
        {'name': 'nat7', 'ip': '10.0.0.250'}
    """
    _, args, kwargs = splitArgs(f"nat,{text}" if text else "nat")
    for word in (*args, *(name for name in kwargs if name not in _OF_NAT)):
        raise UsageError(
            f"--nat {text}: {word} is not one of its parameters; write PARAMETER=VALUE, such as name=nat0; there are "
            f"{', '.join(_OF_NAT)}"
        )
    return kwargs
