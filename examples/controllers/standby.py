# SPDX-License-Identifier: MIT
"""A learning switch under several controllers, of which one is the master; see `new_master` for a mistake.

hybridnet explore examples/controllers/standby.py --controllers 2

Each writes into a folder that all of them have, ten times a second, when it has last had a switch. The first of those
that have one is the master.
"""

import os
import time
from pathlib import Path

from learning_switch import LearningSwitch
from ryu.controller import ofp_event
from ryu.controller.handler import DEAD_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from ryu.lib import hub

OWN = os.environ["HYBRIDNET_CONTROLLER"]
SHARED = Path(os.environ["HYBRIDNET_SHARED"])
EVERY_S, SILENT_S = 0.1, 0.35


class Standby(LearningSwitch):
    """As `LearningSwitch`, but only the master tells switches anything."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.switches = {}
        self.term = None  # of this controller, while it is the master
        self.threads = [hub.spawn(self.watch)]

    @set_ev_cls(ofp_event.EventOFPStateChange, [MAIN_DISPATCHER, DEAD_DISPATCHER])
    def state_changed(self, event):
        switch = event.datapath
        if event.state == MAIN_DISPATCHER:
            self.switches[switch.id] = switch
            self.take(switch)
        elif self.switches.get(switch.id) is switch:  # an old connection may end after the new one has begun
            del self.switches[switch.id]

    def begin(self, switch):
        """Nothing yet: it waits until its role is known."""
        self.places[switch.id] = {}

    def watch(self):
        while True:
            self.choose()
            hub.sleep(EVERY_S)

    def choose(self):
        now = time.time()
        if self.switches:
            (SHARED / OWN).write_text(str(now))
        alive = [each.name for each in SHARED.glob("c?") if now - float(each.read_text()) < SILENT_S]
        is_master = bool(self.switches) and min(alive) == OWN
        if is_master and self.term is None:
            self.term = self.next_term()
            for switch in list(self.switches.values()):
                self.take(switch)
        elif not is_master and self.term is not None:
            self.term = None
            for switch in self.switches.values():
                self.places[switch.id] = {}  # what it knew gets old
                self.ask_role(switch, switch.ofproto.OFPCR_ROLE_SLAVE, self.last_term())

    def last_term(self):
        file = SHARED / "term"
        return int(file.read_text()) if file.exists() else 0

    def next_term(self):
        term = self.last_term() + 1
        (SHARED / "term").write_text(str(term))
        return term

    def take(self, switch):
        """Be the master of a switch, or its slave; a master begins with a switch of which it knows everything."""
        roles = switch.ofproto
        if self.term is None:
            self.ask_role(switch, roles.OFPCR_ROLE_SLAVE, self.last_term())
        else:
            self.ask_role(switch, roles.OFPCR_ROLE_MASTER, self.term)
            self.own(switch)

    def own(self, switch):
        LearningSwitch.begin(self, switch)

    def ask_role(self, switch, role, term):
        switch.send_msg(switch.ofproto_parser.OFPRoleRequest(switch, role, term))
