# SPDX-License-Identifier: MIT
"""What several experiments share."""
