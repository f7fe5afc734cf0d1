# SPDX-License-Identifier: MIT
"""The editor behind its page: what it opens, finds wrong, saves and exports, and what it refuses."""

from __future__ import annotations

import os
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hybridnet.cli.plan import plan_of_file
from hybridnet.describe.options import table
from hybridnet.describe.topo.node_options import NODE_OPTIONS
from hybridnet.errors import TopologyError, UsageError
from hybridnet.plan.files import FileTopo, read_topology
from hybridnet.plan.files.yaml_form import SECTIONS, options_of_role, schema
from hybridnet.tools.edit.desk import MOST_NODES
from hybridnet.tools.edit.forms import forms
from hybridnet.tools.edit.page import EditPage
from hybridnet.tools.edit.routes import BODY_LIMIT
from tests.hybridnet.plan.files.support import planned
from tests.hybridnet.tools.edit.support import DRAWN, Asked, edit_page


@pytest.fixture
def page(tmp_path: Path) -> Iterator[EditPage]:
    with edit_page(tmp_path / "net.yaml") as served:
        yield served


@pytest.fixture
def asked(page: EditPage) -> Asked:
    return Asked(page)


def plan_of(topo: Any) -> str:
    return planned(topo).dumps()


# What it offers


def test_fields_are_those_that_are_declared() -> None:
    offered = forms()
    for section, role in SECTIONS.items():
        names = {field["name"] for field in offered["nodes"][section]}
        assert names == set(options_of_role(role.name)) >= set(NODE_OPTIONS[role.name]) - {"cls"}
    properties: Any = schema()["properties"]
    link = properties["links"]["items"]["properties"]
    assert {field["name"] for field in offered["link"]} == set(link) - {"between", "params1", "params2"}
    assert {field["name"] for field in offered["end"]} == set(link["params1"]["properties"])


def test_every_field_of_ours_has_a_meaning_and_those_of_links_are_the_simulators() -> None:
    offered = forms()
    fields = [
        *offered["link"],
        *offered["end"],
        *(each for part in offered["nodes"].values() for each in part),
    ]
    nothing = [field["name"] for field in fields if not field["help"] or field["help"].startswith("of a ")]
    assert nothing == []
    delay = next(field for field in offered["link"] if field["name"] == "delay")
    assert delay["help"] == table("direction").said["delay"].help
    size = next(field for field in offered["nodes"]["switches"] if field["name"] == "table_size")
    assert (size["unit"], size["default"], size["kinds"]) == ("flows", "1000000", ["simulated"])


def test_the_palette_has_every_section_and_every_registered_kind() -> None:
    palette = forms()["palette"]
    assert {kind["section"] for kind in palette} == set(SECTIONS)
    assert {"frr", "linux", "hub", "simulated"} <= {kind["options"].get("kind") for kind in palette}


# What is drawn


def test_a_new_file_is_empty_and_one_that_is_there_is_opened_with_its_places(tmp_path: Path) -> None:
    with edit_page(tmp_path / "new.yaml") as page:
        assert Asked(page)("GET", "/document") == (200, {"file": "new.yaml", "form": {}, "stamp": ""})
    file = tmp_path / "net.yaml"
    file.write_text(
        "hosts: {h1:, h2:}\nswitches: {s1:}\nlinks: [{between: [h1, s1]}]\npositions: {h1: [3, 4.5]}\n"
    )
    with edit_page(file) as page:
        form = Asked(page)("GET", "/document")[1]["form"]
    assert form["positions"]["h1"] == [3, 4.5]
    assert set(form["positions"]) == {"h1", "h2", "s1"}
    assert form["hosts"] == {"h1": None, "h2": None}


