# SPDX-License-Identifier: MIT
"""Parts of the experiments that run simulated TCP in virtual time."""
