# SPDX-License-Identifier: MIT
"""The controller microscope: finds what is wrong with an SDN application, and shows it again; see docs/explore.md."""