@pytest.mark.parametrize(
    ("name", "text", "error", "message"),
    [
        ("net.yaml", "hosts: [h1]", TopologyError, r"net\.yaml:1: hosts"),
        ("net.yaml", "hosts: {h1: {ipp: 5}}", TopologyError, r"net\.yaml:1: hosts.h1"),
        ("net.yaml", "name: lab\ntopology: {nodes: {a: {kind: linux}}}", UsageError, "convert it first"),
        ("net.graphml", "", UsageError, "no name for a file of the editor"),
        ("nowhere/net.yaml", None, UsageError, "there is no folder"),
    ],
)
def test_what_cannot_be_drawn_is_refused_when_it_is_opened(
    tmp_path: Path, name: str, text: str | None, error: type[Exception], message: str
) -> None:
    file = tmp_path / name
    if text is not None:
        file.write_text(text)
    with pytest.raises(error, match=message):
        edit_page(file)


def test_a_file_whose_options_make_no_sense_is_opened_so_that_they_can_be_mended(tmp_path: Path) -> None:
    file = tmp_path / "net.yaml"
    file.write_text("hosts: {h1: {ip: x}}\nlinks: [{between: [h1, h9]}]\n")
    with edit_page(file) as page:
        asked = Asked(page)
        form = asked("GET", "/document")[1]["form"]
        _, found = asked("POST", "/check", {"form": form})
    assert [mistake["path"] for mistake in found["mistakes"]] == [["hosts", "h1", "ip"], ["links", 0]]


def test_a_check_finds_mistakes_at_their_places_and_makes_the_plan_of_what_is_right(asked: Asked) -> None:
    wrong = {**DRAWN, "links": [{"between": ["h1", "s1"], "delay": "5"}]}
    status, found = asked("POST", "/check", {"form": wrong, "plan": True})
    assert (status, found["plan"]) == (200, None)
    [mistake] = found["mistakes"]
    assert mistake["path"] == ["links", 0, "delay"]
    assert 'write "5s", "5ms" or "5us"' in mistake["text"]
    _, found = asked("POST", "/check", {"form": DRAWN, "plan": True})
    assert found["mistakes"] == []
    assert "h1-eth0 10.0.0.1/8" in found["plan"]
    assert asked("POST", "/check", {"form": DRAWN})[1]["plan"] is None


def test_what_only_the_plan_refuses_is_placed_at_the_link_that_it_names(asked: Asked) -> None:
    far = {
        "switches": {"s1": {"machine": "m1"}, "s2": {"machine": "m2"}},
        "links": [{"between": ["s1", "s2"], "delay": "5us"}],
    }
    _, found = asked("POST", "/check", {"form": far, "plan": True})
    assert [mistake["path"] for mistake in found["mistakes"]] == [["links", 0]]
    assert asked("POST", "/check", {"form": far})[1]["mistakes"] == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("10", 10), ("5ms", "5ms"), ("true", True), ("[eth1]", ["eth1"]), ("0010", "0010"),
        ("{model: gilbert_elliott, to_bad: 1}", {"model": "gilbert_elliott", "to_bad": 1}),
    ],
)  # fmt: skip
def test_what_is_typed_means_what_it_means_in_a_file(asked: Asked, text: str, value: object) -> None:
    assert asked("POST", "/value", {"text": text}) == (200, {"value": value})


def test_what_is_typed_wrong_is_refused(asked: Asked) -> None:
    status, answer = asked("POST", "/value", {"text": "{a: 1"})
    assert status == 400
    assert "this:1" in answer["error"]


# What becomes of it


def test_what_is_saved_and_exported_is_the_same_network(asked: Asked, tmp_path: Path) -> None:
    assert asked("POST", "/save", {"form": DRAWN, "file": "net.yaml"})[1]["saved"] is True
    python = asked("POST", "/export", {"form": DRAWN, "language": "python"})[1]
    yaml = asked("POST", "/export", {"form": DRAWN, "language": "yaml"})[1]
    assert (python["file"], yaml["file"]) == ("net.py", "net.yaml")
    assert yaml["text"] == (tmp_path / "net.yaml").read_text()
    (tmp_path / "net.py").write_text(python["text"])
    [kind] = runpy.run_path(str(tmp_path / "net.py"))["topos"].values()
    saved = read_topology(tmp_path / "net.yaml")
    assert plan_of(kind()) == plan_of(saved)
    assert str(plan_of_file(saved)) == asked("POST", "/check", {"form": DRAWN, "plan": True})[1]["plan"]
    assert saved.spec("h1", "s1").a_to_b.delay_ns == 5_000_000


