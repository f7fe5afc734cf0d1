# SPDX-License-Identifier: MIT
"""``hybridnet reproduce dumbbell``: see experiment.py."""
