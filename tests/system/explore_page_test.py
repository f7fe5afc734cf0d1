# SPDX-License-Identifier: MIT
"""The page of `hybridnet explore --web` in Chromium: what a person sees of a counterexample, and does to it.

Screenshots are in runs/explore-page.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from hybridnet.cli import main
from tests.system.chromium import opened, shots_of

pytestmark = [pytest.mark.system, pytest.mark.thorough]

SHOTS = shots_of("explore-page")
APPS = Path(__file__).parents[2] / "examples" / "controllers"


def found(folder: Path, app: Path, *words: str) -> Path:
    """The page of what is found of an application."""
    page = folder / "found.html"
    command = ["explore", str(app), "--seeds", "1", "--repeat", "2", "--web", str(page), *words]
    assert main(command) == 1
    return page


def looked_at(browser: Browser, file: Path, scheme: str = "light") -> Page:
    def refuse_elsewhere(url: str) -> None:
        if not url.startswith(("file:", "data:")):
            pytest.fail(f"the page asks for {url}")

    return opened(
        browser, file.as_uri(), "data-drawn", "dark" if scheme == "dark" else "light", refuse_elsewhere
    )


def test_it_shows_the_way_hop_by_hop_and_the_tables_before_and_after(
    browser: Browser, tmp_path: Path
) -> None:
    file = found(tmp_path, APPS / "stale_rule.py", "--schedule", str(APPS / "host_moves.yaml"))
    page = looked_at(browser, file)
    expect(page.locator("h1")).to_have_text("stale_rule.py: all-reach-all does not hold")
    expect(page.locator("#facts")).to_contain_text(
        "shows in 2 of 2 repetitions, which are equal byte for byte"
    )
    assert page.locator("#schedule li").all_inner_texts() == [
        "3.000 s ping from=h3 to=h2",
        "3.500 s host-moves host=h2 to=s2",
    ]
    # h2 has moved from port 1 of s2 to its free port: the packet comes from h3 by s3, and leaves by the old port.
    hops = page.locator("#hops button")
    assert [text.splitlines()[0] for text in hops.all_inner_texts()] == ["1. s3, port 1", "2. s2, port 3"]
    expect(page.locator("#end")).to_have_text("port 1 of s2 is down")
    assert page.locator("#network .link.way").count() == 2  # h3 - s3 - s2
    expect(page.locator("#network .node.ends text")).to_have_text("s2")
    expect(page.locator("#network .node.chosen text")).to_have_text("s3")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#network .node.chosen text")).to_have_text("s2")
    met = page.locator("#after li.met")
    expect(met).to_have_count(1)
    expect(met).to_contain_text("output:1")
    assert met.inner_text() in hops.nth(1).inner_text()
    # At 1.4 s nobody had asked anything: only the rule by which the controller is asked was there.
    expect(page.locator("#before li")).to_have_count(1)
    expect(page.locator("#before li.gone")).to_have_count(0)
    page.get_by_role("group", name="whose tables").get_by_role("button", name="s1").click()
    expect(page.locator("#after li.met")).to_have_count(0)
    expect(page.locator("#happened")).not_to_contain_text("HELLO")
    expect(page.locator("#happened tr.event").first).to_contain_text("ping from=h3 to=h2")
    page.get_by_label("greetings, echoes and statistics, too").check()
    expect(page.locator("#happened")).to_contain_text("HELLO")
    page.screenshot(path=SHOTS / "light.png", full_page=True)
    dark = looked_at(browser, file, "dark")
    ground = dark.evaluate("getComputedStyle(document.body).backgroundColor")
    assert sum(int(part) for part in ground[4:-1].split(",")) < 3 * 64
    dark.screenshot(path=SHOTS / "dark.png", full_page=True)
    for each in (page, dark):
        each.context.close()


def test_what_has_no_way_is_shown_without_one_and_no_text_of_an_application_is_a_tag(
    browser: Browser, tmp_path: Path
) -> None:
    app = tmp_path / "own.py"
    app.write_text(
        "from ryu.base import app_manager\nfrom ryu.lib import hub\n\n\n"
        "class Own(app_manager.RyuApp):\n"
        "    def start(self):\n"
        "        super().start()\n"
        "        return hub.spawn(self.work)\n\n"
        "    def work(self):\n"
        "        hub.sleep(2)\n"
        "        raise ValueError('</script><img src=x onerror=alert(1)>')\n"
    )
    page = looked_at(browser, found(tmp_path, app))
    expect(page.locator("#findings li").first).to_contain_text(
        "ValueError: </script><img src=x onerror=alert(1)>"
    )
    expect(page.locator("#way-title")).to_have_text("The network")
    expect(page.locator("#hops")).to_be_hidden()
    assert page.locator("#network .node").count() == 6
    assert page.locator("img").count() == 0
    expect(page.locator("#schedule")).to_have_text("nothing need happen")
    page.context.close()
