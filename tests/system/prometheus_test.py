# SPDX-License-Identifier: MIT
"""A real Prometheus scrapes a network, its checker accepts the metrics, and the dashboard's queries answer.

Prometheus is nothing that hybridnet needs: the tests run where ``HYBRIDNET_PROMETHEUS`` names its program, which has
promtool beside it.

h1 ── s1 ┄┄ r1 ┄┄ h2       ── a wire, ┄┄ simulated; the second loses every third packet to h2
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import Request, urlopen

import pytest

from hybridnet import Net
from hybridnet.run.controllers.process import free_port
from hybridnet.run.live.files import DIRECTORY
from tests.system.live import Lossy, wait_until
from tests.system.port_type import PORT_TYPE

PROMETHEUS = os.environ.get("HYBRIDNET_PROMETHEUS")
pytestmark = [
    pytest.mark.system,
    pytest.mark.thorough,
    pytest.mark.skipif(PROMETHEUS is None, reason="HYBRIDNET_PROMETHEUS does not name a program"),
]

SCRAPES = 4
PATIENCE_S = 60.0
CONFIGURATION = """\
scrape_configs:
  - job_name: hybridnet
    scrape_interval: 1s
    scrape_timeout: 1s
    authorization:
      credentials_file: {token}
    static_configs:
      - targets: ["{target}"]
"""
Ask = Callable[..., Any]


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    with Net(Lossy(), port_type=PORT_TYPE) as net, net.live() as served:
        pings = net["h1"].popen(["ping", "-i", "0.05", net["h2"].IP()], stdout=subprocess.DEVNULL)
        yield served
        pings.terminate()
        pings.wait()


def reading_token(page: Any) -> str:
    return parse_qs(urlsplit(page.reading_url).query)["token"][0]


@pytest.fixture(scope="module")
def ask(page: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Asks Prometheus at a path of its interface, once it has scraped the network some times."""
    assert PROMETHEUS is not None
    folder, address = tmp_path_factory.mktemp("prometheus"), f"127.0.0.1:{free_port()}"
    (folder / "token").write_text(reading_token(page))
    said = CONFIGURATION.format(token=folder / "token", target=urlsplit(page.url).netloc)
    (folder / "prometheus.yml").write_text(said)
    flags = {"config.file": folder / "prometheus.yml", "storage.tsdb.path": folder / "data"}
    with (folder / "log").open("w") as log:
        prometheus = subprocess.Popen(
            [PROMETHEUS, f"--web.listen-address={address}", *(f"--{key}={flags[key]}" for key in flags)],
            cwd=folder,
            stdout=log,
            stderr=log,
        )

    def asked(path: str, **parameters: str) -> Any:
        with urlopen(f"http://{address}/api/v1/{path}?{urlencode(parameters)}", timeout=30) as answer:
            told = json.load(answer)
        assert told["status"] == "success", told
        return told["data"]

    def has_scraped() -> bool:
        assert prometheus.poll() is None, (folder / "log").read_text()
        try:
            found = asked("query", query="count_over_time(hybridnet_look_timestamp_seconds[1m])")["result"]
        except URLError:  # it does not listen yet
            return False
        return bool(found) and int(found[0]["value"][1]) >= SCRAPES

    try:
        wait_until(has_scraped, PATIENCE_S)
        yield asked
    finally:
        prometheus.terminate()
        prometheus.wait()


def test_its_checker_accepts_the_metrics(page: Any) -> None:
    assert PROMETHEUS is not None
    asked = Request(
        f"http://{urlsplit(page.url).netloc}/metrics",
        headers={"Authorization": f"Bearer {reading_token(page)}"},
    )
    with urlopen(asked, timeout=30) as answer:
        text = answer.read()
    checker = Path(PROMETHEUS).with_name("promtool")
    checked = subprocess.run([checker, "check", "metrics"], input=text, capture_output=True, check=False)
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, b"", b"")


def dashboard() -> Any:
    return json.loads((DIRECTORY / "grafana.json").read_text(encoding="utf-8"))


def test_each_query_of_the_dashboard_answers(ask: Ask) -> None:
    of_losses = 0
    for expression in (target["expr"] for panel in dashboard()["panels"] for target in panel["targets"]):
        # As Grafana fills them in, with everything chosen.
        query = expression.replace("$__rate_interval", "1m")
        query = query.replace("$link", ".*").replace("$node", ".*")
        assert "$" not in query
        found = ask("query", query=query)["result"]
        if expression.endswith("> 0"):  # of reasons for losses only those that there are
            of_losses += len(found)
        else:
            assert found, query
    assert of_losses > 0


def test_the_choices_above_the_panels_are_the_links_and_the_nodes(ask: Ask) -> None:
    choices = {
        each["name"]: re.fullmatch(r"label_values\((\w+), (\w+)\)", each["query"])
        for each in dashboard()["templating"]["list"]
        if each["type"] == "query"
    }
    offered = {}
    for name, names in choices.items():
        assert names is not None
        offered[name] = ask(f"label/{names[2]}/values", **{"match[]": names[1]})
    assert offered == {"link": ["h1-s1", "r1-h2", "s1-r1"], "node": ["h1", "h2", "r1"]}
