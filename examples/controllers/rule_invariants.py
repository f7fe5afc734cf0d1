# SPDX-License-Identifier: MIT
"""What must hold of flows and of the controller, whatever they are for, as hybridnet explore --invariants takes it."""

from hybridnet.tools.explore import bounded, no_ambiguous_rules, no_shadowed_rules

rules = [no_ambiguous_rules, no_shadowed_rules]
controller = bounded(messages_per_s=100, memory_mib=20)
