# SPDX-License-Identifier: MIT
"""Commands of their own beside the network: wire, generate, join, sweep, forecast, calibration."""
