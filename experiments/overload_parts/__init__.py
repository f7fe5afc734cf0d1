# SPDX-License-Identifier: MIT
"""Parts of the experiment overload."""
