# SPDX-License-Identifier: MIT
"""What can be asked of the editor, as methods; `hybridnet.tools.edit.routes` says under which paths.

The page has the drawing, as a form (`hybridnet.plan.files.yaml_form`), and sends the whole of it. So nothing is kept
here but the file and the network that runs.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from hybridnet.describe.topo import Topo
from hybridnet.describe.values import plain
from hybridnet.errors import HybridnetError, UsageError
from hybridnet.plan.files import FileTopo
from hybridnet.plan.files.containerlab import is_containerlab
from hybridnet.plan.files.mistakes import find_mistakes, place_of
from hybridnet.plan.files.placing import Places, place_nodes
from hybridnet.plan.files.python_form import to_python
from hybridnet.plan.files.yaml_form import SECTIONS, read_form, write_form, wrong_in_form
from hybridnet.plan.files.yaml_text import DEEPEST, read_yaml
from hybridnet.plan.files.yaml_update import updated_form
from hybridnet.plan.network import Plan
from hybridnet.tools.edit.disk import OpenFile
from hybridnet.tools.edit.forms import forms
from hybridnet.tools.edit.running import Running

__all__ = ["MOST_LINKS", "MOST_NODES", "NEW_FILE", "Desk"]

MOST_NODES = 1000
MOST_LINKS = 4000
NEW_FILE = "network.yaml"
PITCH = 90.0  # of nodes that have no place yet

Form = dict[str, Any]
Answer = dict[str, Any]


class Desk:
    """One editor: its file, and the network that it has started. Usable from any thread.

    Args:
        path: the file, which need not be there yet.
        plan: makes the plan of a network as `hybridnet plan` does.

    Raises:
        UsageError, TopologyError, UnitError: the file is there, but no topology of ours that can be drawn.
    """

    def __init__(self, path: Path, plan: Callable[[FileTopo], Plan]) -> None:
        self._plan = plan
        self._saving = threading.Lock()
        self._file = OpenFile(path)
        self._running = Running()
        self._text = self._file.text or ""
        """What was opened or saved last: what is saved next keeps its comments."""
        self._opened = {} if self._file.text is None else _form_of(self._text, str(path))

    def close(self) -> None:
        """End the network that was started here."""
        self._running.close()

    def document(self) -> Answer:
        """The file's name, its form as it was opened or saved last, and the stamp of that."""
        return {"file": self._file.name, "form": self._opened, "stamp": self._file.stamp}

    def forms(self) -> Answer:
        """The kinds of nodes, and the fields of everything."""
        return self._forms

    @cached_property
    def _forms(self) -> Answer:
        return forms()

    def value(self, text: str) -> Answer:
        """What a text means in a file, such as ``10`` or ``{model: gilbert_elliott}``. Raises TopologyError."""
        return {"value": _bounded(read_yaml(text, "this").value)}

    def check(self, form: Form, plan: bool = False) -> Answer:
        """All mistakes of a drawing; where there are none and a plan is asked for, the plan as text."""
        _bounded_form(form)
        mistakes = [(mistake.path, mistake.text) for mistake in find_mistakes(form)]
        planned = None
        if plan and not mistakes:
            topo = _topo_of(form, self._file.name)
            try:
                planned = str(self._plan(topo))
            except HybridnetError as error:
                mistakes = [(place_of(error, topo), str(error))]
        return {
            "mistakes": [{"path": list(path), "text": text} for path, text in mistakes],
            "plan": planned,
        }

    def open(self, text: str, file: str) -> Answer:
        """The form of a file's text. Raises as `Desk`."""
        form = _form_of(text, file)
        self._text = text
        return {"form": form}

    def save(self, form: Form, file: str, stamp: str = "", over: bool = False) -> Answer:
        """Write a drawing into the file's folder.

        Args:
            stamp: of the file as whoever saves has seen it; empty: not at all.
            over: also over what they have not seen.

        Returns:
            ``saved``: whether it was, and else ``why`` not; the new ``stamp``.

        Raises:
            UsageError: it cannot be written, or could not be opened again.
        """
        _bounded_form(form)
        if wrong := wrong_in_form(form):
            path, why = wrong[0]
            raise UsageError(
                f"save: {'.'.join(map(str, path))}: {why}; such a file could not be opened again"
            )
        with self._saving:
            text = updated_form(self._text, form)
            why_not = self._file.save(file, text, stamp, over=over)
            if why_not is not None:
                return {"saved": False, "why": why_not, "file": file, "stamp": stamp}
            self._opened, self._text = form, text
            return {"saved": True, "why": "", "file": file, "stamp": self._file.stamp}

    def export(self, form: Form, language: str) -> Answer:
        """The text of a drawing in YAML or Python, and a name for its file. Raises UsageError: it has mistakes."""
        topo = self._right(form, "export")
        stem = self._file.name.rpartition(".")[0]
        if language == "yaml":
            return {"file": f"{stem}.yaml", "text": updated_form(self._text, form)}
        text = to_python(topo, f"{stem}.py", str(form.get("description") or ""), topo.controllers)
        return {"file": f"{stem}.py", "text": text}

    def network(self) -> Answer:
        """The network that was started here; see `Running.state`."""
        return self._running.state()

    def start(self, form: Form) -> Answer:
        """Start what is drawn. Raises UsageError: it has mistakes; and as `Running.start`."""
        self._right(form, "start")
        self._running.start(write_form(form), self._file.name)
        return self._running.state()

    def stop(self) -> Answer:
        """Stop it."""
        self._running.stop()
        return self._running.state()

    def _right(self, form: Form, what: str) -> FileTopo:
        """The network of a form without mistakes."""
        _bounded_form(form)
        if mistakes := find_mistakes(form):
            raise UsageError(f"{what}: the drawing has mistakes ({len(mistakes)}): {mistakes[0].text}")
        return _topo_of(form, self._file.name)


