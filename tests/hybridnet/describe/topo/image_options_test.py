# SPDX-License-Identifier: MIT
"""Options of hosts with an image: how each is written, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet.describe.topo import Topo, image_options
from hybridnet.describe.topo.node_options import resolve_node
from hybridnet.errors import TopologyError


def resolved(**options: Any) -> dict[str, Any]:
    return resolve_node("host", "h1", {"image": "/srv/web.tar", **options})


def test_an_image_makes_a_host_one_of_the_kind() -> None:
    found = resolved(
        command="nginx -g 'daemon off;'", environment=["A=1=2"], dns="10.0.0.53", user=33, run=False
    )
    assert found == {
        "image": "archive:/srv/web.tar",
        "command": ["nginx", "-g", "daemon off;"],
        "environment": {"A": "1=2"},
        "dns": ["10.0.0.53"],
        "user": "33",
        "run": False,
    }


def test_options_of_the_kind_are_of_no_other_host() -> None:
    with pytest.raises(TopologyError, match="volumes"):
        Topo().addHost("h1", volumes=["/a:/b"])
    with pytest.raises(TopologyError, match="kind='image' needs image="):
        Topo().addHost("h1", kind="image")


def test_volumes_are_written_as_dockers() -> None:
    wanted = [
        {"source": "/a", "at": "/b", "read_only": True},
        {"source": "/c", "at": "/d/e", "read_only": False},
    ]
    assert image_options.volumes(["/a:/b:ro", "/c:/d/e/"], "volumes") == wanted
    assert (
        image_options.volumes({"/a": {"bind": "/b", "mode": "ro"}, "/c": {"bind": "/d/e"}}, "volumes")
        == wanted
    )


@pytest.mark.parametrize(
    ("reader", "value"),
    [
        ("volumes", "/a:/b"),
        ("volumes", ["/a"]),
        ("volumes", ["/a:b"]),
        ("volumes", ["/a:/b:rx"]),
        ("volumes", ["/a:/"]),
        ("volumes", ["/a:/b/../.."]),
        ("volumes", ["/a:/b"] * 101),
        ("environment", "A=1"),
        ("environment", ["A"]),
        ("environment", {"A B": "1"}),
        ("environment", {"A": None}),
        ("environment", {"A": "\0"}),
        ("environment", {7: "1"}),
        ("dns", ["example.org"]),
        ("dns", [7]),
        ("user", "a b"),
        ("user", ":1"),
        ("command", "unfinished '"),
        ("command", [1]),
        ("entrypoint", 7),
        ("run", "no"),
    ],
)
def test_what_makes_no_sense_is_refused(reader: str, value: Any) -> None:
    with pytest.raises(TopologyError, match=f"^host h1: {reader}"):
        image_options.IMAGE_OPTIONS[reader](value, f"host h1: {reader}")
