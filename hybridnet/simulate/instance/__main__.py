# SPDX-License-Identifier: MIT
"""``python -m hybridnet.simulate.instance PLAN.json --control SOCKET``."""

import os
import sys

from hybridnet.simulate.instance.process import main

status = main()
sys.stdout.flush()
os._exit(status)  # threads that wait for a client or a signal have nothing to finish
