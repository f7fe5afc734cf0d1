# SPDX-License-Identifier: MIT
"""Says how many switches and links Ryu's own discovery knows, each time that it changes, as a Ryu app.

For ``--observe-links``: Ryu then sends LLDP frames out of all ports. A link counts once for each direction.
"""

from __future__ import annotations

from ryu.base import app_manager
from ryu.controller.handler import set_ev_cls
from ryu.topology import event


class LinksSeen(app_manager.RyuApp):
    """Print ``links_seen: N switches, M links``."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self._switches = self._links = 0

    def _change(self, switches, links):
        self._switches += switches
        self._links += links
        print(f"links_seen: {self._switches} switches, {self._links} links", flush=True)

    @set_ev_cls(event.EventSwitchEnter)
    def switch_comes(self, event):
        self._change(1, 0)

    @set_ev_cls(event.EventSwitchLeave)
    def switch_goes(self, event):
        self._change(-1, 0)

    @set_ev_cls(event.EventLinkAdd)
    def link_comes(self, event):
        self._change(0, 1)

    @set_ev_cls(event.EventLinkDelete)
    def link_goes(self, event):
        self._change(0, -1)
