# SPDX-License-Identifier: MIT
"""What runs on a machine as root: hosts, pairs, switches, the instance's process, and the programs in hosts."""
