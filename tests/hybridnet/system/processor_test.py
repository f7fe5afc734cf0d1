# SPDX-License-Identifier: MIT
from __future__ import annotations

import platform
from pathlib import Path

import pytest

from hybridnet.system.processor import processor_model


def cpuinfo(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(Path, "read_text", lambda path: text)


def test_it_is_what_the_kernel_calls_the_first_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    cpuinfo(
        monkeypatch,
        "processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\nprocessor\t: 1\nmodel name\t: Some CPU\n",
    )
    assert processor_model() == "Some CPU @ 2 GHz"


def test_it_is_the_architecture_where_the_kernel_gives_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    cpuinfo(monkeypatch, "processor\t: 0\nBogoMIPS\t: 50.00\n")
    assert processor_model() == platform.machine()
