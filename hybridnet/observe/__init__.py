# SPDX-License-Identifier: MIT
"""What is kept of a run: time series, results and verdicts, run directories and pictures."""
