# SPDX-License-Identifier: MIT
"""The live page in a cell of a notebook, in Chromium: it draws the network and keeps up with it.

JupyterLab is nothing that hybridnet needs. Where ``HYBRIDNET_JUPYTER`` names the ``bin/jupyter`` of an environment that
has it, a notebook runs there; everywhere a page of another server has in it what a cell shows, as an exported notebook.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Frame, Page, expect

from hybridnet import Net, Topo
from tests.system.chromium import PATIENCE_MS, shots_of

pytestmark = [pytest.mark.system, pytest.mark.thorough]

SHOTS = shots_of("notebook-page")
JUPYTER = os.environ.get("HYBRIDNET_JUPYTER")
PATIENCE_S = PATIENCE_MS / 1000
PINGS = 40  # a cell runs for 8 s


class Pair(Topo):
    def build(self) -> None:
        self.addLink(self.addHost("h1"), self.addHost("h2"), bw=10, delay="5ms")


@pytest.fixture(scope="module")
def net() -> Iterator[Net]:
    with Net(Pair()) as running:
        yield running


@contextmanager
def served(shows: list[str]) -> Iterator[int]:
    """A server of a page that has `shows` in it; its port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(f"<!doctype html><h1>A notebook</h1>{''.join(shows)}".encode())

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def shown_in(page: Page) -> Frame:
    """The live page inside of a page, once it has drawn the network."""
    element = page.wait_for_selector("iframe[title=hybridnet]", timeout=PATIENCE_MS)
    assert element is not None
    frame = element.content_frame()
    assert frame is not None
    frame.wait_for_selector("body[data-updates]", timeout=PATIENCE_MS)
    return frame


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1"])
def test_a_cell_has_the_page_with_its_figures_and_rights(net: Net, browser: Browser, name: str) -> None:
    shows: list[str] = []
    with served(shows) as port, net.live(notebook=f"http://{name}:{port}/lab") as live:
        shows.append(live._repr_html_())
        page = browser.new_page()
        page.goto(f"http://{name}:{port}/")
        frame = shown_in(page)
        before = frame.evaluate("fetch('/api/v1/state').then((answer) => answer.json())")
        assert before["right"] == "full"
        net["h1"].cmd("ping -c 3 -i 0.2", net["h2"].IP())
        page.screenshot(path=SHOTS / f"{name}.png")
        page.close()


def test_another_page_cannot_show_it_even_with_the_link(net: Net, browser: Browser) -> None:
    shows: list[str] = []
    with served(shows) as other, net.live(notebook="http://localhost:1") as live:
        shows.append(live._repr_html_())
        page = browser.new_page()
        page.goto(f"http://localhost:{other}/")
        with page.expect_console_message(lambda said: "frame-ancestors" in said.text):
            page.reload()
        assert all("hybridnet" not in frame.url for frame in page.frames)
        page.close()


@contextmanager
def jupyter_lab(folder: Path) -> Iterator[str]:
    """A server of JupyterLab in a folder; its address, which ends with its token."""
    assert JUPYTER is not None
    runtime, kernel = folder / "runtime", folder / "data" / "kernels" / "hybridnet"
    kernel.mkdir(parents=True)
    # The kernel is this Python, which has hybridnet; what a kernel needs besides comes from there.
    [there] = Path(JUPYTER).parents[1].glob("lib/python*/site-packages")
    begins = (
        f"import sys; sys.path.append({str(there)!r}); from ipykernel import kernelapp; "
        "kernelapp.launch_new_instance()"
    )
    argv = [sys.executable, "-c", begins, "-f", "{connection_file}"]
    (kernel / "kernel.json").write_text(
        json.dumps({"argv": argv, "display_name": "hybridnet", "language": "python"})
    )
    options = ["--no-browser", "--allow-root", "--ServerApp.port=0", "--ServerApp.ip=127.0.0.1"]
    log = (folder / "jupyter.log").open("w")
    lab = subprocess.Popen(
        [JUPYTER, "lab", *options],
        cwd=folder,
        env={
            **os.environ,
            "JUPYTER_RUNTIME_DIR": str(runtime),
            "JUPYTER_PATH": str(folder / "data"),
            "HOME": str(folder),
        },
        stdout=log,
        stderr=log,
    )
    try:
        ends = time.monotonic() + PATIENCE_S
        while not (told := list(runtime.glob("jpserver-*.json"))):
            if lab.poll() is not None or time.monotonic() > ends:
                pytest.fail(f"JupyterLab does not begin: {(folder / 'jupyter.log').read_text()}")
            time.sleep(0.1)
        said = json.loads(told[0].read_text())
        yield f"http://localhost:{said['port']}/lab/tree/network.ipynb?token={said['token']}"
    finally:
        lab.terminate()
        lab.wait(PATIENCE_S)
        log.close()


