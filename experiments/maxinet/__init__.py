# SPDX-License-Identifier: MIT
"""``hybridnet reproduce maxinet``: see experiment.py."""
