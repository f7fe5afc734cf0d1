# SPDX-License-Identifier: MIT
"""Time series: figures of elements at instants, from where they are sampled to a file of the run directory.

sampler (agent, simulation) ─ rows ─▶ SampleBuffer ─ blocks ─▶ SeriesWriter ─▶ series.parquet ─▶ read_series
"""

from __future__ import annotations

from hybridnet.observe.series.block import Block, Key, SampleBuffer
from hybridnet.observe.series.figures import figures_of, histograms_of, of_sections

__all__ = ["Block", "Key", "SampleBuffer", "figures_of", "histograms_of", "of_sections"]
