# SPDX-License-Identifier: MIT
"""What hybridnet asks of the computer: commands, priorities, what was made there and how it is removed."""
