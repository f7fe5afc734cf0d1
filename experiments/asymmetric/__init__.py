# SPDX-License-Identifier: MIT
"""``hybridnet reproduce asymmetric``: see experiment.py."""
