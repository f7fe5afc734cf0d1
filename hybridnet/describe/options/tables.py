# SPDX-License-Identifier: MIT
"""The tables of options that the simulator declares (`simcore/options/option_facts.h`), as Python objects.

An option has a `name`, which people write, with units (``target="5ms"``), and a `key`, which plans write, in whole
numbers of the unit that stands behind it (``target_ns: 5000000``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from hybridnet.errors import EnvironmentLackError

__all__ = ["Family", "Option", "Table", "extension", "family", "table", "tables"]

Number = int | float


@dataclass(frozen=True)
class Option:
    """One option: what `OptionFacts` of simcore says of it.

    Attributes:
        mininet: its name in a description of a network, where Mininet has another one.
        kind: flag, count, number, share (a probability in plans, a percentage for people), duration (ns), rate
            (bit/s), size (bytes), text, choice, list (of `item`), map, table or family.
        unit: of what a count counts.
        least, most: the range of a number; `above` and `below` say that the bound itself is outside.
        multiple: a number is a multiple of this.
        pattern: a text matches it.
        spread: the options of a table or family are written beside the others, and not within it.
        plan_only: people do not write it.  said_only: plans do not have it.
        default: as in a plan; None: there is none.
        table, family: the name of the nested one.
    """

    name: str
    key: str
    mininet: str
    help: str
    unit: str
    kind: str
    item: str | None
    least: Number | None
    most: Number | None
    above: bool
    below: bool
    multiple: Number | None
    power_of_two: bool
    pattern: str
    least_items: int
    required: bool
    nullable: bool
    spread: bool
    plan_only: bool
    said_only: bool
    choices: tuple[str, ...]
    default: Any
    table: str | None
    family: str | None

    @property
    def said_as(self) -> str:
        """Its name in a description of a network."""
        return self.mininet or self.name


@dataclass(frozen=True)
class Table:
    """The options of one thing, in the order in which they are declared.

    Attributes:
        presets: by name, what each says otherwise than the defaults.
        retired: keys that there were once, and what to write instead.
    """

    name: str
    help: str
    options: tuple[Option, ...]
    presets: Mapping[str, Mapping[str, Any]]
    retired: Mapping[str, str]

    @cached_property
    def said(self) -> Mapping[str, Option]:
        """The options that people write, by the names of a description; those of spread ones among them."""
        return {option.said_as: option for option in _flat(self.options) if not option.plan_only}

    @cached_property
    def planned(self) -> Mapping[str, Option]:
        """The options that plans have, by their keys."""
        return {option.key: option for option in self.options if not option.said_only}


@dataclass(frozen=True)
class Family:
    """Models of one thing, by their names; the value of `tag` names one."""

    name: str
    tag: str
    models: Mapping[str, Table]


def extension() -> Any:
    """The simulator's extension. Raises EnvironmentLackError: it has not been built."""
    try:
        from hybridnet import _simcore
    except ImportError as error:
        raise EnvironmentLackError(
            f"the simulator's extension cannot be loaded ({error}); build it: make install"
        ) from None
    return _simcore


@cache
def tables() -> tuple[Mapping[str, Table], Mapping[str, Family]]:
    """All tables and all families. Raises EnvironmentLackError: the extension has not been built."""
    declared = extension().option_tables()
    all_tables = {
        name: Table(
            name=name,
            help=each["help"],
            options=tuple(
                Option(**{**option, "choices": tuple(option["choices"])}) for option in each["options"]
            ),
            presets=each["presets"],
            retired=each["retired"],
        )
        for name, each in declared["tables"].items()
    }
    families = {
        name: Family(name, each["tag"], {model: all_tables[model] for model in each["alternatives"]})
        for name, each in declared["families"].items()
    }
    return all_tables, families


def table(name: str) -> Table:
    """The table of this name: direction, tcp, realtime, peer, or a model's."""
    return tables()[0][name]


def family(name: str) -> Family:
    """The family of this name: application, portal, loss, extra_delay, queue, rate_model."""
    return tables()[1][name]


def _flat(options: tuple[Option, ...]) -> Iterator[Option]:
    for option in options:
        if not option.spread:
            yield option
        elif option.table is not None:
            yield from _flat(table(option.table).options)
        elif option.family is not None:
            for model in family(option.family).models.values():
                yield from _flat(model.options)
