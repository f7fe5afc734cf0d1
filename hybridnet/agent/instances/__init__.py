# SPDX-License-Identifier: MIT
"""The instances of a machine: their processes, changes, captures and samples."""
