# SPDX-License-Identifier: MIT
"""On PYTHONPATH, the folder that holds this package makes `import mininet` mean `hybridnet.mininet`.

A script that runs under hybridnet may start another by ``python other.py``, and that Python need not have hybridnet and
what it depends on: then hybridnet's own takes over, with the same arguments.
"""

import importlib
import os
import sys

_of_the_first_script = os.environ.get("HYBRIDNET_PYTHON", sys.executable)

try:
    from hybridnet.mininet.importing import take_the_name

    if _of_the_first_script != sys.executable:
        importlib.import_module("hybridnet.mininet.net")
except ImportError:
    if _of_the_first_script == sys.executable:
        raise
    os.execv(_of_the_first_script, [_of_the_first_script, *sys.orig_argv[1:]])

take_the_name()
importlib.import_module("hybridnet.cli.ending").say_verdict_at_exit()
