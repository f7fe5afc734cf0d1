# SPDX-License-Identifier: MIT
"""The picture of shared-queue: throughput and congestion window of both flows over time."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt

from hybridnet.experiments.shared_queue.link import PAYLOAD, SharedRound, rates


def plot_shared(path: Path, round_: SharedRound) -> None:
    """Two panels, one below the other; time begins with the real flow."""
    figure, (above, below) = plt.subplots(2, 1, figsize=(11, 8), sharex=True, constrained_layout=True)
    real = [at - round_.begin_s for at in round_.real_times]
    simulated = [
        sample
        for sample in round_.simulated
        if round_.begin_s <= sample.time_s <= round_.begin_s + round_.seconds
    ]
    times = [sample.time_s - round_.begin_s for sample in simulated]
    flows = {
        "Linux": rates(real, round_.real.column("acknowledged_bytes"), 0.5),
        "simulated": rates(times, [sample.received_bytes for sample in simulated], 0.5),
    }
    for name, points in flows.items():
        above.plot([at for at, _ in points], [rate / 1e6 for _, rate in points], label=name)
    below.plot(real, round_.real.column("cwnd_segments"), label="Linux")
    below.plot(times, [sample.cwnd_bytes / PAYLOAD for sample in simulated], label="simulated")
    above.set_title(f"One queue, two flows: Jain's index {round_.fairness:.3f}")
    above.set_ylabel("Mbit/s")
    below.set_ylabel("congestion window, segments")
    below.set_xlabel("seconds")
    for panel in (above, below):
        panel.set_ylim(bottom=0)
        panel.grid(alpha=0.3)
        panel.legend()
    figure.savefig(path, dpi=110)
    plt.close(figure)
