# SPDX-License-Identifier: MIT
"""Manifests made after RSpec v3's schema, as CloudLab answers the request of `cloudlab/profile.py`."""

from __future__ import annotations

from collections.abc import Mapping


def manifest_of(nodes: Mapping[str, tuple[str, str]], users: tuple[str, ...] = ("grace",)) -> str:
    """The manifest of an experiment.

    Args:
        nodes: by name, the address on the experiment's link and the host name on the control network.
    """
    text = "".join(_node(name, *where, users) for name, where in nodes.items())
    references = "".join(f'<interface_ref client_id="{name}:if-{name}"/>' for name in nodes)
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<rspec xmlns="http://www.geni.net/resources/rspec/3"
    xmlns:emulab="http://www.protogeni.net/resources/rspec/ext/emulab/1"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" type="manifest" expires="2026-12-01T00:00:00Z"
    xsi:schemaLocation="http://www.geni.net/resources/rspec/3 http://www.geni.net/resources/rspec/3/manifest.xsd">
{text}  <link client_id="link-0" sliver_id="urn:publicid:IDN+wisc.cloudlab.us+sliver+9" vlantag="301">
    {references}
    <link_type name="lan"/>
  </link>
</rspec>
"""


def _node(name: str, address: str, login: str, users: tuple[str, ...]) -> str:
    logins = "\n      ".join(
        f'<login authentication="ssh-keys" hostname="{login}" port="22" username="{user}"/>' for user in users
    )
    manager = "urn:publicid:IDN+wisc.cloudlab.us"
    return f"""  <node client_id="{name}" exclusive="true" component_id="{manager}+node+{name}"
      component_manager_id="{manager}+authority+cm" sliver_id="{manager}+sliver+{name}">
    <sliver_type name="raw-pc"/>
    <hardware_type name="c220g5"/>
    <interface client_id="{name}:if-{name}" component_id="{manager}+interface+{name}:eth1"
        sliver_id="{manager}+sliver+{name}-eth1" mac_address="02:00:00:00:00:01">
      <ip address="{address}" netmask="255.255.255.0" type="ipv4"/>
    </interface>
    <services>
      {logins}
      <emulab:console server="boss.wisc.cloudlab.us"/>
    </services>
    <emulab:vnode name="{name}" hardware_type="c220g5"/>
    <host name="{name}.exp.proj.wisc.cloudlab.us" ipv4="128.105.144.1"/>
  </node>
"""
