# SPDX-License-Identifier: MIT
"""``hybridnet reproduce fig7``: see experiment.py."""
