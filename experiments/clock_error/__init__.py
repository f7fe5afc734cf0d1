# SPDX-License-Identifier: MIT
"""``hybridnet reproduce clock-error``: see experiment.py."""
