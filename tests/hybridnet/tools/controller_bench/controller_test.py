# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

from hybridnet.errors import ControllerError, UsageError
from hybridnet.run.controllers import OsKen, Ryu
from hybridnet.tools.controller_bench import controller_of


def test_an_address_is_somebody_elses_controller() -> None:
    found = controller_of("tcp:127.0.0.1:6653")
    assert (found.ip, found.port) == ("127.0.0.1", 6653)
    assert not isinstance(found, Ryu)
    assert controller_of("tcp:[::1]:6633").ip == "::1"


def test_apps_run_under_ryu_or_osken() -> None:
    assert controller_of("tree_switch,ecmp_switch").apps == ("tree_switch", "ecmp_switch")  # type: ignore[attr-defined]
    assert isinstance(controller_of("osken:tree_switch"), OsKen)


@pytest.mark.parametrize("text", ["tcp:", "tcp:h1", "tcp:h1:0", "tcp:h1:65536", "tcp::6653", "tcp:h1:six"])
def test_an_address_without_host_or_port_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="write tcp:HOST:PORT"):
        controller_of(text)


def test_arguments_for_a_controller_that_runs_already_are_refused() -> None:
    with pytest.raises(UsageError, match="give it its arguments there"):
        controller_of("tcp:127.0.0.1:6653", ["--verbose"])


def test_a_host_that_nobody_knows_is_an_error_with_its_name() -> None:
    with pytest.raises(ControllerError, match=r"the address of nowhere\.invalid is not known"):
        controller_of("tcp:nowhere.invalid:6653")
