# SPDX-License-Identifier: MIT
import subprocess
import sys

# In a process of its own, because the classes stay changed. Each connection is followed by memory of another size, so
# that their addresses have no order.
PROGRAM = """
import random
from distributed.comm.inproc import InProc
from hybridnet.machines.workers.numbered import number_connections

class Plain(InProc):
    def __init__(self):
        super(InProc, self).__init__()
    def __del__(self):
        pass

before = Plain()
kept = {before}
number_connections()
assert before in kept and len({before, Plain()}) == 2
ballast, made = [], []
chance = random.Random(1)
for _ in range(8):
    made.append(Plain())
    ballast.append(bytes(chance.randrange(100_000)))
idle = set(chance.sample(made, 8))
print([made.index(idle.pop()) for _ in range(8)])
"""


def test_a_set_gives_back_connections_in_their_order_wherever_they_are_in_memory() -> None:
    ended = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, "[0, 1, 2, 3, 4, 5, 6, 7]\n"), ended.stderr
