# SPDX-License-Identifier: MIT
"""The page of `hybridnet plot --web` in Chromium: what a person sees of a recorded run, and does to it.

Screenshots are in runs/plot-page.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.system.chromium import opened, shots_of

pytestmark = [pytest.mark.system, pytest.mark.thorough]

SHOTS = shots_of("plot-page")
FLOWS = 15
SCRIPT = f"""
from hybridnet import Topo

class Shared(Topo):
    def build(self):
        self.addSimSwitch("s1")
        self.addSimHost("sink", applications=[{{"kind": "tcp_discard", "port": 9}}])
        self.addLink("s1", "sink", bw=20, delay="5ms", max_queue_size=100, watch_queue=True)
        for number in range(1, {FLOWS + 1}):
            bulk = {{"kind": "tcp_bulk", "destination": "sink", "port": 9, "start": f"{{number - 1}}s"}}
            self.addSimHost(f"h{{number}}", applications=[bulk])
            self.addLink(f"h{{number}}", "s1", delay=f"{{number}}ms")
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plot")
    (folder / "shared.py").write_text(SCRIPT)
    for words in (
        ("simulate", "shared.py", "--until", "30s", "--series", "100ms", "--out", "run"),
        ("plot", "run", "--web"),
    ):
        subprocess.run([sys.executable, "-m", "hybridnet.cli", *words], cwd=folder, check=True, timeout=120)
    return folder / "run" / "plots" / "run.html"


def _refuse_elsewhere(url: str) -> None:
    if not url.startswith(("file:", "data:")):
        pytest.fail(f"the page asks for {url}")


def test_it_shows_flows_windows_queues_and_the_values_under_the_pointer(browser: Browser, file: Path) -> None:
    page = opened(browser, file.as_uri(), "data-drawn", on_request=_refuse_elsewhere)
    titles = page.locator(".chart h3").all_inner_texts()
    assert titles[0] == "Throughput of each flow"
    assert {"How long packets waited", "Congestion window of each TCP connection"} <= set(titles)
    throughput = page.locator(".chart").first
    throughput.locator(".u-over").hover()
    together = throughput.locator(".u-series", has_text="together").locator(".u-value")
    expect(together).to_have_text(re.compile(r"^(1[5-9]|2[0-9])(\.\d+)?$"))  # a link of 20 Mbit/s
    page.screenshot(path=SHOTS / "light.png", full_page=True)
    dark = opened(browser, file.as_uri(), "data-drawn", "dark", _refuse_elsewhere)
    dark.screenshot(path=SHOTS / "dark.png", full_page=True)
    for each in (page, dark):
        each.context.close()


def test_lines_are_chosen_and_charts_zoom_together(browser: Browser, file: Path) -> None:
    page = opened(browser, file.as_uri(), "data-drawn", on_request=_refuse_elsewhere)
    throughput, window = (
        page.locator(".chart", has_text=title).filter(has_not_text="distribution").first
        for title in ("Throughput of each flow", "Congestion window")
    )
    off = throughput.locator(".u-series.u-off")
    expect(off).to_have_count(FLOWS - 12)
    throughput.get_by_role("button", name="all", exact=True).click()
    expect(off).to_have_count(0)
    throughput.get_by_role("button", name="none", exact=True).click()
    expect(off).to_have_count(FLOWS)  # the sum stays
    throughput.locator(".u-series", has_text="h3 →").locator("th").click()
    expect(off).to_have_count(FLOWS - 1)
    box = throughput.locator(".u-over").bounding_box()
    assert box is not None
    width = box["width"]
    page.mouse.move(box["x"] + width * 0.5, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + width * 0.75, box["y"] + 70, steps=4)
    page.mouse.up()
    window.locator(".u-over").hover(position={"x": 2, "y": 40})
    shown = window.locator(".u-series").first.locator(".u-value")
    expect(shown).to_have_text(re.compile(r"^1[45]"))  # of 30 s, the second half begins at 15
    page.screenshot(path=SHOTS / "zoomed.png", full_page=True)
    page.context.close()
