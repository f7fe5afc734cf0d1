# SPDX-License-Identifier: MIT
"""Addresses and routes of every interface."""
