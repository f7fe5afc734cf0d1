# SPDX-License-Identifier: MIT
"""Files that are changed by programs, and read by people."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridnet.plan.files.yaml_form import read_form, write_form
from hybridnet.plan.files.yaml_update import updated_form

TEXT = """\
# My lab
hosts:           # all of them
  h1: {ip: 10.0.0.1/8}   # the client
  # the server:
  h2:
    ip: 10.0.0.2/8
    mac: "10:11:22:33:44:55"
  "1":
switches:
  s1:   # root

links:
  # access
  - {between: [h1, s1], bw: 10}   # slow
  - between: [h2, s1]
    delay: 5ms   # far
  - {between: ["1", s1]}
# the end
"""

Form = dict[str, Any]


def form_of(text: str) -> Form:
    return dict(read_form(text, "net.yaml").value)


def changed(text: str, change: Callable[[Form], object]) -> list[str]:
    """The lines that a change takes (-) and gives (+)."""
    form = deepcopy(form_of(text))
    change(form)
    updated = updated_form(text, form)
    assert form_of(updated) == form
    lines = difflib.unified_diff(text.splitlines(), updated.splitlines(), n=0, lineterm="")
    return [line for line in lines if not line.startswith(("---", "+++", "@@"))]


def rename_host(form: Form) -> None:
    form["hosts"] = {"web" if name == "h1" else name: each for name, each in form["hosts"].items()}
    form["links"][0]["between"] = ["web", "s1"]


@pytest.mark.parametrize(
    ("change", "lines"),
    [
        (lambda form: None, []),
        (lambda form: form["hosts"].update(h3=None), ["+  h3:"]),
        (
            lambda form: form["links"].append({"between": ["h2", "1"], "delay": "1ms"}),
            ["+  - {between: [h2, '1'], delay: 1ms}"],
        ),
        (
            lambda form: form["links"][1].update(delay="7ms"),
            ["-    delay: 5ms   # far", "+    delay: 7ms   # far"],
        ),
        (
            lambda form: form["links"][0].update(bw=20),
            ["-  - {between: [h1, s1], bw: 10}   # slow", "+  - {between: [h1, s1], bw: 20}   # slow"],
        ),
        (lambda form: form["links"].pop(0), ["-  - {between: [h1, s1], bw: 10}   # slow"]),
        (lambda form: form["hosts"].update({"1": {"cpu": 0.5}}), ['-  "1":', '+  "1": {cpu: 0.5}']),
        (
            lambda form: form.update(positions={"h1": [0, 1.5]}),
            ["+positions: {h1: [0, 1.5]}"],
        ),
    ],
)
def test_only_the_lines_change_that_say_something_else(
    change: Callable[[Form], object], lines: list[str]
) -> None:
    assert changed(TEXT, change) == lines


def test_lists_and_mappings_keep_the_indentation_of_the_file() -> None:
    text = "hosts:\n    h1:\n        ip: 10.0.0.1/8   # mine\n    h2:\nlinks:\n-   between: [h1, h2]\n"
    assert changed(text, lambda form: form["hosts"].update(h3=None)) == ["+    h3:"]


def test_words_and_numbers_keep_the_meaning_that_files_have_here() -> None:
    text = (
        "hosts:\n  h1: {mac: 10:11:22:33:44:55}\n  yes:  # a word\n  0x10:\nlinks:\n- {between: [h1, yes]}\n"
    )
    assert changed(text, lambda form: form["links"].append({"between": ["0x10", "h1"]})) != []


def test_a_host_with_another_name_is_taken_out_and_put_in() -> None:
    taken = [line for line in changed(TEXT, rename_host) if line.startswith("-")]
    assert "-  h1: {ip: 10.0.0.1/8}   # the client" in taken


def test_merges_stay_where_what_they_merge_does_not_change() -> None:
    text = "links:\n- &fast {between: [h1, s1], bw: 100}   # wire\n- {<<: *fast, between: [h2, s1]}\n"
    text += "hosts:\n  h1:\n  h2:\nswitches:\n  s1:\n"
    assert changed(text, lambda form: form["hosts"].update(h3=None)) == ["+  h3:"]


def test_where_an_alias_stands_for_what_is_no_longer_equal_the_file_is_written_anew() -> None:
    text = "hosts:\n  h1: &same {cpu: 0.5}   # half\n  h2: *same\n"
    form = form_of(text)
    form["hosts"] = {"h1": {"cpu": 0.5}, "h2": {"cpu": 0.1}}
    updated = updated_form(text, form)
    assert form_of(updated) == {"format": 1, **form}
    assert "# half" not in updated


@pytest.mark.parametrize("text", ["", "{", "hosts: [h1]", "name: lab"])
def test_a_text_that_is_none_of_ours_gives_way(text: str) -> None:
    form: Form = {"hosts": {"h1": None}}
    assert updated_form(text, form) == write_form(form)


NAMES = st.sampled_from(["h1", "h2", "1", "yes", "h 3", "Ünï", "#4", "a: b"])
NODES = st.dictionaries(NAMES, st.none() | st.fixed_dictionaries({"cpu": st.sampled_from([0.5, 1, 1e-3])}))
LINKS = st.lists(
    st.fixed_dictionaries(
        {"between": st.lists(NAMES, min_size=2, max_size=2)},
        optional={"bw": st.integers(1, 9), "delay": st.sampled_from(["1ms", "10", "0.1s # no comment"])},
    ),
    max_size=6,
)
FORMS = st.fixed_dictionaries({"hosts": NODES, "links": LINKS})


@settings(max_examples=150, deadline=None, derandomize=True)
@given(FORMS, FORMS)
def test_whatever_there_was_the_text_says_what_the_form_says(before: Form, after: Form) -> None:
    text = write_form(before).replace("\n", "   # why\n")
    updated = updated_form(text, after)
    assert form_of(updated) == form_of(write_form(after))
