# SPDX-License-Identifier: MIT
"""``hybridnet reproduce mm1``: see experiment.py."""
