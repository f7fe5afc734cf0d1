# SPDX-License-Identifier: MIT
"""``hybridnet reproduce fig10``: see experiment.py."""
