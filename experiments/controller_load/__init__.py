# SPDX-License-Identifier: MIT
"""How many flows a second a controller sets up, and how long one takes."""
