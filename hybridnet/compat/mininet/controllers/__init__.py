# SPDX-License-Identifier: MIT
"""Mininet's controllers, and Stanford's reference programs, which scripts start by hand."""
