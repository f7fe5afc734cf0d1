# SPDX-License-Identifier: MIT
"""Changes of Mininet's network while it runs: nodes and links that come, and that go."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from hybridnet.compat.mininet.switches import Switch

if TYPE_CHECKING:
    from hybridnet.compat.mininet.link import Link
    from hybridnet.compat.mininet.making import Making

__all__ = ["configure_ends", "join_link", "join_node", "remove_link", "remove_node"]


def join_node(net: Making, node: Any) -> None:
    """Make a node that the network has taken. Where that fails, the network has not got it."""
    live = net.running()
    placed = {}
    if net.machines is not None and node.name in net.machines.machine_of:
        placed = {"machine": net.machines.machine_of[node.name]}
    others = [other for other in (*net.hosts, *net.switches) if other is not node]
    try:
        if node.is_bridge:
            dpids = {int(other.params["dpid"], 16) for other in others if other.params.get("dpid")}
            made = live.addSwitch(node.name, **net.described_switch(node, dpids), **placed)
        else:
            taken = {told.partition("/")[0] for host in others if (told := host.params.get("ip"))}
            taken |= {told.lower() for host in others if (told := host.params.get("mac"))}
            made = live.addHost(node.name, **net.described_host(node, taken), **placed)
    except BaseException:
        _forget(net, node)
        raise
    node.bind(functools.partial(live.cluster.call, made.machine), made.machine, node.intfList())
    net.have_shells([node])
    if node.is_bridge:
        node.take_own_options()
    node.run_waiting()
    if node not in net.switches and not net.awaits_build:
        node.configDefault()


def join_link(net: Making, link: Link) -> None:
    """Make a link that the network has taken. Where that fails, neither it nor its nodes have got it."""
    live = net.running()
    if link.is_loop:
        link.make_loop()
        return
    ends = [intf.node for intf in (link.intf1, link.intf2)]
    options = link.description()
    try:
        if net.machines is not None:
            options = net.machines.joining(ends[0].machine, ends[1].machine, options, f"link {link.name}")
        link.key = live.addLink(ends[0].name, ends[1].name, **options)
    except BaseException:
        _take_apart(net, link)
        raise
    for intf in (link.intf1, link.intf2):
        made = next(made for made in live[intf.node.name].intfList() if made.name == intf.name)
        intf.made_as(made)
        node, told = intf.node, intf.node.params.get("ip")
        if node.is_bridge:
            node.address_port(intf)
        if (
            told is not None
            and intf.ip is None
            and intf is node.defaultIntf()
            and not isinstance(node, Switch)
        ):
            node.setIP(told, intf=intf)  # an address that the network does not give by itself
        if (route := node.params.get("defaultRoute")) and intf is node.defaultIntf():
            node.setDefaultRoute(route)
    configure_ends(link)
    for node in ends:
        node.run_waiting()


def configure_ends(link: Link) -> None:
    """Call the `config` of a script's own classes of interfaces, as Mininet does when it makes one, and of interfaces
    that the kernel shapes: as they are told to be now.
    """
    for intf in (link.intf1, link.intf2):
        intf.set_as_told()
        if intf.configures_itself():
            intf.config(**(intf.shaped if link.by_kernel else intf.params))


def remove_link(net: Making, link: Link) -> None:
    """Take a link out of the network, with its interfaces."""
    if link.is_loop:
        link.remove_loop()
    elif net.live is not None:
        net.live.delLink(link.intf1.node.name, link.intf2.node.name, link.key)
    _take_apart(net, link)


def remove_node(net: Making, node: Any) -> None:
    """Take a node out of the network, with its links."""
    if net.live is not None:
        node.terminate()
        net.live.delNode(node.name)
        node.unbind()
    for link in [link for link in net.links if node in (link.intf1.node, link.intf2.node)]:
        _take_apart(net, link)
    _forget(net, node)


def _take_apart(net: Making, link: Link) -> None:
    if link in net.links:
        net.links.remove(link)
    for intf in (link.intf1, link.intf2):
        intf.node.delIntf(intf)


def _forget(net: Making, node: Any) -> None:
    net.nameToNode.pop(node.name, None)
    for nodes in (net.hosts, net.switches):
        if node in nodes:
            nodes.remove(node)
