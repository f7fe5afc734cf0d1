# SPDX-License-Identifier: MIT
"""What is simulated: the process of an instance, and networks in virtual time."""
