# SPDX-License-Identifier: MIT
"""The port type of tests that mean no certain one: `make test-stock` says ``system``, the kernel's datapath."""

from __future__ import annotations

import os

PORT_TYPE = os.environ.get("HYBRIDNET_TEST_PORT_TYPE", "afpacket")
