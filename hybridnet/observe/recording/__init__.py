# SPDX-License-Identifier: MIT
"""What a run keeps, so that it can be looked at, compared, repeated and published.

RunRecord (one command) ─┬─ manifest.json: the command, its files, versions, this computer
                         ├─ results.json: what the script called result() with
                         └─ NetworkRecord (each network) ─ network-1/: plan, series, counters, captures, verdict
"""

from __future__ import annotations
