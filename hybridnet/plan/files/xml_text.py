# SPDX-License-Identifier: MIT
"""XML that somebody else wrote, within bounds: elements and attributes, and none of what XML can do besides."""

from __future__ import annotations

from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from hybridnet.errors import TopologyError

__all__ = ["read_xml"]

MOST_ELEMENTS = 200_000
MOST_DEPTH = 50
MOST_ATTRIBUTES = 100  # of an element


def read_xml(text: str, file: str) -> Element:
    """The root of a document without a document type, so that it has no entities but XML's own five.

    Raises:
        TopologyError: it is no such document, or has more elements than `MOST_ELEMENTS`, or deeper ones than
            `MOST_DEPTH`; the message has the line.
    """
    builder = TreeBuilder()
    parser = expat.ParserCreate()
    depth = count = 0

    def refuse(why: str) -> NoReturn:
        raise TopologyError(f"{file}:{parser.CurrentLineNumber}: {why}")

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth, count
        depth, count = depth + 1, count + 1
        if depth > MOST_DEPTH:
            refuse(f"elements are nested more than {MOST_DEPTH} deep; correct it")
        if count > MOST_ELEMENTS:
            refuse(f"it has more than {MOST_ELEMENTS} elements; divide the lab")
        if len(attributes) > MOST_ATTRIBUTES:
            refuse(f"an element has more than {MOST_ATTRIBUTES} attributes; correct it")
        builder.start(tag, attributes)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag)

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = lambda *_: refuse(
        "it has a document type (<!DOCTYPE ...>), which no lab needs; remove it"
    )
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        raise TopologyError(
            f"{file}:{error.lineno}: it is no XML: {expat.ErrorString(error.code)}; correct it"
        ) from None
    except UnicodeError:
        raise TopologyError(f"{file}: it is not text in UTF-8; convert it") from None
    return builder.close()
