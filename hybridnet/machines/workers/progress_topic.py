# SPDX-License-Identifier: MIT
"""What head and agents call the Dask topic of a run."""

from __future__ import annotations

__all__ = ["progress_topic"]


def progress_topic(run: str) -> str:
    """The Dask topic on which the agents of a run tell how far they are."""
    return f"hybridnet-progress-{run}"
