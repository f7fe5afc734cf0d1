# SPDX-License-Identifier: MIT
"""What a command that runs networks shares with scripts: the prompt, the user's code, how it ends."""
