# SPDX-License-Identifier: MIT
"""Which devices a script's own text names, as `tcpdump -i s1-eth2` does, and whether it turns on RSTP.

A link between two switches needs no devices where Open vSwitch forwards in user space, and without them it is faster.
But a script that names them expects them there, as Mininet has them. So its text is searched: that of the main program
and of the modules beside it. A name that a script puts together by other means than in `"s%d-eth%d"`, `f"{s}-eth2"` or
`s.name + "-eth2"` is not found, nor is one that somebody types at the prompt.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import hybridnet

__all__ = ["Mentions", "script_text"]

_MOST_BYTES = 1 << 20  # of a file: what is larger was not written by hand
_NOT_THE_SCRIPTS = {"site-packages", "dist-packages"}

# What a name begins with, if that is in the text, then something that is put in, and its number, if it is in the text.
_PUT_TOGETHER = re.compile(r"""([A-Za-z0-9_]*)(?:%[sd]|\{[^{}\n]*\}|["'])-eth(\d*)""")


class Mentions:
    """The devices that a text names.

    Args:
        text: of programs, in any language.

    Example:
        >>> Mentions('os.system("tcpdump -i s1-eth2")').name("s1-eth2")
        True
        >>> Mentions('s.cmd("tc qdisc show dev %s-eth1" % s)').name("s3-eth2")
        False
    """

    def __init__(self, text: str) -> None:
        self._words = set(re.findall(r"[\w-]+", text))
        self.rstp = "rstp_enable" in self._words
        """Whether it turns on the rapid spanning tree protocol, with which no patch is possible."""
        self._put_together = set(_PUT_TOGETHER.findall(text)) - {("", "0")}  # which is a host's

    def name(self, device: str) -> bool:
        """Whether the text names the device."""
        node, _, number = device.rpartition("-eth")
        if device in self._words or f"{node}-eth" in self._words:
            return True
        return node != "" and any(
            node.startswith(begin) and told in ("", number) for begin, told in self._put_together
        )


def script_text() -> str:
    """The text of the main program and of the modules of its folder; empty where there is none."""
    return "\n".join(path.read_text(errors="replace") for path in _files())


def _files() -> Iterator[Path]:
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    if main is None:
        return
    folder, ours = Path(main).resolve().parent, Path(hybridnet.__file__).resolve().parent
    named = {getattr(module, "__file__", None) for module in list(sys.modules.values())} | {main}
    for path in sorted({Path(name).resolve() for name in named if isinstance(name, str)}):
        if (
            path.is_relative_to(folder)
            and not path.is_relative_to(ours)
            and not _NOT_THE_SCRIPTS & set(path.parts)
            and path.is_file()
            and path.stat().st_size <= _MOST_BYTES
        ):
            yield path
