# SPDX-License-Identifier: MIT
"""Where agents run, and how the head reaches them."""
