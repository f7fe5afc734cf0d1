# SPDX-License-Identifier: MIT
"""Types of plans: each object of a format that has a title is one, with the keys and kinds that the format says."""

from __future__ import annotations

from types import NoneType
from typing import Any, NotRequired, get_origin, get_type_hints

from hybridnet.describe.options import table
from hybridnet.describe.schema import plans
from hybridnet.describe.schema.check import schema
from hybridnet.describe.schema.typed import python_types


def hints(name: str) -> dict[str, Any]:
    return get_type_hints(getattr(plans, name), vars(plans))


def optional(name: str) -> set[str]:
    of = getattr(plans, name)
    found = get_type_hints(of, vars(plans), include_extras=True)
    return {key for key, kind in found.items() if get_origin(kind) is NotRequired}


def test_every_title_of_the_formats_is_a_type() -> None:
    def titles(of: Any) -> set[str]:
        if isinstance(of, list):
            return {title for each in of for title in titles(each)}
        if not isinstance(of, dict):
            return set()
        own = {of["title"]} if isinstance(of.get("title"), str) else set()
        return own | {title for each in of.values() for title in titles(each)}

    assert titles(schema("machine")) == set(plans.__all__)


def test_keys_that_a_format_requires_are_required() -> None:
    declared = schema("machine")["$defs"]["switch"]
    assert hints("SwitchPlan").keys() == declared["properties"].keys()
    assert optional("SwitchPlan") == declared["properties"].keys() - set(declared["required"])


def test_kinds_are_those_of_the_format() -> None:
    assert hints("PairPlan") == {"kind": str, "a": plans.PairEnd, "b": plans.PairEnd}
    assert hints("HostRoute")["via"] == str | NoneType
    assert hints("MachinePlan")["instances"] == list[plans.InstancePlan]
    assert hints("Fragment")["instances"] == list[plans.InstancePlan | plans.InstancePart]
    assert hints("HostPlan")["private_dirs"] == list[str | plans.DirectoryPlan]


def test_one_of_several_objects_has_the_keys_of_all_and_requires_none() -> None:
    assert optional("SimulatedEnd") == {"interface", "portal", "peer", "channel"}


def test_the_options_of_a_table_are_keys_of_its_type() -> None:
    assert hints("DirectionPlan").keys() == table("direction").planned.keys()


def test_a_type_says_what_the_format_says() -> None:
    assert '    """The processors; null: all."""' in python_types()