def test_comments_of_what_was_opened_are_in_what_is_saved(tmp_path: Path) -> None:
    file = tmp_path / "net.yaml"
    file.write_text("# mine\nhosts:\n  h1:   # one\npositions: {h1: [0, 0]}\n")
    with edit_page(file) as page:
        asked = Asked(page)
        document = asked("GET", "/document")[1]
        form = {**document["form"], "hosts": {"h1": None, "h2": None}}
        assert asked("POST", "/save", {"form": form, "file": "net.yaml", "stamp": document["stamp"]})[1][
            "saved"
        ]
        assert file.read_text() == "# mine\nhosts:\n  h1:   # one\n  h2:\npositions: {h1: [0, 0]}\n"
        other = "hosts: {web:}   # theirs\npositions: {web: [1, 1]}\n"
        opened = asked("POST", "/open", {"text": other, "file": "other.yaml"})[1]["form"]
        assert asked("POST", "/save", {"form": opened, "file": "other.yaml"})[1]["saved"]
    assert (tmp_path / "other.yaml").read_text() == other


def test_what_somebody_else_has_written_is_not_lost(asked: Asked, tmp_path: Path) -> None:
    file = tmp_path / "net.yaml"
    first = asked("POST", "/save", {"form": DRAWN, "file": "net.yaml"})[1]
    assert first["saved"] is True
    smaller = {"hosts": {"h1": None}}
    again = {"form": smaller, "file": "net.yaml", "stamp": first["stamp"]}

    file.write_text("hosts: {other:}\n")
    _, answer = asked("POST", "/save", again)
    changed = "net.yaml has been changed by somebody else since it was opened here"
    assert (answer["saved"], answer["why"]) == (False, changed)
    assert file.read_text() == "hosts: {other:}\n"
    second = asked("POST", "/save", {**again, "over": True})[1]
    assert second["saved"] is True
    assert read_topology(file).nodes() == ["h1"]
    assert asked("GET", "/document")[1] == {"file": "net.yaml", "form": smaller, "stamp": second["stamp"]}

    # Who has the page open twice is somebody else, too.
    _, answer = asked("POST", "/save", {**again, "form": DRAWN})
    assert (answer["saved"], answer["why"]) == (False, changed)
    assert (
        asked("POST", "/save", {"form": DRAWN, "file": "net.yaml", "stamp": second["stamp"]})[1]["saved"]
        is True
    )
    (tmp_path / "other.yaml").write_text("")
    _, answer = asked("POST", "/save", {"form": smaller, "file": "other.yaml"})
    assert (answer["saved"], answer["why"]) == (False, "there is a file other.yaml already")


def test_names_that_no_node_may_have_are_opened_with_a_place(asked: Asked) -> None:
    text = 'hosts: {"a b":, n0:, n1:}\nswitches: {n1:}\nlinks: [{between: [n0, "a b"]}, {between: [n0, x]}]\n'
    _, answer = asked("POST", "/open", {"text": text, "file": "net.yaml"})
    assert set(answer["form"]["positions"]) == {"a b", "n0", "n1"}
    found = asked("POST", "/check", {"form": answer["form"]})[1]["mistakes"]
    assert [mistake["path"] for mistake in found] == [["hosts", "a b"], ["switches", "n1"], ["links", 1]]


def test_a_saved_file_keeps_its_rights_and_its_link_and_nothing_else_is_left(
    asked: Asked, tmp_path: Path
) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (real / "shared.yaml").write_text("")
    (real / "shared.yaml").chmod(0o640)
    (tmp_path / "link.yaml").symlink_to(real / "shared.yaml")
    assert asked("POST", "/save", {"form": DRAWN, "file": "link.yaml", "over": True})[1]["saved"] is True
    assert (tmp_path / "link.yaml").is_symlink()
    assert (real / "shared.yaml").stat().st_mode & 0o777 == 0o640
    assert os.listdir(real) == ["shared.yaml"]
    assert read_topology(real / "shared.yaml").hosts() == ["h1", "h2"]