def write_notebook(file: Path, cells: list[str]) -> None:
    file.write_text(
        json.dumps(
            {
                "nbformat": 4,
                "nbformat_minor": 5,
                "metadata": {
                    "kernelspec": {"name": "hybridnet", "display_name": "hybridnet", "language": "python"}
                },
                "cells": [
                    {
                        "cell_type": "code",
                        "id": f"cell{number}",
                        "metadata": {},
                        "execution_count": None,
                        "outputs": [],
                        "source": source,
                    }
                    for number, source in enumerate(cells)
                ],
            }
        )
    )


@pytest.mark.skipif(
    JUPYTER is None, reason="HYBRIDNET_JUPYTER does not name the bin/jupyter of an environment"
)
def test_jupyterlab_shows_the_page_which_goes_on_while_a_cell_runs(browser: Browser, tmp_path: Path) -> None:
    with jupyter_lab(tmp_path) as address:
        write_notebook(
            tmp_path / "network.ipynb",
            [
                "from hybridnet import Net, Topo\n"
                "topo = Topo()\n"
                "topo.addLink(topo.addHost('h1'), topo.addHost('h2'), bw=10, delay='5ms')\n"
                "net = Net(topo)\n"
                "net.start()",
                f"net.live(notebook={address.partition('?')[0]!r})",
                f"print(net['h1'].cmd('ping -c {PINGS} -i 0.2 h2')[-400:])",
                "net.verdict()",
                "net.stop()\nprint('the', 'end')",
            ],
        )
        page = browser.new_page(viewport={"width": 1440, "height": 1600})
        page.set_default_timeout(PATIENCE_MS)
        page.goto(address)
        cells = page.locator(".jp-Notebook .jp-CodeCell")
        expect(cells).to_have_count(5)
        expect(page.get_by_text("hybridnet | Idle")).to_be_visible()  # the kernel is there

        def run(number: int) -> None:
            cells.nth(number).locator(".cm-content").click()
            page.keyboard.press("Shift+Enter")

        run(0)
        expect(cells.nth(0).locator(".jp-InputPrompt")).to_have_text("[1]:")
        run(1)
        frame = shown_in(page)
        frame.wait_for_selector("body[data-drawn]")
        run(2)
        expect(cells.nth(2).locator(".jp-InputPrompt")).to_have_text("[*]:")
        body = frame.locator("body")
        expect(body).not_to_have_attribute("data-updates", str(body.get_attribute("data-updates")))
        assert cells.nth(2).locator(".jp-InputPrompt").inner_text() == "[*]:"  # it still runs
        expect(cells.nth(2).locator(".jp-OutputArea-output")).to_contain_text(f"{PINGS} received")
        run(3)
        expect(cells.nth(3).locator(".jp-RenderedHTML b").first).to_be_visible()  # the verdict's word
        page.screenshot(path=SHOTS / "jupyterlab.png")
        run(4)
        expect(cells.nth(4).locator(".jp-OutputArea-output")).to_have_text("the end")
        page.close()
