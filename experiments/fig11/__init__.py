# SPDX-License-Identifier: MIT
"""``hybridnet reproduce fig11``: see experiment.py."""
