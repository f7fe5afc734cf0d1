# SPDX-License-Identifier: MIT
"""``python -m hybridnet.instance PLAN.json --control SOCKET``."""

import os
import sys

from hybridnet.instance.process import main

status = main()
sys.stdout.flush()
os._exit(status)  # threads that wait for a client or a signal have nothing to finish
