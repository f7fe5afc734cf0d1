# SPDX-License-Identifier: MIT
"""The agent itself: all parts of one machine, built, watched and removed."""
