# SPDX-License-Identifier: MIT
"""What is asked of the computer: commands, priorities, what was made there and how it is removed."""
