# SPDX-License-Identifier: MIT
"""``hybridnet reproduce shared-queue``: see experiment.py."""
