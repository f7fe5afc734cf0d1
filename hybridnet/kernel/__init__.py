# SPDX-License-Identifier: MIT
"""Linux in simulated time: a kernel that is a program, in which a whole run takes place.

The kernel is Linux for ARCH=um (User-Mode Linux) with time travel: its clocks stand still while its programs compute,
and jump to the next timer when all of them wait. So nothing in it depends on how fast this computer is, or on what else
it does. `build` makes the kernel from a distribution's source, `process` runs a command in it, `first` is its first
process.

The kernel's source is not part of hybridnet, which has the recipe only: a configuration, and two files of its own.
"""
