# SPDX-License-Identifier: MIT
"""The command line with words that make no sense: exit code 1, 2 or 3 and one line, or the help."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridnet.cli.main import VERBS, _parser, main
from hybridnet.errors import HybridnetError
from tests.bad_input.values import WORDS
from tests.bad_input.walk import WALK, Subject, attempt

# What a verb is given besides the word that is drawn. Where nothing is said, words are only parsed: what they ask for
# could be had, such as a network, or a cleaner computer.
HARMLESS = {
    "plan": ["--topo", "minimal"],
    "run": ["--topo", "no-such-topology"],
    "wire": ["none-1", "none-2"],
    "generate": ["none-1"],
    "replay": ["no-such.pcapng"],
}


def verbs() -> dict[str, argparse.ArgumentParser]:
    """The parser of each verb."""
    [action] = [each for each in _parser(())._actions if isinstance(each, argparse._SubParsersAction)]
    return dict(action.choices)


def options(verb: str) -> list[str]:
    """The options of a verb that take a word, and "" for a word without option."""
    taking = [
        each.option_strings[-1] for each in verbs()[verb]._actions if each.option_strings and each.nargs != 0
    ]
    return ["", *taking]


def exit_code(argv: list[str]) -> None:
    """Runs a command line; `HybridnetError` where it fails."""
    try:
        code = main(argv)
    except SystemExit as end:  # --help
        code = int(end.code or 0)
    assert code in (0, 1, 2, 3)
    if code != 0:
        raise HybridnetError(f"exit code {code}")


def command(verb: str, option: str, words: list[str]) -> None:
    argv = [verb, *HARMLESS.get(verb, []), *([option] if option else []), *words]
    if verb in HARMLESS:
        exit_code(argv)
        return
    try:
        _parser(argv[:1]).parse_args(argv)
    except SystemExit as end:
        if end.code not in (0, None):  # --help ends with 0
            raise AssertionError(f"the parser left with {end.code}") from end


@pytest.mark.parametrize(("verb", "option"), [(verb, option) for verb in VERBS for option in options(verb)])
def test_words_that_make_no_sense_are_refused_well(
    verb: str, option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HYBRIDNET_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    subject = Subject(f"hybridnet {verb} {option}", command, {"verb": verb, "option": option})

    @WALK
    @given(st.lists(WORDS, min_size=1, max_size=2))
    def walk(words: Any) -> None:
        attempt(subject, "words", words)

    walk()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", ["--topo", "--controller"])
def test_names_that_make_no_sense_are_refused_well(option: str) -> None:
    """Of a network that is only planned, or whose topology there is not."""
    verb = "plan" if option == "--topo" else "run"
    subject = Subject(f"hybridnet {verb} {option}", lambda words: exit_code([verb, option, words]), {})
    names = st.builds(
        ",".join, st.tuples(st.sampled_from(["tree", "linear", "twotrees", "remote", "none", "x"]), WORDS)
    )

    @WALK
    @given(names.filter(lambda text: option != "--controller" or not text.startswith("--")))
    def walk(words: Any) -> None:
        attempt(subject, "words", words)

    walk()
