# SPDX-License-Identifier: MIT
"""``hybridnet reproduce tlem``: see experiment.py."""
