# SPDX-License-Identifier: MIT
"""``hybridnet reproduce inet-loss``: see experiment.py."""
