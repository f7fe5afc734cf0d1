# SPDX-License-Identifier: MIT
"""``hybridnet reproduce tcp-friendly``: see experiment.py."""
