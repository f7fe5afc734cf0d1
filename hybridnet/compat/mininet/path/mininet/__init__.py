# SPDX-License-Identifier: MIT
"""On PYTHONPATH, the folder that holds this package makes `import mininet` mean `hybridnet.compat.mininet`.

A script that runs under hybridnet may start another by ``python other.py``, and that Python need not have hybridnet and
what it depends on, no more than the ``python3`` of the system, with this folder on PYTHONPATH: then hybridnet's own
takes over, with the same arguments. It is the one of the virtual environment around this folder, or beside one above.
"""

import os
import sys


def _own_python() -> str:
    above = os.path.dirname(os.path.abspath(__file__))
    while above != os.path.dirname(above):
        above = os.path.dirname(above)
        for environment in (above, os.path.join(above, ".venv")):
            if os.path.exists(os.path.join(environment, "pyvenv.cfg")):
                return os.path.join(environment, "bin", "python")
    return sys.executable


_of_the_first_script = os.environ.get("HYBRIDNET_PYTHON") or _own_python()

try:
    from hybridnet.compat.mininet.loading.importing import take_the_name
    from hybridnet.run.prompt.ending import say_verdict_at_exit

    if _of_the_first_script != sys.executable:
        import hybridnet.compat.mininet.net  # noqa: F401  it needs all that hybridnet depends on
except ImportError:
    if _of_the_first_script == sys.executable:
        raise
    os.execv(_of_the_first_script, [_of_the_first_script, *sys.orig_argv[1:]])

take_the_name()
say_verdict_at_exit()
