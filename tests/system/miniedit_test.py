# SPDX-License-Identifier: MIT
"""Mininet's graphical editor, as Debian ships it, on a real display: open a topology, run, ping, stop."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system.computer import run_on_a_computer

pytestmark = pytest.mark.system

TOPOLOGY = {
    "version": "2",
    "controllers": [
        {
            "x": "250",
            "y": "50",
            "opts": {
                "hostname": "c0",
                "controllerType": "ref",
                "controllerProtocol": "tcp",
                "remoteIP": "127.0.0.1",
                "remotePort": 6633,
            },
        }
    ],
    "hosts": [
        {
            "number": str(n),
            "x": str(100 * n),
            "y": "300",
            "opts": {"hostname": f"h{n}", "nodeNum": n, "sched": "host"},
        }
        for n in (1, 2)
    ],
    "switches": [
        {
            "number": "1",
            "x": "250",
            "y": "180",
            "opts": {"hostname": "s1", "nodeNum": 1, "switchType": "default", "controllers": ["c0"]},
        }
    ],
    "links": [
        {"src": "h1", "dest": "s1", "opts": {}},
        {"src": "h2", "dest": "s1", "opts": {"bw": 10, "delay": "5ms"}},
    ],
}

# Its bridges speak OpenFlow 1.0, as MiniEdit chooses. Its own buttons are pressed; only its dialogue for files is
# answered here.
DRIVER = """
import sys
from mininet.examples import miniedit

app = miniedit.MiniEdit()
miniedit.tkFileDialog.askopenfile = lambda **_: open(sys.argv[1], "rb")
app.loadTopology()
app.update()
print("drawn", len(app.canvas.find_withtag("link")), flush=True)
buttons = {each["text"]: each for each in every_widget(app) if isinstance(each, miniedit.Button)}
buttons["Run"].invoke()
app.update()
assert app.net.waitConnected(timeout=30)
print("lost", app.net.pingAll(timeout=10), flush=True)
buttons["Stop"].invoke()
app.update()
print("stopped", app.net is None, flush=True)
app.destroy()
"""
WIDGETS = """
def every_widget(widget):
    yield widget
    for child in widget.winfo_children():
        yield from every_widget(child)
"""


@pytest.fixture
def display(tmp_path: Path) -> Iterator[str]:
    """An X server of its own, whose number it chooses."""
    if shutil.which("Xvfb") is None:
        pytest.fail("Xvfb is not installed; run `make setup`")
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1024x768x24", "-nolisten", "tcp"],
        pass_fds=[write],
        stderr=(tmp_path / "Xvfb.log").open("wb"),
    )
    os.close(write)
    with os.fdopen(read) as numbers:
        number = numbers.readline().strip()
    assert number, (tmp_path / "Xvfb.log").read_text()
    try:
        yield f":{number}"
    finally:
        server.terminate()
        server.wait()


def test_a_topology_is_opened_run_pinged_and_stopped(display: str, tmp_path: Path) -> None:
    topology, driver = tmp_path / "topology.mn", tmp_path / "driver.py"
    topology.write_text(json.dumps(TOPOLOGY))
    driver.write_text(WIDGETS + DRIVER)
    done = run_on_a_computer(
        [sys.executable, "-m", "hybridnet.cli", "run", str(driver), "--", str(topology)],
        env={**os.environ, "DISPLAY": display},
    )
    assert done.status == 0, done.err
    assert done.out.split("\n")[:3] == ["drawn 3", "lost 0.0", "stopped True"], done.out
    assert done.left == {}
