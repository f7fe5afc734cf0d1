# SPDX-License-Identifier: MIT
"""On PYTHONPATH, the folder that holds this package makes `import MaxiNet` mean `hybridnet.compat.maxinet`."""

import importlib
import sys

from hybridnet.compat.mininet.loading.importing import ours, take_the_name
from hybridnet.run.prompt.ending import say_verdict_at_exit

take_the_name()
say_verdict_at_exit()
sys.modules["MaxiNet"] = importlib.import_module(ours("MaxiNet"))
