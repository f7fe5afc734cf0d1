# SPDX-License-Identifier: MIT
"""The live page in Chromium: what a person sees of a running network, and does to it.

Screenshots of every step are in runs/live-page.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from hybridnet import Net, Topo
from hybridnet.run.live import Client
from hybridnet.topologies import FatTreeTopo, TwoTrees
from tests.hybridnet.run.net.support import FakeCluster
from tests.system.chromium import PATIENCE_MS, opened, shots_of

pytestmark = [pytest.mark.system, pytest.mark.thorough]

SHOTS = shots_of("live-page")
ATTEMPTS = """async (base) => {
  const flow = { method: "POST", mode: "no-cors", credentials: "include", body: "{}" };
  const tries = [
    fetch(base + "api/v1/state", { credentials: "include" }).then((answer) => answer.text()),
    fetch(base + "api/v1/flows", flow).then((answer) => answer.text()),
    new Promise((resolve) => {
      const socket = new WebSocket(base.replace("http", "ws") + "api/v1/nodes/h1/terminal");
      socket.onmessage = () => resolve("a terminal");
      socket.onerror = socket.onclose = () => resolve("");
    }),
  ];
  return (await Promise.allSettled(tries)).map(({ value }) => value ?? "");
}"""

ROWS = """() => {
  const rows = new Map();
  for (const node of window.hybridnet.graph.cy.nodes("[name]")) {
    const { x, y } = node.position();
    rows.set(y, [...(rows.get(y) ?? []), [x, node.data("name")]]);
  }
  return [...rows.values()].map((row) => row.sort(([a], [b]) => a - b).map(([, name]) => name));
}"""
"""The names in each row of the drawing, from left to right."""

FLOWS = "async () => (await (await fetch('/api/v1/flows')).json()).length"
"""How many flows were begun."""

IN_SIGHT = """() => {
  const { cy } = window.hybridnet.graph;
  const { x1, y1, x2, y2 } = cy.extent();
  return cy.nodes("[name]").filter((node) => {
    const { x, y } = node.position();
    return x > x1 && x < x2 && y > y1 && y < y2;
  }).length;
}"""
"""How many nodes lie in what the drawing shows."""


BAR_AND_EDGE = """([name, id]) => {
  const button = [...document.querySelectorAll("aside button.link")].find((each) => each.textContent === name);
  const bar = getComputedStyle(button.parentElement.querySelector(".bar i")).backgroundColor;
  const { style } = document.createElement("i");
  style.color = window.hybridnet.graph.cy.getElementById(id).style("line-color");
  return [bar, style.color];
}"""
"""The colour of a link's bar in the panel, and of its line in the drawing."""

COUNTED = """(number) => {
  const rows = [...document.querySelectorAll("table.figures tr")];
  const row = rows.find((each) => each.firstChild.textContent === "dropped");
  const shown = [...row.children].slice(1).map((cell) => Number(cell.textContent.replaceAll(",", "")));
  return { shown: shown[0] + shown[1], drawn: window.hybridnet.model.dropped[number] };
}"""
"""How many packets a link dropped, by the panel and by the drawing, at one moment."""


class Watched(Topo):
    """Two hosts and a switch on each of two machines, joined by simulated routers. A simulated host sends 12 Mbit/s to
    another across the link of 20 Mbit/s between the machines, however busy the computer is.
    """

    def build(self) -> None:  # type: ignore[override]
        source = {"kind": "udp_source", "destination": "v2", "port": 9, "rate": "12 Mbit/s", "payload": 1000}
        for side, first in ((1, 1), (2, 3)):
            machine = f"m{side}"
            self.addSwitch(f"s{side}", machine=machine)
            self.addSimRouter(f"r{side}", machine=machine)
            for host in (first, first + 1):
                self.addHost(f"h{host}", machine=machine)
                self.addLink(f"h{host}", f"s{side}")
            applications = [source] if side == 1 else [{"kind": "udp_sink", "port": 9}]
            self.addSimHost(f"v{side}", machine=machine, applications=applications)
            self.addLink(f"s{side}", f"r{side}")
            self.addLink(f"v{side}", f"r{side}")
        self.addLink("r1", "r2", bw=20, delay="5ms")


@pytest.fixture(scope="module")
def net() -> Iterator[Net]:
    with Net(Watched()) as running:
        yield running


@pytest.fixture(scope="module")
def live(net: Net) -> Iterator[Any]:
    with net.live() as page:
        yield page


