# SPDX-License-Identifier: MIT
"""What the live page of a big network costs, in Chromium.

    .venv/bin/python benchmarks/live_page.py --nodes 5000

A described network of simulated nodes whose machines make nothing and whose links all change twice a second: first
paint, one update in the page, the page's memory, and the head's time for it. What the page costs a network that runs is
in `watching.py`.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from hybridnet.system.log import setLogLevel

UPDATES = 20  # that are looked at: ten seconds where the page keeps up


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nodes", type=int, default=5000)
    arguments = parser.parse_args()
    setLogLevel("warning")
    print(json.dumps(big(arguments.nodes), indent=2))


def big(nodes: int) -> dict[str, Any]:
    """A page of many simulated nodes. Bytes of memory, milliseconds."""
    from playwright.sync_api import sync_playwright

    from benchmarks.live_machines import busy_network
    from tests.system.chromium import program

    with busy_network(nodes) as (net, tick), net.live() as page, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program(), args=["--no-sandbox", "--enable-precise-memory-info"]
        )
        shown = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
        shown.goto(page.url)
        shown.wait_for_selector("body[data-updates]", timeout=120_000)
        Path("runs/live-page").mkdir(parents=True, exist_ok=True)
        busy, began = page.watcher.busy_s, time.monotonic()
        before = int(shown.get_attribute("body", "data-updates") or 0)
        shown.wait_for_function(f"document.body.dataset.updates >= {before + UPDATES}", timeout=120_000)
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
