# SPDX-License-Identifier: MIT
"""An editor for networks, as a page: draw one, check it, save it as YAML or Python, and start it: `hybridnet edit`."""
