# SPDX-License-Identifier: MIT
"""``hybridnet reproduce interop``: see experiment.py."""
