# SPDX-License-Identifier: MIT
"""What the live page costs: a running network with and without it, and a big one in Chromium.

    sudo .venv/bin/python benchmarks/live_page.py cost --depth 6 --seconds 20
    .venv/bin/python benchmarks/live_page.py big --nodes 5000

cost   processor time, as shares of one core, of the head and of each machine's instances and agent, alternating between
       no page and a page with a listener; idle networks, so that what differs is the page.
big    a described network of simulated nodes whose machines make nothing and whose links all change twice a second:
       first paint, one update in the page, the page's memory, and the head's time for it.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import threading
import time
from pathlib import Path
from typing import Any

from hybridnet import Net
from hybridnet.live import Client
from hybridnet.system.log import setLogLevel
from hybridnet.topologies import TwoTrees


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("cost", "big"))
    parser.add_argument("--depth", type=int, default=6, help="of each of the two trees")
    parser.add_argument("--seconds", type=float, default=20, help="of each window")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--nodes", type=int, default=5000)
    arguments = parser.parse_args()
    setLogLevel("warning")
    found = (
        cost(arguments.depth, arguments.seconds, arguments.rounds)
        if arguments.what == "cost"
        else big(arguments.nodes)
    )
    print(json.dumps(found, indent=2))


def cost(depth: int, seconds: float, rounds: int) -> dict[str, Any]:
    """Shares of one core: medians over the rounds."""
    rows: dict[str, list[dict[str, float]]] = {"without": [], "with": []}
    with Net(TwoTrees(depth=depth, bw=100, delay="10ms")) as net:
        net.pingAll(parallel=True)
        for _ in range(rounds):
            rows["without"].append(_window(net, seconds))
            with net.live() as page:
                listening = threading.Thread(
                    target=lambda url=page.url: _listen(url, seconds + 2), daemon=True
                )
                listening.start()
                time.sleep(1)
                rows["with"].append(_window(net, seconds))
    medians = {
        arm: {key: statistics.median(row[key] for row in of) for key in of[0]} for arm, of in rows.items()
    }
    return {
        **medians,
        "more": {key: medians["with"][key] - medians["without"][key] for key in medians["with"]},
    }


def _window(net: Net, seconds: float) -> dict[str, float]:
    before, began = _times(net), time.monotonic()
    time.sleep(seconds)
    after, lasted = _times(net), time.monotonic() - began
    return {key: (after[key] - before[key]) / lasted for key in after}


def _times(net: Net) -> dict[str, float]:
    """Processor time so far, in seconds, of this process and of the machines' processes that match."""
    found = {"head": time.process_time()}
    ticks = os.sysconf("SC_CLK_TCK")
    kinds = {
        "instances": "[h]ybridnet.instance",
        "agents": "[h]ybridnet.machines",
        "switches": "[o]vs-vswitchd",
    }
    for kind, pattern in kinds.items():
        told = f"for p in $(pgrep -f '{pattern}'); do cat /proc/$p/stat 2>/dev/null; done; true"
        lines = []
        for machine in net.cluster.machines:
            lines += net.cluster.call(machine, "exec", argv=told)["stdout"].decode().splitlines()
        fields = [line.rpartition(")")[2].split() for line in lines]
        found[kind] = sum(int(row[11]) + int(row[12]) for row in fields) / ticks
    return found


def _listen(url: str, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    for _ in Client(url).events():
        if time.monotonic() > deadline:
            return


def big(nodes: int) -> dict[str, Any]:
    """A page of many simulated nodes. Bytes of memory, milliseconds."""
    from playwright.sync_api import sync_playwright

    from benchmarks.live_machines import busy_network

    with busy_network(nodes) as (net, tick), net.live() as page, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--enable-precise-memory-info"]
        )
        shown = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
        shown.goto(page.url)
        shown.wait_for_selector("body[data-updates]", timeout=120_000)
        Path("runs/live-page").mkdir(parents=True, exist_ok=True)
        busy, began = page.watcher.busy_s, time.monotonic()
        before = int(shown.get_attribute("body", "data-updates") or 0)
        shown.wait_for_timeout(10_000)
        lasted = time.monotonic() - began
        updates = int(shown.get_attribute("body", "data-updates") or 0) - before
        memory = shown.evaluate("performance.memory.usedJSHeapSize")
        shown.screenshot(path="runs/live-page/big.png")
        found = {
            "nodes": len(net.topo.nodes()),
            "links": len(net.plan.links) if net.plan else 0,
            "drawn_nodes": shown.evaluate("window.hybridnet.graph.cy.nodes('[name]').length"),
            "first_paint_ms": int(shown.get_attribute("body", "data-drawn") or 0),
            "update_ms": float(shown.get_attribute("body", "data-update-ms") or 0),
            "updates_per_s": updates / lasted,
            "page_memory_bytes": memory,
            "watcher_share_of_a_core": (page.watcher.busy_s - busy) / lasted,
            "machines_answered": tick(),
        }
        browser.close()
    return found


if __name__ == "__main__":
    main()
