# SPDX-License-Identifier: MIT
"""The formats of the plans, and the check against them."""
