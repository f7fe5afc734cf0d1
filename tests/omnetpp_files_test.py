# SPDX-License-Identifier: MIT
"""The reader itself refuses what is no result file: otherwise it would say nothing about those that it accepts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.omnetpp_files import read_results

HEAD = "version 3\nrun r-1\nattr seed 1\n"


@pytest.mark.parametrize(
    "text",
    [
        "version 4\nrun r\n",
        "scalar a b 1\n",  # before a run
        HEAD + "scalar a b\n",
        HEAD + "scalar a two words 1\n",
        HEAD + "scalar a b one\n",
        HEAD + 'scalar a "b 1\n',
        HEAD + "scalar a b 1\nscalar a b 2\n",
        HEAD + "0\t1\t2\n",  # of no vector
        HEAD + "vector 0 a b TV\n0\t1\n",
        HEAD + "vector 0 a b TV\n0\t2\t1\n0\t1\t1\n",  # time goes back
        HEAD + "bin 0 1\n",
        HEAD + "statistic a b\nfield count 1\nbin -inf 0\nbin 1 1\nbin 1 0\n",
        HEAD + "statistic a b\nfield count 5\nbin -inf 0\nbin 1 1\nbin 2 0\n",
        HEAD + "nonsense\n",
    ],
)
def test_what_the_tool_would_refuse_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text(text)
    with pytest.raises((AssertionError, KeyError, ValueError)):
        read_results(tmp_path / "file")


def test_quoted_words_and_infinities_are_read(tmp_path: Path) -> None:
    text = HEAD + '# so\nscalar "a b" "c \\"d\\" \\\\" -inf\nvector 7 a b TV\n7\t0.5\tnan\n7 1.5 2\n'
    (tmp_path / "file").write_text(text)
    found = read_results(tmp_path / "file")
    assert (found.run, found.attributes) == ("r-1", {"seed": "1"})
    assert found.scalars == {("a b", 'c "d" \\'): float("-inf")}
    assert found.vectors["a", "b"].times == [0.5, 1.5]
