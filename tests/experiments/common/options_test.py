# SPDX-License-Identifier: MIT
"""Options that several experiments have: the same range in all of them, and the default that the experiment gives."""

from __future__ import annotations

import importlib

import pytest

from hybridnet.cli.experiments import experiment_names
from hybridnet.cli.main import Parser
from hybridnet.errors import UsageError
from hybridnet.experiments.common.options import add_seconds_argument, add_step_argument

WRONG = {
    "--rounds": ("0", "is not a whole number of at least 1"),
    "--seconds": ("0", "is not a number (above 0|of at least [15])"),
    "--seeds": (str(10**5 + 1), "is not a whole number from 1 to 100000"),
    "--seed": ("-1", "is not a whole number from 0 to [0-9]+"),
    "--lead": ("nan", "is not a number above 0"),
    "--arms": ("none", "invalid choice"),
}


def parser_of(name: str) -> Parser:
    made = Parser(prog=name)
    module = importlib.import_module(f"hybridnet.experiments.{name.replace('-', '_')}.experiment")
    module.add_arguments(made)
    return made


@pytest.mark.parametrize("name", experiment_names())
def test_what_is_out_of_range_is_refused_by_every_experiment_in_the_same_words(name: str) -> None:
    parser = parser_of(name)
    for option, (value, why) in WRONG.items():
        if option in parser._option_string_actions:
            with pytest.raises(UsageError, match=f"{option}: .*{why}"):
                parser.parse_args([f"{option}={value}"])
    parser.parse_args([])  # what it takes by default is within the range


def test_help_has_the_unit_the_bound_and_the_default_of_the_experiment() -> None:
    parser = Parser()
    add_seconds_argument(parser, 60.0, "seconds of each run", least=5)
    add_step_argument(parser, 0.5, published=30)
    help_text = parser.format_help()
    assert "seconds of each run, at least 5 (default: 60)" in " ".join(help_text.split())
    assert "simulated seconds of each step (default: 0.5; the paper: 30)" in " ".join(help_text.split())


def test_a_first_seed_that_the_simulator_cannot_count_on_from_is_refused() -> None:
    for seed in (2**63 - 1, 2**64, 10**20):
        with pytest.raises(UsageError, match=f"'{seed}' is not a whole number from 0 to {2**62}"):
            parser_of("mm1").parse_args(["--seed", str(seed)])
    assert parser_of("mm1").parse_args(["--seed", str(2**62)]).seed == 2**62
