# SPDX-License-Identifier: MIT
"""From a description to what each machine makes: pure data."""
