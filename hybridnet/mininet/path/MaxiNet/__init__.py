# SPDX-License-Identifier: MIT
"""On PYTHONPATH, the folder that holds this package makes `import MaxiNet` mean `hybridnet.maxinet`."""

import importlib
import sys

from hybridnet.cli.ending import say_verdict_at_exit
from hybridnet.mininet.importing import ours, take_the_name

take_the_name()
say_verdict_at_exit()
sys.modules["MaxiNet"] = importlib.import_module(ours("MaxiNet"))
