# SPDX-License-Identifier: MIT
"""Container images on this computer: read from folders, archives and registries, and unpacked once for each content."""
