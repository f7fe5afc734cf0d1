# SPDX-License-Identifier: MIT
"""Mininet's package, as scripts see it: names, signatures and manners of Mininet 2.3 over `hybridnet.Net`.

`hybridnet run SCRIPT.py` makes it importable as `mininet` for scripts that import that; so do
``python -m hybridnet.compat.mininet SCRIPT.py`` and ``PYTHONPATH=$(hybridnet mininet-path)``. What Mininet tolerates is
tolerated here, with one warning each (`hybridnet.compat.mininet.lenient_options`); hybridnet's own API stays strict.
"""