def _topo_of(form: Form, file: str) -> FileTopo:
    """The network as a command would read it from the saved file."""
    return FileTopo(file, write_form(form), {})


def _form_of(text: str, file: str) -> Form:
    """A file's form, each of whose nodes has a place."""
    if not file.endswith((".yaml", ".yml")) or is_containerlab(file, text):
        raise UsageError(
            f"{plain(file)}: the editor draws topologies in hybridnet's YAML; convert it first: hybridnet plan --topo "
            f"{plain(file)} --draw network.yaml"
        )
    form: Form = dict(read_form(text, file).value)
    _bounded_form(form)
    nodes = _nodes(form)
    there: dict[str, object] = form.get("positions") or {}
    if len(there) < len(nodes):
        size = PITCH * max(2.0, math.sqrt(len(nodes)) * 1.5)
        placed = _placed(form)
        there = {
            name: there.get(name, [round(placed[name][0] * size), round((1 - placed[name][1]) * size / 1.6)])
            for name in nodes
        }
    return {**form, "positions": there}


def _placed(form: Form) -> Places:
    """Where a drawing would put each node; also where the description would refuse some, which is shown later."""
    topo = Topo()
    numbered: dict[str, str] = {}
    for section, role in SECTIONS.items():
        for name in form.get(section) or {}:
            numbered[name] = role.add_to(topo)(f"n{len(topo.nodes())}")
    for link in form.get("links") or []:
        a, b = (numbered.get(name) for name in link["between"])
        if a is not None and b is not None and a != b:
            topo.addLink(a, b)
    places = place_nodes(topo)
    return {name: places[number] for name, number in numbered.items()}


def _nodes(form: Form) -> list[str]:
    sections = (form.get(section) for section in SECTIONS)
    return [name for section in sections if isinstance(section, Mapping) for name in section]


def _bounded_form(form: Form) -> None:
    """Raise UsageError for a drawing that is too large for the editor, or no plain data that a file can hold."""
    nodes, links = len(_nodes(form)), form.get("links")
    if nodes > MOST_NODES or (isinstance(links, list) and len(links) > MOST_LINKS):
        raise UsageError(
            f"the editor draws at most {MOST_NODES} nodes and {MOST_LINKS} links, and there are {nodes} and "
            f"{len(links) if isinstance(links, list) else 0}; write such a network in Python"
        )
    _bounded(form)


def _bounded(value: Any, depth: int = 0) -> Any:
    """The value. Raises UsageError: it is nested too deep, or has text that is no Unicode, or a number without end."""
    if depth > DEEPEST - 2:
        raise UsageError(
            f"the drawing is nested more than {DEEPEST - 2} levels deep; write less into one field"
        )
    if isinstance(value, Mapping):
        for key, each in value.items():
            _bounded(key, depth + 1)
            _bounded(each, depth + 1)
    elif isinstance(value, list):
        for each in value:
            _bounded(each, depth + 1)
    elif isinstance(value, str) and any("\ud800" <= letter <= "\udfff" for letter in value):
        raise UsageError("the drawing has text that is no Unicode; write it anew")
    elif isinstance(value, float) and not math.isfinite(value):
        raise UsageError("the drawing has a number that is larger than any here; correct it")
    return value
