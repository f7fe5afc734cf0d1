# SPDX-License-Identifier: MIT
"""Rules of the kernel that translate addresses: made by iptables or nftables, whichever is there, and removed exactly.

The rules of one translation are described as plain data, which a journal takes. With iptables each rule carries the
translation's name as a comment, so no rule of somebody else's is ever taken for it; with nftables they are a table of
that name.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from typing import TypedDict, final

from hybridnet.errors import EnvironmentLackError, MachineError
from hybridnet.system.command import run

__all__ = ["install", "remove", "translation"]


@final
class Translation(TypedDict):
    """Rules of address translation, and how they are found again."""

    tool: str
    name: str
    rules: list[list[str]] | str  # of iptables: the table and the words of each; of nftables: a text


_PATIENCE_S = "10"  # for another program that changes rules just now


def translation(
    name: str, subnet: str, inside: str, *, only_to: str | None = None, prefix: Sequence[str] = ()
) -> Translation:
    """The rules by which what comes from `subnet` by the device `inside` leaves with an address of its way out.

    Args:
        name: unique on this computer; letters, digits and ``_ . -``.
        only_to: a device; what comes by `inside` leaves by no other. None: by any.
        prefix: what puts a command into the network namespace.

    Raises:
        EnvironmentLackError: neither iptables nor nftables is installed.
    """
    tool = _tool(prefix)
    if tool == "iptables":
        comment = ["-m", "comment", "--comment", name]
        rules = [
            ["filter", "-I", "FORWARD", "-i", inside, "-d", subnet, *comment, "-j", "DROP"],
            ["filter", "-A", "FORWARD", "-i", inside, "-s", subnet, *comment, "-j", "ACCEPT"],
            ["filter", "-A", "FORWARD", "-o", inside, "-d", subnet, *comment, "-j", "ACCEPT"],
            ["nat", "-A", "POSTROUTING", "-s", subnet, "!", "-d", subnet, *comment, "-j", "MASQUERADE"],
        ]
        if only_to is not None:
            rules.append(
                ["filter", "-I", "FORWARD", "-i", inside, "!", "-o", only_to, *comment, "-j", "DROP"]
            )
        return {"tool": tool, "name": name, "rules": rules}
    elsewhere = f'iifname "{inside}" oifname != "{only_to}" drop;' if only_to is not None else ""
    table = "".join(letter if letter.isalnum() else "_" for letter in name)
    text = f"""table ip {table} {{
  chain forward {{
    type filter hook forward priority 0;
    {elsewhere} iifname "{inside}" ip daddr {subnet} drop;
    iifname "{inside}" ip saddr {subnet} accept; oifname "{inside}" ip daddr {subnet} accept;
  }}
  chain postrouting {{
    type nat hook postrouting priority 100; ip saddr {subnet} ip daddr != {subnet} masquerade;
  }}
}}
"""
    return {"tool": tool, "name": table, "rules": text}


def _tool(prefix: Sequence[str]) -> str:
    """nftables, whose table goes without a trace; but iptables where its rules already decide about what is forwarded,
    as Docker's do: an accepting table beside them would not help.
    """
    forwarded = ""
    if shutil.which("iptables") is not None:
        forwarded = run([*prefix, "iptables", "-w", _PATIENCE_S, "-S", "FORWARD"]).strip()
    if forwarded not in ("", "-P FORWARD ACCEPT"):
        return "iptables"
    if shutil.which("nft") is not None:
        return "nftables"
    if forwarded:
        return "iptables"
    raise EnvironmentLackError(
        "address translation needs nftables or iptables, and neither is there; apt-get install nftables"
    )


def install(described: Translation, prefix: Sequence[str] = ()) -> None:
    """Make the rules; `prefix` puts the commands into a network namespace.

    Raises:
        MachineError: the kernel refuses one; the message quotes it. Then none is left.
    """
    try:
        if isinstance(rules := described["rules"], str):
            run([*prefix, "nft", "-f", "-"], input=rules)
        else:
            for table, *rule in rules:
                run([*prefix, "iptables", "-w", _PATIENCE_S, "-t", table, *rule])
    except MachineError as error:
        remove(described, prefix)
        raise MachineError(
            f"the kernel refuses the rules of address translation ({described['tool']}): {error}"
        ) from None


def remove(described: Translation, prefix: Sequence[str] = ()) -> bool:
    """Remove the rules that are still there. Returns whether there was one."""
    if isinstance(rules := described["rules"], str):
        return _succeeds([*prefix, "nft", "delete", "table", "ip", described["name"]])
    found = False
    for table, _, chain, *rule in rules:
        found |= _succeeds([*prefix, "iptables", "-w", _PATIENCE_S, "-t", table, "-D", chain, *rule])
    return found


def _succeeds(argv: Sequence[str]) -> bool:
    return subprocess.run(argv, capture_output=True, check=False).returncode == 0
