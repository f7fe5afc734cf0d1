# SPDX-License-Identifier: MIT
"""On PYTHONPATH, the folder that holds this package makes `import mininet` mean `hybridnet.mininet`."""

from hybridnet.mininet.importing import take_the_name

take_the_name()
