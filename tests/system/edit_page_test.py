# SPDX-License-Identifier: MIT
"""The editor in Chromium: a network is drawn by hand, saved, and pings; another is started from the page.

Screenshots are in runs/edit-page.
"""

from __future__ import annotations

import json
import os
import re
import runpy
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from hybridnet.plan.files import read_topology
from hybridnet.run.live import Client
from tests.hybridnet.plan.files.support import planned
from tests.system.chromium import PATIENCE_MS, opened, shots_of

pytestmark = [pytest.mark.system, pytest.mark.thorough]

SHOTS = shots_of("edit-page")
COMMAND = (sys.executable, "-m", "hybridnet.cli")
DELAY_MS = 5
PINGS = 20
SLACK_MS = 2  # of the fastest of all pings, for what namespaces and portals take
FAR = 120  # pixels between nodes that are drawn


@contextmanager
def edited(file: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The link of `hybridnet edit FILE`, which then ends as by ^C."""
    with subprocess.Popen(
        [*COMMAND, "edit", str(file)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[-1], process
        finally:
            process.send_signal(signal.SIGINT)
    assert process.returncode == 0


class Hand:
    """What a person does at the canvas. Places are pixels of it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        box = page.locator("#graph").bounding_box()
        assert box is not None
        self._left, self._top = box["x"], box["y"]

    def take(self, tool: str) -> None:
        self.page.locator("#palette").get_by_role("button", name=re.compile(f"^{tool}")).first.click()

    def click(self, x: float, y: float) -> None:
        self.page.mouse.click(self._left + x, self._top + y)

    def drag(self, there: tuple[float, float], to: tuple[float, float]) -> None:
        self.page.mouse.move(self._left + there[0], self._top + there[1])
        self.page.mouse.down()
        self.page.mouse.move(self._left + (there[0] + to[0]) / 2, self._top + (there[1] + to[1]) / 2)
        self.page.mouse.move(self._left + to[0], self._top + to[1])
        self.page.mouse.up()

    def drawn(self) -> Any:
        return json.loads(self.page.evaluate("JSON.stringify(window.hybridnet.drawing.form)"))

    def place(self, name: str) -> tuple[float, float]:
        at = self.page.evaluate(
            "name => window.hybridnet.board.cy.getElementById(`node ${name}`).renderedPosition()", name
        )
        return at["x"], at["y"]

    def option(self, name: str, value: str) -> None:
        field = self.page.locator(f"#panel [data-option={name}] input").first
        field.fill(value)
        field.press("Tab")
        expect(self.page.locator("body[data-checked]")).to_be_visible()

    def shot(self, name: str) -> None:
        self.page.screenshot(path=SHOTS / f"{name}.png")


def draw_a_pair(hand: Hand) -> None:
    """h1 - s1 - h2, with a delay at the first link."""
    places = {"h1": (FAR, FAR), "h2": (FAR, 3 * FAR), "s1": (3 * FAR, 2 * FAR)}
    hand.take("host")
    hand.click(*places["h1"])
    hand.click(*places["h2"])
    hand.take("Open vSwitch")
    hand.click(*places["s1"])
    hand.take("Join")
    hand.drag(places["h2"], places["s1"])
    hand.drag(places["h1"], places["s1"])
    expect(hand.page.locator("#panel h2")).to_have_text("h1 – s1")


def saved(page: Page, file: Path) -> None:
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#notice")).to_have_text(f"Saved as {file.name}.")
    expect(page.locator("#changed")).to_be_hidden()


def test_what_is_drawn_by_hand_is_saved_and_pings_with_its_delay(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "pair.yaml"
    with edited(file) as (url, _):
        page = opened(browser, url, "data-drawn")
        assert page.url.endswith("/")  # the token has left the address
        hand = Hand(page)
        draw_a_pair(hand)

        # An option that makes no sense is refused at its field, and at its link.
        hand.option("delay", str(DELAY_MS))
        expect(page.locator("#state")).to_have_text("1 mistake")
        expect(page.locator("#panel [data-option=delay] .why").first).to_contain_text(
            'write "5s", "5ms" or "5us"'
        )
        hand.shot("mistake")
        hand.option("delay", f"{DELAY_MS}ms")
        expect(page.locator("#state")).to_have_text("no mistakes")
        page.get_by_role("button", name="Check").click()
        expect(page.locator("#plan")).to_contain_text("h1-eth0 ── s1-eth2")
        hand.shot("checked")

        saved(page, file)
        with page.expect_download() as downloading:
            page.get_by_role("button", name="Python").click()
        script = tmp_path / "pair.py"
        downloading.value.save_as(script)
        assert downloading.value.suggested_filename == "pair.py"
        page.context.close()
    topo = read_topology(file)
    assert [(link.a.node, link.b.node, link.a_to_b.delay_ns) for link in topo.link_specs()] == [
        ("h2", "s1", 0),
        ("h1", "s1", DELAY_MS * 1_000_000),
    ]
    [kind] = runpy.run_path(str(script))["topos"].values()
    assert planned(kind()).dumps() == planned(topo).dumps()

    done = subprocess.run(
        [*COMMAND, "run", str(file)],
        input=f"pingall\nh1 ping -c {PINGS} -i 0.1 h2\n",
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert "0% packet loss" in done.stdout
    fastest = min(float(ms) for ms in re.findall(r"time=([\d.]+) ms", done.stdout))
    assert 2 * DELAY_MS <= fastest <= 2 * DELAY_MS + SLACK_MS  # there and back


def test_a_file_is_opened_changed_undone_and_not_lost(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "net.yaml"
    file.write_text(
        "description: mine\nhosts: {h1:, h2: {ip: 10.0.0.7/8}}\nswitches: {s1:}\n"
        "links: [{between: [h1, s1], bw: 10}]\npositions: {h1: [0, 0], h2: [0, 150], s1: [150, 75]}\n"
    )
    with edited(file) as (url, _):
        page = opened(browser, url, "data-drawn")
        hand = Hand(page)
        before = hand.drawn()
        assert before["positions"] == {"h1": [0, 0], "h2": [0, 150], "s1": [150, 75]}

        # Joined by two clicks; moved; renamed; its kind is chosen; all by the mouse.
        hand.take("Join")
        hand.click(*hand.place("h2"))
        hand.click(*hand.place("s1"))
        assert hand.drawn()["links"][-1] == {"between": ["h2", "s1"]}
        hand.take("Choose")
        x, y = hand.place("h2")
        hand.drag((x, y), (x + 80, y))
        moved = hand.drawn()["positions"]["h2"]
        assert moved[0] > 0
        assert moved[1] == 150
        hand.click(x + 80, y)
        page.get_by_label("Name", exact=True).fill("web")
        page.get_by_label("Name", exact=True).press("Tab")
        assert hand.drawn()["links"][-1] == {"between": ["web", "s1"]}
        assert list(hand.drawn()["hosts"]) == ["h1", "web"]
        page.locator("#panel [data-option=kind] select").select_option("frr")
        expect(page.locator("#panel [data-option=ospf]")).to_have_count(1)  # the fields of that kind

        # By keys: a node more, in the middle; it goes; everything goes back.
        page.keyboard.press("Escape")
        page.locator("#graph").focus()
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        assert list(hand.drawn()["hosts"]) == ["h1", "web", "h2"]
        page.keyboard.press("Escape")
        page.get_by_role("button", name="h2", exact=True).click()
        page.get_by_role("button", name="h2", exact=True).wait_for(state="detached")
        page.locator("#graph").focus()
        page.keyboard.press("Delete")
        assert list(hand.drawn()["hosts"]) == ["h1", "web"]
        hand.shot("changed")
        while page.locator("#undo").is_enabled():
            page.keyboard.press("Control+z")
        assert hand.drawn() == before
        page.keyboard.press("Control+Shift+z")
        assert hand.drawn()["links"][-1] == {"between": ["h2", "s1"]}

        # Somebody else writes the file meanwhile: who saves is asked first.
        file.write_text("hosts: {theirs:}\n")
        question = "net.yaml has been changed by somebody else since it was opened here. Write over it?"
        with page.expect_event("dialog") as asking:
            page.get_by_role("button", name="Save").click()
        assert asking.value.message == question
        asking.value.dismiss()
        expect(page.locator("#changed")).to_be_visible()
        assert file.read_text() == "hosts: {theirs:}\n"
        page.once("dialog", lambda dialog: dialog.accept())
        saved(page, file)
        assert read_topology(file).links() == [("h1", "s1"), ("h2", "s1")]
        page.context.close()


def test_it_fits_a_small_screen(browser: Browser, tmp_path: Path) -> None:
    with edited(tmp_path / "net.yaml") as (url, _):
        page = opened(browser, url, "data-drawn", "dark")
        page.set_viewport_size({"width": 400, "height": 800})
        hand = Hand(page)
        hand.take("host")
        hand.click(100, 60)
        expect(page.locator("#panel h2")).to_have_text("h1")
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
        hand.shot("small")
        page.context.close()


def test_a_network_is_started_from_the_page_and_stopped_with_it(browser: Browser, tmp_path: Path) -> None:
    with edited(tmp_path / "pair.yaml") as (url, _):
        page = opened(browser, url, "data-drawn")
        hand = Hand(page)
        draw_a_pair(hand)
        hand.option("delay", f"{DELAY_MS}ms")
        page.get_by_role("button", name="Start").click()
        expect(page.locator("body")).to_have_attribute("data-network", "running", timeout=PATIENCE_MS)
        link = page.locator("#live").get_attribute("href")
        assert link is not None
        assert ping(link) == 0
        with page.context.expect_page() as opening:
            page.locator("#live").click()
        opening.value.wait_for_selector("body[data-updates]")
        expect(opening.value.locator("#counts")).to_have_text("3 nodes, 2 links")
        opening.value.close()
        hand.shot("running")
        page.get_by_role("button", name="Stop").click()
        expect(page.locator("body")).to_have_attribute("data-network", "ended", timeout=PATIENCE_MS)
        expect(page.locator("#running")).to_have_text("")  # it ended well
        assert not answers(link)

        # Stopped before it is there, and started again.
        page.get_by_role("button", name="Start").click()
        page.get_by_role("button", name="Stop").click()
        expect(page.locator("body")).to_have_attribute("data-network", "ended", timeout=PATIENCE_MS)
        expect(page.locator("#running")).to_have_text("")
        page.get_by_role("button", name="Start").click()
        expect(page.locator("body")).to_have_attribute("data-network", "running", timeout=PATIENCE_MS)
        again = page.locator("#live").get_attribute("href")
        assert again is not None
        assert answers(again)
        page.context.close()
    assert not answers(again)  # ^C at the editor has stopped it


def test_the_network_ends_with_an_editor_that_is_killed(browser: Browser, tmp_path: Path) -> None:
    temporary = {**os.environ, "TMPDIR": str(tmp_path)}
    (tmp_path / "nets").mkdir()
    with subprocess.Popen(
        [*COMMAND, "edit", "nets/pair.yaml"], stdout=subprocess.PIPE, text=True, cwd=tmp_path, env=temporary
    ) as editor:
        assert editor.stdout is not None
        page = opened(browser, editor.stdout.readline().split()[-1], "data-drawn")
        draw_a_pair(Hand(page))
        page.get_by_role("button", name="Start").click()
        expect(page.locator("body")).to_have_attribute("data-network", "running", timeout=PATIENCE_MS)
        link = page.locator("#live").get_attribute("href")
        page.context.close()
        assert link is not None
        assert ping(link) == 0
        children = [
            Path(f"/proc/{editor.pid}/task/{task}/children")
            for task in os.listdir(f"/proc/{editor.pid}/task")
        ]
        [network] = [int(pid) for each in children for pid in each.read_text().split()]
        with open(os.pidfd_open(network)) as ended:
            editor.kill()
            ready, _, _ = select.select([ended], [], [], PATIENCE_MS / 1000)
        assert ready
    assert not answers(link)
    assert os.listdir(tmp_path) == ["nets"]
    assert os.listdir(tmp_path / "nets") == []


def ping(live: str) -> int:
    """The exit code of a ping between the two hosts, by the page of the running network."""
    done = Client(live).exec("h1", "ping -c 3 -W 5 10.0.0.2", timeout=30)
    code: int = done["exit_code"]
    return code


def answers(live: str) -> bool:
    from hybridnet.errors import MachineError

    try:
        return bool(Client(live).state())
    except MachineError:
        return False
