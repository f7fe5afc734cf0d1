# SPDX-License-Identifier: MIT
"""Values of wrong types and out of range, as Hypothesis draws them."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import strategies as st

NASTY = [
    "", " ", "\n", "\0", "%s", "{}", "-1", "-x", "--", "0", "1e999", "nan", "inf", "10", "٣", "²", "10 Mbit/s", "5 ms",
    "5ms 5ms", "9" * 40 + " Gbit/s", "1e99 s", "100 %", "-5 %", "a" * 300, "h1", "s1", "h9", "no-such-thing",
    "../../x", "/", "/no/such/file", "10.0.0.1", "10.0.0.1/33", "::1", "fe80::1%lo", "01:00:00:00:00:01", "tcp:",
    "OpenFlow99", "\ud800",
]  # fmt: skip

_SCALARS: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([0, -1, 1, 2**31, 2**63, 2**64, -(2**63), 10**30, 10**400]),
    st.floats(),
    st.sampled_from([math.nan, math.inf, -math.inf, 1e308, 0.5]),
    st.sampled_from(NASTY),
    st.text(max_size=12),
    st.binary(max_size=6),
    st.complex_numbers(),
)
_KEYS = st.one_of(st.text(max_size=6), st.sampled_from(["model", "kind", "bw", "rate", "ip", 5, None]))

WRONG: st.SearchStrategy[Any] = st.one_of(
    _SCALARS,
    st.lists(_SCALARS, max_size=3),
    st.tuples(_SCALARS, _SCALARS),
    st.dictionaries(_KEYS, _SCALARS, max_size=3),
    st.lists(st.dictionaries(_KEYS, _SCALARS, max_size=3), max_size=2),
    st.sets(st.integers(), max_size=2),
    st.builds(object),
    st.sampled_from([object, int, dict, len, print, Exception, range(3)]),
)

# What a shell can hand to a program: text without a zero byte.
WORDS: st.SearchStrategy[str] = st.one_of(
    st.sampled_from([word for word in NASTY if "\0" not in word and "\ud800" not in word]),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12),
    st.integers().map(str),
    st.floats().map(str),
)
