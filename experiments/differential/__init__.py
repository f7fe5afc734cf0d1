# SPDX-License-Identifier: MIT
"""``hybridnet reproduce differential``: see experiment.py."""
