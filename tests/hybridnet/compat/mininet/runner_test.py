# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

from hybridnet.compat.mininet.runner import nat_parameters
from hybridnet.errors import UsageError


def test_a_nat_takes_parameters_by_their_names() -> None:
    assert nat_parameters("") == {}
    assert nat_parameters("name=nat7,connect=s2") == {"name": "nat7", "connect": "s2"}


@pytest.mark.parametrize("text", ["foo", "name=nat7,foo", "foo=1"])
def test_a_word_that_is_no_parameter_of_a_nat_is_refused_with_those_that_are(text: str) -> None:
    with pytest.raises(UsageError, match=f"--nat {text}: foo is not one of its parameters; .* name, connect"):
        nat_parameters(text)
