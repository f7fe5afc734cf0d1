# SPDX-License-Identifier: MIT
"""How a script is loaded: by which names it finds this package, in which Python it is written, what its text names."""
