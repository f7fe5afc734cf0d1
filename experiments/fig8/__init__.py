# SPDX-License-Identifier: MIT
"""``hybridnet reproduce fig8``: see experiment.py."""