def shot(page: Page, name: str) -> None:
    page.screenshot(path=SHOTS / f"{name}.png")


def choose(page: Page, link: str) -> None:
    page.evaluate("name => window.hybridnet.model.choose({ link: name })", link)
    expect(page.locator("table.figures")).to_be_visible()


def number_of(page: Page, link: str) -> int:
    """Of a link, in the page's list."""
    return int(page.evaluate("name => window.hybridnet.model.links.findIndex((l) => l.name === name)", link))


def box_of(page: Page, where: str) -> tuple[float, float, float, float]:
    """Left, top, width and height of what is seen there."""
    box = page.locator(where).bounding_box()
    assert box is not None
    return box["x"], box["y"], box["width"], box["height"]


def next_update(page: Page) -> None:
    seen = page.get_attribute("body", "data-updates")
    expect(page.locator("body")).not_to_have_attribute("data-updates", seen or "")


def shown_bps(page: Page) -> float:
    """The rate from the first end, as the table says it."""
    text = page.locator("table.figures tbody tr").first.locator("td").nth(1).inner_text()
    found = re.fullmatch(r"([\d.]+) ([kMG]?)bit/s", text)
    assert found is not None, text
    value, prefix = found.groups()
    return float(value) * {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}[prefix]


def delivered(net: Net, link: str) -> tuple[float, int]:
    """The time and the bytes that a link has delivered from its first end, by `Net.snapshot`."""
    snapshot = net.snapshot()["m1"]
    row = next(row for row in snapshot["links"] if row["name"].startswith(f"{link}:r1-"))
    return snapshot["time_ns"] / 1e9, row["delivered_bytes"]


def the_cut(net: Net) -> str:
    assert net.plan is not None
    return next(link.name for link in net.plan.links if link.kind == "cut")


def test_it_shows_the_network_and_rates_as_snapshots_have_them(browser: Browser, net: Net, live: Any) -> None:
    cut = the_cut(net)
    page = opened(browser, live.url, "data-updates")
    assert page.url.endswith("/")  # the token has left the address
    expect(page.locator("#counts")).to_have_text("10 nodes, 9 links")
    choose(page, cut)
    begun, before = delivered(net, cut)
    readings = []
    for _ in range(8):
        next_update(page)
        readings.append(shown_bps(page))
    ended, after = delivered(net, cut)
    assert sum(readings) / len(readings) == pytest.approx(8 * (after - before) / (ended - begun), rel=0.05)
    shot(page, "link")
    page.locator("#graph").click(position={"x": 20, "y": 20})
    expect(page.locator("aside h2")).to_have_text("Network")
    shot(page, "light")
    dark = opened(browser, live.url, "data-updates", "dark")
    shot(dark, "dark")
    for each in (page, dark):
        each.context.close()


def test_a_link_has_one_colour_and_one_count_wherever_it_is_shown(
    browser: Browser, net: Net, live: Any
) -> None:
    page, cut = opened(browser, live.url, "data-updates"), the_cut(net)
    row = page.locator(".row", has=page.get_by_role("button", name=cut, exact=True))
    expect(row.locator(".bar i")).to_be_visible()
    bar, edge = page.evaluate(BAR_AND_EDGE, [cut, f"link {cut}"])
    assert bar == edge
    unlimited = page.locator(".row", has=page.get_by_role("button", name="v1-r1", exact=True))
    expect(unlimited).to_be_visible()
    expect(unlimited.locator(".bar")).to_have_count(0)
    middle = page.evaluate(
        "id => window.hybridnet.graph.cy.getElementById(id).renderedMidpoint()", f"link {cut}"
    )
    page.locator("#graph").hover(position=middle)
    tip = page.locator("#tip")
    expect(tip).to_contain_text("Mbit/s")
    _, _, width, height = box_of(page, "#tip")
    assert width <= 300
    assert height < 110
    shot(page, "pointed")
    choose(page, cut)
    expect(tip).to_be_hidden()  # the panel has it all
    for _ in range(3):
        next_update(page)
        counted = page.evaluate(COUNTED, number_of(page, cut))
        assert counted["shown"] == counted["drawn"]
    page.context.close()


