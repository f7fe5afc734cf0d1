# SPDX-License-Identifier: MIT
"""``hybridnet reproduce overload``: see experiment.py."""
