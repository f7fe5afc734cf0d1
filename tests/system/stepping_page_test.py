# SPDX-License-Identifier: MIT
"""A simulation on its page in Chromium: stepped, run at a speed, until a condition; what a person sees of it.

Screenshots are in runs/stepping-page. It needs no root, but a browser.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from hybridnet import Net, Topo
from hybridnet.simulate.offline import Stepper, simulate
from tests.system.chromium import PATIENCE_MS, opened, shots_of

pytestmark = [pytest.mark.system, pytest.mark.thorough]

SHOTS = shots_of("stepping-page")
SOME = re.compile("[1-9]")
SCRIPT = """
from hybridnet import Topo

class Pair(Topo):
    def build(self):
        self.addSimHost("a", applications=[{"kind": "tcp_bulk", "destination": "b", "port": 9}])
        self.addSimHost("b", applications=[{"kind": "tcp_discard", "port": 9}])
        self.addLink("a", "b", bw=10, delay="5ms")
"""


class Triple(Topo):
    """a and c ─ 10 Mbit/s, 5 ms ─ r ─ 5 Mbit/s, 10 ms ─ b; a sends to b without end, c pings b."""

    def build(self) -> None:  # type: ignore[override]
        self.addSimHost("a", applications=[{"kind": "tcp_bulk", "destination": "b", "port": 9}])
        self.addSimHost("c", applications=[{"kind": "ping", "destination": "b", "interval": "50ms"}])
        self.addSimHost("b", applications=[{"kind": "tcp_discard", "port": 9}])
        self.addSimRouter("r")
        self.addLink("a", "r", bw=10, delay="5ms")
        self.addLink("c", "r", bw=10, delay="5ms")
        self.addLink("r", "b", bw=5, delay="10ms", max_queue_size=30)


@pytest.fixture
def triple() -> Iterator[Stepper]:
    with Net(Triple()).stepping(until="60s") as simulation:
        yield simulation


def shot(page: Page, name: str) -> None:
    page.screenshot(path=SHOTS / f"{name}.png")


def button(page: Page, name: str) -> Locator:
    return page.locator("#steps").get_by_role("button", name=name)


def until(page: Page, instant: str) -> None:
    page.get_by_label("Until").fill(instant)


def at_rest(page: Page, time_ns: int) -> None:
    """Wait until the page says that the simulation stands there."""
    expect(page.locator("body")).to_have_attribute("data-time-ns", str(time_ns), timeout=PATIENCE_MS)
    expect(page.locator("body")).to_have_attribute("data-running", "false")


def test_it_is_stepped_run_and_looked_into_and_comes_to_the_same(browser: Browser, triple: Stepper) -> None:
    with triple.live() as live:
        page = opened(browser, live.url, "data-time-ns")
        assert page.url.endswith("/")  # the token has left the address
        expect(page.locator("#counts")).to_have_text("4 nodes, 3 links")
        expect(page.locator(".clock")).to_have_text("0.000 000 000 s")

        # One event after the other: what is listed first is what happens.
        for events in range(1, 6):
            [due] = triple.next_events(1)
            button(page, "Step").click()
            expect(page.locator("#steps .told")).to_contain_text(f"{events} event")
            at_rest(page, due["time_ns"])
        expect(page.locator(".events tbody tr").first).to_contain_text("a packet arrives")
        shot(page, "stepped")

        # At a speed: packets move on the links, until it is paused.
        page.get_by_label("Speed").select_option("0.01")
        button(page, "Run").click()
        expect(page.locator("body")).to_have_attribute("data-time-ns", re.compile(r"[4-9]\d{7}|\d{9,}"))
        expect(page.locator("body")).to_have_attribute("data-packets", SOME)
        shot(page, "running")
        button(page, "Pause").click()
        expect(page.locator("body")).to_have_attribute("data-running", "false")
        paused_ns = triple.progress.time_ns
        at_rest(page, paused_ns)

        # A link that has long been full: what is in it, packet by packet.
        until(page, "200ms")
        button(page, "Express").click()
        at_rest(page, 200_000_000)
        page.evaluate("window.hybridnet.model.choose({ link: 'r-b' })")
        there, _ = triple.queue("r-b")
        expect(page.locator(".queues h3").first).to_have_text(
            re.compile(f"From r: {there['waiting']} wait, {there['under_way']} under way", re.IGNORECASE)
        )
        expect(page.locator(".queues table").first).to_contain_text(re.compile(r"sending.*length \d{4}"))
        shot(page, "link")

        # A host: its connection, with its state.
        page.fill("#search", "a")
        page.press("#search", "Enter")
        page.locator(".connection summary").click()
        figures = page.locator(".connection table.figures")
        expect(figures).to_contain_text("ESTABLISHED")
        expect(figures).to_contain_text("ssthresh")
        button(page, "Messages").click()
        expect(page.locator("#trace tbody tr").first).to_contain_text("IP 10.")
        shot(page, "connection")
        button(page, "Messages").click()

        # Until an instant, as fast as it can.
        until(page, "400ms")
        button(page, "Express").click()
        at_rest(page, 400_000_000)
        assert triple.trace_hash() == straight("0.4s")

        # Until a figure is as asked.
        until(page, "")
        button(page, "When").click()
        page.get_by_label("of", exact=True).select_option("connections")
        [connection] = [row["name"] for row in triple.connections() if row["node"] == "a"]
        page.get_by_label("element").select_option(connection)
        page.get_by_label("figure").select_option("retransmitted_segments")
        page.get_by_label("value").fill("1")
        shot(page, "condition")
        page.get_by_role("button", name="Stop there").click()
        button(page, "Express").click()
        expect(page.locator("#steps .told")).to_contain_text("the condition holds")
        [row] = [row for row in triple.connections() if row["node"] == "a"]
        assert row["retransmitted_segments"] >= 1
        expect(figures).to_contain_text(re.compile("recovery|loss"))
        shot(page, "lost")
        page.context.close()


def test_who_only_looks_has_no_button_that_moves_it(browser: Browser, triple: Stepper) -> None:
    triple.run_until("80ms")
    with triple.live() as live:
        page = opened(browser, live.reading_url, "data-time-ns", "dark")
        expect(page.locator(".clock")).to_have_text("0.080 000 000 s")
        expect(page.locator(".connection").first).to_be_visible()
        for name in ("Run", "Step", "Express", "When"):
            expect(button(page, name)).to_be_hidden()
        assert (
            page.evaluate("async () => (await fetch('/api/v1/simulation/step', { method: 'POST' })).status")
            == 403
        )
        expect(page.locator("body")).to_have_attribute("data-packets", SOME)
        shot(page, "dark")
        assert triple.progress.time_ns == 80_000_000
        page.context.close()


def test_the_command_serves_it_until_it_is_interrupted(browser: Browser, tmp_path: Path) -> None:
    script = tmp_path / "pair.py"
    script.write_text(SCRIPT)
    command = [sys.executable, "-m", "hybridnet.cli", "simulate", str(script), "--live", "--until", "50ms"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    ) as process:
        assert process.stdout is not None
        try:
            url = process.stdout.readline().split()[-1]
            page = opened(browser, url, "data-time-ns")
            button(page, "Express").click()
            at_rest(page, 50_000_000)
            page.context.close()
        finally:
            process.send_signal(signal.SIGINT)
        said = process.stdout.read()
    assert process.returncode == 0
    done = subprocess.run(
        [*command[:5], "--until", "50ms", "--trace-hash"], capture_output=True, text=True, check=True
    )
    [expected] = re.findall(r"trace of seed 1: (\w{64})", done.stdout)
    assert f"trace of seed 1: {expected}" in said
    assert "0.050000000 s simulated" in said


def straight(until: str) -> str | None:
    [replication] = simulate(Triple(), until, jobs=1, trace_hash=True).replications
    return replication.trace_hash
