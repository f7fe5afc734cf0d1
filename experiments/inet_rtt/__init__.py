# SPDX-License-Identifier: MIT
"""``hybridnet reproduce inet-rtt``: see experiment.py."""
