# SPDX-License-Identifier: MIT
"""Kinds of switches that hybridnet brings itself, registered as any package's: see `hybridnet.describe.kinds`."""
