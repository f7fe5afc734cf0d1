# SPDX-License-Identifier: MIT
"""One running simulation: its process, its plug-ins, its replay."""
