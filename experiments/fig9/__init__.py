# SPDX-License-Identifier: MIT
"""``hybridnet reproduce fig9``: see experiment.py."""
