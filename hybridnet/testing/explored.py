# SPDX-License-Identifier: MIT
"""The marker ``explore``: many small trials of an SDN application before a test's own body, and what is kept of one
that fails.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hybridnet.cli.explore import application_of, invariants_of
from hybridnet.cli.network import simulated_protocols
from hybridnet.cli.simulate import seeds_of
from hybridnet.describe.quantities import parse_delay
from hybridnet.describe.topo import Topo
from hybridnet.describe.values import nearest, shown
from hybridnet.errors import UsageError
from hybridnet.tools.explore import INVARIANTS, Explore, Invariant, Report, page_of

__all__ = ["explore", "keep_counterexample", "topology_of"]

_USUAL: Mapping[str, Any] = {
    "app": None,
    "topo": "linear,3",
    "seeds": 200,
    "invariants": None,
    "schedule": None,
    "always": None,
    "without": (),
    "settle": "0s",
    "protocols": "OpenFlow13",
    "arguments": (),
    "controllers": 1,
    "repetitions": 5,
}


def explore(given: Mapping[str, Any], topo: Topo) -> Report:
    """Run the trials that a marker describes.

    Args:
        given: its arguments: ``app``, as ``hybridnet explore`` takes it; ``seeds``, a number, ``"FIRST-LAST"`` or a
            list; ``invariants``, a file or a list; ``schedule`` and ``always``, files; ``without``, a list;
            ``settle``, a time; ``protocols``; ``arguments``, of the framework; ``controllers``, how many;
            ``repetitions``.
        topo: the network.

    Raises:
        UsageError: one of them makes no sense.
        ControllerError: the application cannot be loaded.
    """
    words = _checked(given)
    application = application_of(str(words["app"]))
    with Explore(
        *application.apps,
        topo=topo,
        invariants=_invariants(words["invariants"]),
        framework=application.framework,
        settings=application.settings,
        arguments=words["arguments"],
        protocols=simulated_protocols(words["protocols"]),
        settle_s=parse_delay(words["settle"], "explore: settle") / 1e9,
        without=words["without"],
        always=None if words["always"] is None else Path(words["always"]),
        controllers=words["controllers"],
    ) as exploring:
        schedule = None if words["schedule"] is None else exploring.read(Path(words["schedule"]))
        return exploring.run(_seeds(words["seeds"]), schedule=schedule, repetitions=words["repetitions"])


def topology_of(given: Mapping[str, Any]) -> Any:
    """What a marker says of the network, as it stands there."""
    return _checked(given)["topo"]


def keep_counterexample(folder: Path, test: str, report: Report) -> None:
    """Write the one of a report to a folder that is not there: as text, as data, as a page, and its schedule as a file
    for ``schedule=``.
    """
    found = report.counterexample
    assert found is not None
    folder.mkdir(parents=True)
    text = found.text()
    (folder / "failure.txt").write_text(f"pytest --hybridnet '{test}'\n\n{text}\n", encoding="utf-8")
    (folder / "counterexample.json").write_text(
        json.dumps(found.to_json(), indent=1) + "\n", encoding="utf-8"
    )
    (folder / "counterexample.html").write_text(page_of(report), encoding="utf-8")
    (folder / "schedule.yaml").write_text(found.schedule_text(), encoding="utf-8")


def _checked(marked: Mapping[str, Any]) -> dict[str, Any]:
    for name in marked:
        if name not in _USUAL:
            near = nearest(name, _USUAL)
            raise UsageError(
                f"explore: there is no {name}=; {f'did you mean {near}=? ' if near else ''}there are "
                f"{', '.join(_USUAL)}"
            )
    words = {**_USUAL, **marked}
    if not isinstance(words["app"], str | Path) or not str(words["app"]):
        raise UsageError(
            f'explore: app {shown(words["app"])}: which application? Write @pytest.mark.explore(app="my_app.py")'
        )
    repetitions = words["repetitions"]
    if isinstance(repetitions, bool) or not isinstance(repetitions, int) or not 1 <= repetitions <= 1000:
        raise UsageError(f"explore: repetitions {shown(repetitions)}: write a number from 1 to 1000")
    if not isinstance(words["protocols"], str):
        raise UsageError(
            f'explore: protocols {shown(words["protocols"])}: write "OpenFlow13", "OpenFlow10", or both with a comma'
        )
    for name in ("schedule", "always"):
        if not isinstance(words[name], str | Path | None):
            raise UsageError(f'explore: {name} {shown(words[name])}: write a file, such as "events.yaml"')
    for name, example in (("without", "full-table"), ("arguments", "--observe-links")):
        given = words[name]
        if not isinstance(given, list | tuple) or not all(isinstance(each, str) for each in given):
            raise UsageError(f'explore: {name} {shown(given)}: write a list, such as ["{example}"]')
    return words


def _seeds(given: Any) -> list[int]:
    if (
        isinstance(given, list | tuple | range)
        and all(isinstance(each, int) for each in given)
        and len(given)
    ):
        return list(given)
    if isinstance(given, str | int) and not isinstance(given, bool):
        return seeds_of(str(given))
    raise UsageError(f'explore: seeds {shown(given)}: write how many, "FIRST-LAST", or a list of numbers')


def _invariants(given: Any) -> list[Invariant]:
    if given is None:
        return list(INVARIANTS)
    if isinstance(given, str | Path):
        return invariants_of(str(given))
    own = [given] if isinstance(given, Invariant) else given
    if not isinstance(own, list | tuple) or not own or not all(isinstance(each, Invariant) for each in own):
        raise UsageError(
            f'explore: invariants {shown(given)}: write a file, or a list such as [reaches("h1", "h2")]'
        )
    return [*(each for each in INVARIANTS if each.name != "all-reach-all"), *own]
