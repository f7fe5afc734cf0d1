# SPDX-License-Identifier: MIT
"""Published experiments, reproduced: one module per figure or table, run by ``hybridnet reproduce NAME``."""
