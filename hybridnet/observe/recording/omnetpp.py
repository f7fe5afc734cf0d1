# SPDX-License-Identifier: MIT
"""OMNeT++'s result files of a network that ran: ``.sca`` of its final counters and histograms, ``.vec`` of its time
series.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hybridnet.observe.series import figures_of, histograms_of
from hybridnet.observe.series.table import read_series
from hybridnet.observe.series.writer import SERIES
from hybridnet.system.log import info

__all__ = ["write_omnetpp"]

VECTOR_VALUES_LIMIT = 5_000_000  # text of some 100 MB


def write_omnetpp(folder: Path, seed: int, counters: Mapping[str, Any]) -> None:
    """Write ``omnetpp/seed-N.sca`` and ``.vec`` into a network's folder.

    Args:
        counters: the final snapshot of each machine's instance; None where there was none.
    """
    from hybridnet._simcore import omnetpp_files

    snapshots = [each for each in counters.values() if each is not None]
    scalars = [figure for each in snapshots for figure in figures_of(each)]
    histograms = [histogram for each in snapshots for histogram in histograms_of(each)]
    vectors = _vectors(folder) if (folder / SERIES).is_file() else []
    texts = omnetpp_files(f"run-{seed}", [("seed", str(seed))], scalars, vectors, histograms)
    for suffix, text in zip(("sca", "vec"), texts, strict=True):
        path = folder / "omnetpp" / f"seed-{seed}.{suffix}"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _vectors(folder: Path) -> list[tuple[str, str, list[int], list[float]]]:
    series = read_series(folder)
    vectors = []
    left = VECTOR_VALUES_LIMIT
    for number, (kind, element, name) in enumerate(keys := series.figures()):
        times, values = series.of(kind, element, name)
        left -= len(values)
        if left < 0:
            info(
                f"*** {folder / 'omnetpp'}: {len(keys) - number} of {len(keys)} vectors are only in {SERIES}\n"
            )
            break
        instants = (times * 1e9).round().astype("int64").tolist()
        vectors.append((element, name, instants, values.tolist()))
    return vectors