def test_a_host_shows_its_rates_programs_and_flows(browser: Browser, net: Net, live: Any) -> None:
    with net["h1"].popen(["sleep", "1000"]) as program:
        page = opened(browser, live.url, "data-updates")
        page.fill("#search", "h1")
        page.press("#search", "Enter")
        panel = page.locator("aside")
        expect(panel).to_contain_text("sleep")
        expect(panel.locator(".u-over")).to_have_count(1)
        panel.get_by_role("button", name="Send").click()
        expect(panel).to_contain_text("h1 → h2")
        expect(panel.locator(".ways")).to_contain_text(re.compile(r"sends [\d.]+ [MG]bit/s"))
        shot(page, "host")
        panel.get_by_role("button", name="Stop").click()
        expect(panel).to_contain_text("stopped")
        page.context.close()
        program.kill()


def test_on_a_narrow_screen_the_drawing_the_panel_and_the_verdict_are_seen(
    browser: Browser, live: Any
) -> None:
    page = opened(browser, live.url, "data-updates")
    page.set_viewport_size({"width": 420, "height": 800})
    _, top, _, height = box_of(page, "#graph")
    assert height > 200
    assert top + height <= box_of(page, "aside")[1]
    left, _, width, _ = box_of(page, "#verdict .word")
    assert left + width < box_of(page, "#verdict")[0] + box_of(page, "#verdict")[2] <= 420
    shot(page, "narrow")
    page.context.close()


def test_a_link_is_taken_down_and_changed_in_the_page(browser: Browser, net: Net, live: Any) -> None:
    page, cut = opened(browser, live.url, "data-updates"), the_cut(net)
    choose(page, cut)
    page.get_by_role("button", name="Take down").click()
    expect(page.get_by_role("button", name="Bring up")).to_be_visible()
    edge = f"link {cut}"
    page.wait_for_timeout(1500)
    assert page.evaluate("id => window.hybridnet.graph.cy.getElementById(id).hasClass('down')", edge)
    shot(page, "down")
    assert net.ping(["h1", "h3"]) == 100.0
    page.get_by_role("button", name="Bring up").click()
    expect(page.get_by_role("button", name="Take down")).to_be_visible()
    assert net.ping(["h1", "h3"]) == 0.0
    page.get_by_text("Options of the link").click()
    page.get_by_label("delay", exact=True).first.fill("30ms")
    shot(page, "form")
    page.get_by_role("button", name="Change the link").click()
    expect(page.locator("aside .sub")).to_contain_text("30 ms")
    assert 60 < net.ping_matrix(["h1", "h3"], count=3).rtt_ms("h1", "h3") < 90
    page.context.close()


def test_a_terminal_in_the_page_runs_ping(browser: Browser, net: Net, live: Any) -> None:
    page = opened(browser, live.url, "data-updates", "dark")
    page.fill("#search", "h1")
    page.press("#search", "Enter")
    page.get_by_role("button", name="Terminal").click()
    rows = page.locator(".xterm-rows")
    expect(rows).to_contain_text("h1:")
    assert page.evaluate(IN_SIGHT) == 10  # the drawing has less room now
    _, top, _, height = box_of(page, "#graph")
    assert top + height <= box_of(page, "#legend")[1]
    page.keyboard.type("pwd\n")
    expect(rows).to_contain_text(str(Path.cwd()))
    page.keyboard.type(f"ping -c 3 -i 0.2 {net['h2'].IP()}\n")
    expect(rows).to_contain_text("3 packets transmitted, 3 received, 0% packet loss")
    shot(page, "terminal")
    page.keyboard.type("exit\n")
    expect(rows).to_contain_text("the shell has ended")
    page.context.close()


def test_a_capture_at_a_simulated_router_is_stopped_and_downloaded_in_the_page(
    browser: Browser, net: Net, live: Any, tmp_path: Path
) -> None:
    page = opened(browser, live.url, "data-updates")
    choose(page, the_cut(net))
    page.get_by_role("button", name="Capture at r1").click()
    expect(page.locator("#notice")).to_contain_text("Capturing at r1-")
    net["h1"].cmd("ping -c 3 -i 0.2", net["h3"].IP())
    page.locator("#graph").click(position={"x": 20, "y": 20})
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)
    shot(page, "capture")
    with page.expect_download() as fetched:
        page.get_by_role("link", name="Download").click()
    fetched.value.save_as(tmp_path / "r1.pcap")
    command = ["tcpdump", "-n", "-r", str(tmp_path / "r1.pcap"), "icmp"]
    seen = subprocess.run(command, capture_output=True, text=True, check=True)
    assert [seen.stdout.count(kind) for kind in ("echo request", "echo reply")] == [3, 3]
    page.context.close()


