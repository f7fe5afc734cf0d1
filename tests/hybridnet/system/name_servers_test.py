# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

import pytest

from hybridnet.system.name_servers import reachable_servers

OWN = "# systemd-resolved\nnameserver 127.0.0.53\noptions edns0 trust-ad\nsearch lab.example\n"
BEHIND = "nameserver 192.0.2.53\nnameserver 2001:db8::53\nsearch lab.example\n"


@pytest.mark.parametrize(
    ("computers", "behind", "reached"),
    [
        (OWN, BEHIND, BEHIND),
        ("nameserver ::1\n", BEHIND, BEHIND),
        ("", BEHIND, BEHIND),
        (None, BEHIND, BEHIND),
        ("nameserver 192.0.2.1\n", BEHIND, None),
        ("nameserver 127.0.0.1\nnameserver fe80::1%eth0\n", BEHIND, None),
        (OWN, "# nothing\n", None),
        (OWN, None, None),
        (None, None, None),
    ],
)
def test_hosts_ask_what_the_computers_own_resolver_asks(
    computers: str | None, behind: str | None, reached: str | None, tmp_path: Path
) -> None:
    files = [tmp_path / "resolv.conf", tmp_path / "behind"]
    for file, text in zip(files, (computers, behind), strict=True):
        if text is not None:
            file.write_text(text)
    assert reachable_servers(*files) == reached
