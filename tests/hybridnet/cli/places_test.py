# SPDX-License-Identifier: MIT
from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from hybridnet.cli.main import Parser
from hybridnet.cli.places import add_place_arguments, place_words, places_of, ssh_machines
from hybridnet.errors import UsageError
from hybridnet.machines.cluster.places import Places
from hybridnet.machines.workers.ssh import SshMachine
from tests.hybridnet.machines.workers.manifests import manifest_of


def given(*words: str) -> argparse.Namespace:
    parser = Parser()
    add_place_arguments(parser)
    return parser.parse_args(words)


def test_without_options_machines_are_local() -> None:
    assert places_of(given()) == Places()
    assert not places_of(given("--machines", "2")).elsewhere
    assert places_of(given("--machines", "2")).names == ("m1", "m2")


def test_each_option_says_where_they_are(tmp_path: Path) -> None:
    assert places_of(given("--ssh", "me@a,b/10.10.1.2")).hosts == (
        SshMachine("me@a"),
        SshMachine("b", address="10.10.1.2"),
    )
    assert places_of(given("--dask", "tls://10.0.0.1:8786")).scheduler == "tls://10.0.0.1:8786"
    file = tmp_path / "manifest.xml"
    file.write_text(manifest_of({f"node-{n}": (f"10.10.1.{n}", f"c{n}") for n in (1, 2, 3)}))
    of_cloudlab = places_of(given("--manifest", str(file)))
    assert [host.address for host in of_cloudlab.hosts] == ["10.10.1.1", "10.10.1.2", "10.10.1.3"]
    assert of_cloudlab.spare


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--machines", "2"],
        ["--ssh", "me@a,b/10.10.1.2"],
        ["--dask", "tls://10.0.0.1:8786", "--grace", "1min"],
        ["--cloudlab"],
        ["--manifest", "a file.xml"],
    ],
)
def test_options_are_said_again_as_they_were_given(words: list[str]) -> None:
    assert place_words(given(*words)) == words


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--dask", "10.0.0.1:8786"), "write tls://HOST:PORT"),
        (("--ssh", "a/nowhere"), "'nowhere' is not an IPv4 address"),
        (("--ssh", ""), "user@host"),
        (("--ssh", "a", "--machines", "2"), "not allowed with"),
        (("--cloudlab", "--ssh", "a"), "not allowed with"),
    ],
)
def test_what_makes_no_sense_is_refused(words: tuple[str, ...], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        places_of(given(*words))


def test_an_experiment_gets_as_many_machines_as_it_has_names_for() -> None:
    three = Places(hosts=tuple(ssh_machines("a,b,c")))
    with pytest.raises(UsageError, match=r"3 machines are given, and 2 are needed \(m1, m2\)"):
        three.cluster(["m1", "m2"])
    with pytest.raises(UsageError, match="1 machines are given, and 2 are needed"):
        Places(names=("m1",)).cluster(["m1", "m2"])
    with pytest.raises(UsageError, match="here they are called m1, m2; write --machines 2"):
        Places(names=("left", "right")).cluster(["m1", "m2"])
