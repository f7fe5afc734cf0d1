# SPDX-License-Identifier: MIT
"""Other testbeds' packages, as their scripts see them."""
