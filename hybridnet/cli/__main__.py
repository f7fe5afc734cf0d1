# SPDX-License-Identifier: MIT
"""``python -m hybridnet.cli`` is ``hybridnet``."""

from __future__ import annotations

import sys

from hybridnet.cli.main import main

sys.exit(main())