def test_who_only_looks_sees_no_button_that_changes(browser: Browser, net: Net, live: Any) -> None:
    page = opened(browser, live.reading_url, "data-updates")
    choose(page, the_cut(net))
    expect(page.get_by_role("button", name="Take down")).to_be_hidden()
    assert page.evaluate("async () => (await fetch('/api/v1/flows', { method: 'POST' })).status") == 403
    page.context.close()


@pytest.mark.parametrize(
    "broken_off",
    [
        "vendor/cytoscape.min.js",
        "api/v1/network",
        *(pytest.param(file, marks=pytest.mark.slow) for file in ("panel.js", "page.css")),
    ],
)
def test_a_page_comes_up_although_the_browser_breaks_a_request_off(
    browser: Browser, live: Any, broken_off: str
) -> None:
    """As browsers do with what they are about to fetch when an interface of their computer comes or goes."""
    context = browser.new_context()
    context.set_default_timeout(PATIENCE_MS)
    context.route(f"**/{broken_off}", lambda route: route.abort("connectionaborted"), times=1)
    page = context.new_page()
    page.goto(live.url)
    page.wait_for_selector("body[data-updates]")
    expect(page.locator("#counts")).to_have_text("10 nodes, 9 links")
    context.close()


def test_a_page_of_another_origin_gets_nothing(browser: Browser, live: Any, tmp_path: Path) -> None:
    page = opened(browser, live.url, "data-updates")  # its cookie is in this context
    begun = page.evaluate(FLOWS)
    there = page.url.replace("127.0.0.1", "localhost")
    evil = page.context.new_page()
    evil.goto("data:text/html,<title>evil</title>")
    for target in (page.url, there):
        assert evil.evaluate(ATTEMPTS, target) == ["", "", ""]
    assert Client(live.url).state()["verdict"]  # it is there, for who may
    assert page.evaluate(FLOWS) == begun
    page.context.close()


def test_a_broken_verdict_is_red_and_says_why(browser: Browser, net: Net, live: Any) -> None:
    page = opened(browser, live.url, "data-updates")
    killed = net.cluster.call("m1", "exec", argv="kill -9 $(pgrep -f [h]ybridnet.simulate.instance)")
    assert killed["status"] == 0
    verdict = page.locator("#verdict")
    expect(verdict).to_have_class(re.compile("broken"))
    expect(verdict).to_contain_text("results not reliable")
    expect(verdict).to_contain_text("was killed by signal 9")
    shot(page, "broken")
    page.context.close()


def test_the_pods_of_a_fat_tree_stand_together(browser: Browser) -> None:
    machines: Any = FakeCluster("m1")
    with Net(FatTreeTopo(k=4), controller=None, cluster=machines) as net, net.live() as live:
        page = opened(browser, live.url, "data-updates")
        shot(page, "fat-tree")
        rows = page.evaluate(ROWS)
        page.context.close()
    # Of each pod two switches at the top and two at the edge, as the topology adds them: core first, then pod by pod.
    pods = [{f"s{number}" for number in range(first, first + 4)} for first in (5, 9, 13, 17)]
    for row in (row for row in rows if len(row) == 8):
        assert sorted(sum(name in pod for name in row[at : at + 2]) for at in (0, 2, 4, 6) for pod in pods) == [
            *[0] * 12, *[2] * 4,
        ]  # fmt: skip


def test_128_hosts_and_126_switches_are_drawn_within_two_seconds(browser: Browser) -> None:
    """Of the page's own processor time, which other programs of a busy computer do not lengthen by much."""
    machines: Any = FakeCluster("m1", "m2")
    with Net(TwoTrees(depth=6), controller=None, cluster=machines) as big, big.live() as live:
        page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        page.goto(live.url)
        page.wait_for_selector("body[data-updates]", timeout=PATIENCE_MS)
        expect(page.locator("#counts")).to_have_text("254 nodes, 253 links")
        assert page.evaluate("window.hybridnet.graph.cy.nodes('[name]').length") == 254
        metrics = {row["name"]: row["value"] for row in session.send("Performance.getMetrics")["metrics"]}
        shot(page, "two-trees")
        drawn_ms = page.get_attribute("body", "data-drawn")
        print(f"drawn after {drawn_ms} ms, with {metrics['TaskDuration']:.2f} s of processor time")
        page.context.close()
        assert metrics["TaskDuration"] < 2
