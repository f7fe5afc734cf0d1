# SPDX-License-Identifier: MIT
"""Writes a changed form into the text that it came from: what did not change stays as it was written.

    text ─▶ its form ─┐
                      ├─ what differs ─▶ the same places of the text's tree ─▶ text
          new form ───┘

Comments, the order of lines, quotes, aliases and merges stay. A comment between two lines belongs to the line above it,
and goes with that.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from hybridnet.errors import TopologyError
from hybridnet.plan.files.yaml_form import read_form, write_form
from hybridnet.plan.files.yaml_text import read_yaml

__all__ = ["updated_form"]

_FILE = "the text before"
_WIDTH = 1 << 16  # no line is broken that was not


def updated_form(text: str, form: Mapping[str, Any]) -> str:
    """The text of a form, as near to an earlier text as can be.

    Where the earlier text is none of ours, or one of its values stands for several places that are no longer equal, the
    form is written anew, without comments.

    Args:
        text: what the file had.
        form: what it shall say: the form that `read_form` will read from what is returned, without empty parts.
    """
    anew = write_form(form)
    try:
        before = dict(read_form(text, _FILE).value)
    except TopologyError:
        return anew
    wanted = read_yaml(anew, _FILE).value
    if "format" not in before:
        del wanted["format"]
    if before == wanted:
        return text
    if text == write_form(
        before
    ):  # nobody has written in it; a tree of thousands of nodes would take seconds
        return anew
    return _updated(text, before, wanted) or anew


def _updated(text: str, before: Mapping[str, Any], wanted: Mapping[str, Any]) -> str | None:
    """The text with what is wanted; None: it could not be put there."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = _WIDTH
    yaml.allow_duplicate_keys = True  # read_form has refused them
    try:
        yaml.indent(**_indents(text))
        tree = yaml.load(text)
        _put_mapping(tree, before, wanted)
        out = io.StringIO()
        yaml.dump(tree, out)
        found = read_form(out.getvalue(), _FILE).value
    except (YAMLError, TopologyError, ValueError, TypeError, KeyError, IndexError, AttributeError):
        return None
    return out.getvalue() if found == wanted else None


def _indents(text: str) -> dict[str, int]:
    """By how much the text's first nested mapping is indented, and the dash and the content of its first sequence."""
    import yaml

    found = {"mapping": 2, "sequence": 2, "offset": 0}
    met: set[str] = set()
    nodes = [yaml.compose(text, Loader=yaml.SafeLoader)]
    while nodes:
        node = nodes.pop(0)
        if not isinstance(node, yaml.MappingNode) or node.flow_style:
            continue
        for key, value in node.value:
            nodes.append(value)
            column = value.start_mark.column - key.start_mark.column
            block = isinstance(value, yaml.CollectionNode) and not value.flow_style
            kind = "mapping" if isinstance(value, yaml.MappingNode) else "sequence"
            if not block or kind in met or not value.value:
                continue
            met.add(kind)
            if kind == "mapping":
                found["mapping"] = column
            else:
                inside = value.value[0].start_mark.column - key.start_mark.column
                found |= {"sequence": inside, "offset": column}
    return found


def _put_mapping(tree: Any, before: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    keys = {str(key): key for key in tree}  # a name such as 1 is a number in the tree
    for key in before.keys() - wanted.keys():
        del tree[keys[key]]
    for key, value in wanted.items():
        if key not in before:
            tree[key] = _node(value)
        elif value != before[key]:
            _put(tree, keys.get(key, key), before[key], value)


def _put_sequence(tree: Any, before: Sequence[Any], wanted: Sequence[Any]) -> None:
    """The last change first: places of earlier ones stay."""
    same = SequenceMatcher(
        None, [repr(each) for each in before], [repr(each) for each in wanted], autojunk=False
    )
    for _, begin, end, of, until in reversed([each for each in same.get_opcodes() if each[0] != "equal"]):
        both = min(end - begin, until - of)
        for index in range(end - 1, begin + both - 1, -1):
            del tree[index]
        for number, value in enumerate(wanted[of + both : until]):
            tree.insert(begin + both + number, _node(value))
        for number in range(both):
            _put(tree, begin + number, before[begin + number], wanted[of + number])


def _put(tree: Any, place: Any, before: Any, wanted: Any) -> None:
    """Change one value: inside where it is of the same kind, else as a whole."""
    if isinstance(before, Mapping) and isinstance(wanted, Mapping) and before and wanted:
        _put_mapping(tree[place], before, wanted)
    elif isinstance(before, list) and isinstance(wanted, list) and before and wanted:
        _put_sequence(tree[place], before, wanted)
    elif before != wanted:
        tree[place] = _node(wanted)


def _node(value: Any) -> Any:
    """A value as part of a tree: in one line, as forms are written."""
    from ruamel.yaml.comments import CommentedMap, CommentedSeq

    if isinstance(value, Mapping):
        mapping = CommentedMap((key, _node(each)) for key, each in value.items())
        mapping.fa.set_flow_style()
        return mapping
    if isinstance(value, list):
        sequence = CommentedSeq(map(_node, value))
        sequence.fa.set_flow_style()
        return sequence
    return value
