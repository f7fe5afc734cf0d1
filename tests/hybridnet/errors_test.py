# SPDX-License-Identifier: MIT
"""The error tree: every class has the exit code that its drawing says."""

from __future__ import annotations

import re

import hybridnet.errors as errors


def test_every_error_has_the_exit_code_of_the_drawing() -> None:
    drawn = dict(re.findall(r"(\w+Error)\s+exit (\d)", errors.__doc__ or ""))
    assert set(drawn) == set(errors.__all__)
    for name, code in drawn.items():
        error = getattr(errors, name)
        assert issubclass(error, errors.HybridnetError)
        assert error.exit_code == int(code), name
