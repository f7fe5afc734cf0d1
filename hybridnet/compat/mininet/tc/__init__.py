# SPDX-License-Identifier: MIT
"""Traffic control: the kernel's commands, what they say of a simulated link, and links that the kernel shapes."""
