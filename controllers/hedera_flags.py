# SPDX-License-Identifier: MIT
"""Options of `hedera_switch` on Ryu's command line: give this file to ``--user-flags``."""

from __future__ import annotations

from ryu import cfg

cfg.CONF.register_cli_opts(
    [
        cfg.StrOpt(
            "hedera-scheduler",
            default="first-fit",
            choices=["none", "first-fit", "annealing"],
            help="how large flows are placed; none: each stays on the path that its hash chose",
        ),
        cfg.FloatOpt("hedera-poll", default=5.0, help="seconds between looks at the flows' counters"),
        cfg.FloatOpt("hedera-rate", default=1000.0, help="Mbit/s of a host's link"),
    ]
)
