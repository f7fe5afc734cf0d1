# SPDX-License-Identifier: MIT
"""``hybridnet reproduce scale``: see experiment.py."""