@pytest.mark.parametrize(
    "name", ["../net.yaml", "/etc/net.yaml", "net.txt", ".yaml", "a\nb.yaml", "a/b.yaml"]
)
def test_files_elsewhere_are_not_written(asked: Asked, tmp_path: Path, name: str) -> None:
    status, answer = asked("POST", "/save", {"form": DRAWN, "file": name})
    assert (status, "write one without a folder" in answer["error"]) == (400, True)
    assert os.listdir(tmp_path) == []


def test_a_drawing_with_mistakes_is_saved_but_not_exported_or_started(asked: Asked, tmp_path: Path) -> None:
    wrong = {"hosts": {"h1": {"ip": "x"}}}
    assert asked("POST", "/save", {"form": wrong, "file": "net.yaml"})[1]["saved"] is True
    for path, more in (("/export", {"language": "python"}), ("/network/start", {})):
        status, answer = asked("POST", path, {"form": wrong, **more})
        assert status == 400
        assert "the drawing has mistakes (1): host h1: ip 'x'" in answer["error"]


def test_what_could_not_be_opened_again_is_not_saved(asked: Asked, tmp_path: Path) -> None:
    status, answer = asked("POST", "/save", {"form": {"hosts": {"h1": {"bogus": 1}}}, "file": "net.yaml"})
    assert (status, "could not be opened again" in answer["error"]) == (400, True)
    assert os.listdir(tmp_path) == []


# What it refuses


def test_a_drawing_has_bounds(asked: Asked) -> None:
    most = {"hosts": {f"h{number}": None for number in range(MOST_NODES + 1)}}
    assert asked("POST", "/check", {"form": most})[0] == 400
    assert asked("POST", "/check", {"form": {"links": [{}] * 4001}})[0] == 400
    assert asked("POST", "/check", {"form": {"description": "x" * BODY_LIMIT}})[0] == 413
    deep: Any = 1
    for _ in range(60):
        deep = [deep]
    for form in ({"hosts": {"h1": {"files": deep}}}, {"description": "\ud800"}):
        status, answer = asked("POST", "/check", {"form": form})
        assert (status, "drawing" in answer["error"]) == (400, True)


def test_nobody_without_the_token_gets_anything(asked: Asked) -> None:
    for method, path, body in (
        ("GET", "/document", None),
        ("POST", "/save", {"form": DRAWN, "file": "net.yaml"}),
        ("POST", "/network/start", {"form": DRAWN}),
    ):
        assert asked(method, path, body, {"Authorization": "Bearer wrong"})[0] == 401
        assert asked(method, path, body, {"Origin": "http://elsewhere.example"})[0] == 403
        assert asked(method, path, body, {"Host": "elsewhere.example"})[0] == 403


def test_without_root_start_says_what_to_do(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hybridnet.tools.edit.running.os.geteuid", lambda: 1000)
    status, answer = asked("POST", "/network/start", {"form": DRAWN})
    assert status == 409
    assert "sudo hybridnet edit" in answer["error"]
    assert "hybridnet run --rootless net.yaml" in answer["error"]
    assert asked("GET", "/network")[1]["state"] == "none"


def test_stopping_what_does_not_run_changes_nothing(asked: Asked) -> None:
    assert asked("POST", "/network/stop")[1] == {"state": "none", "url": None, "failed": False, "said": []}


def test_the_topology_that_is_started_is_the_one_that_is_saved() -> None:
    topo = FileTopo("net.yaml", "hosts: {h1:}\npositions: {h1: [1, 2]}\n", {})
    assert topo.nodes() == ["h1"]
    with pytest.raises(TopologyError, match=r"net\.yaml:2: positions.h2: node_spec: there is no node"):
        FileTopo("net.yaml", "hosts: {h1:}\npositions: {h2: [1, 2]}\n", {})
