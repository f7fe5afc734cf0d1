# SPDX-License-Identifier: MIT
"""The page's server, on a network whose machines make nothing: who gets in, what is asked, what is refused."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from hybridnet import Net
from hybridnet.errors import MachineError
from hybridnet.run.live.access import BODY_LIMIT, Gate, Tokens
from hybridnet.run.live.control import Control
from hybridnet.run.live.files import Files
from hybridnet.run.live.network import Live
from hybridnet.run.live.routes import ROUTES
from hybridnet.run.live.server import Feed, Server, application
from hybridnet.run.live.terminals import Terminals
from hybridnet.run.live.watching import Watcher
from tests.hybridnet.run.live.support import net

HERE = "127.0.0.1:8080"
TOKENS = Tokens()
FULL = {"Authorization": f"Bearer {TOKENS.full}"}
AT = {"Host": HERE}  # the test client leaves it out where it opens a WebSocket
READING = {"Authorization": f"Bearer {TOKENS.reading}"}


class Site:
    """The page of a network, without a socket."""

    def __init__(self) -> None:
        self.net, self.machines = net()
        self.net.start()
        self.live = live_of(self.net)
        self.feed = Feed()
        self.watcher = Watcher(self.live, self.feed.ring)
        self.control = Control(self.live, self.watcher)
        self.terminals = Terminals(self.live)
        behind = application(self.control, self.watcher, self.feed, self.terminals, Files())
        gate: Any = Gate(behind, TOKENS, [HERE, "localhost:8080"], "hybridnet-8080")
        self.client = TestClient(gate, base_url=f"http://{HERE}", raise_server_exceptions=False)

    def close(self) -> None:
        self.watcher.close()
        self.terminals.close()
        self.net.stop()


def live_of(running: Net) -> Live:
    links = running._now()[1].links
    return Live(
        running, running._measuring.judge, lambda: frozenset(links.down), links.options, running._capture
    )


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    made = Site()
    yield made
    made.close()


# Who gets in


def test_without_the_token_nothing_is_told_on_any_path(site: Site) -> None:
    secrets = [*site.live.plan.machine_of, TOKENS.full, TOKENS.reading]
    paths = [("GET", "/"), ("GET", "/main.js"), ("GET", "/vendor/xterm.js"), ("GET", "/no/such/path")]
    paths += [("GET", "/metrics"), ("GET", "/grafana.json")]
    paths += [
        (route.method, f"/api/v1{route.path}".format(link="s2-h2", node="h1", number=1)) for route in ROUTES
    ]
    for method, path in paths:
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Cookie": "hybridnet-8080=wrong"}):
            answer = site.client.request(method, path, headers=headers)
            assert answer.status_code == 401, (method, path)
            assert not any(name in answer.text for name in secrets)
            assert "set-cookie" not in answer.headers
    assert site.client.get("/?token=wrong").status_code == 401


def test_the_link_gives_a_cookie_that_scripts_and_other_sites_cannot_use(site: Site) -> None:
    answer = site.client.get(f"/?token={TOKENS.full}")
    assert answer.status_code == 200
    cookie = answer.headers["set-cookie"]
    assert cookie == f"hybridnet-8080={TOKENS.full}; HttpOnly; SameSite=Strict; Path=/"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["referrer-policy"] == "no-referrer"
    site.client.cookies.clear()
    assert site.client.get("/api/v1/state", headers={"Cookie": cookie.partition(";")[0]}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example:8080"},
        {"Host": "127.0.0.1:9999"},
        {"Host": "127.0.0.1"},
        {"Origin": "http://evil.example"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_another_page_and_another_name_are_refused_even_with_the_token(
    site: Site, headers: dict[str, str]
) -> None:
    for method, path in (("GET", "/api/v1/state"), ("POST", "/api/v1/flows"), ("GET", "/main.js")):
        answer = site.client.request(method, path, headers=FULL | headers)
        assert answer.status_code == 403
        assert set(answer.json()) == {"error"}
    with (
        pytest.raises(WebSocketDisconnect),
        site.client.websocket_connect("/api/v1/nodes/h1/terminal", headers=FULL | AT | headers),
    ):
        pass


def test_a_link_in_another_page_opens_this_one(site: Site) -> None:
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert site.client.get(f"/?token={TOKENS.full}", headers=headers).status_code == 200
    assert site.client.get("/api/v1/state", headers=FULL | headers).status_code == 403
    site.client.cookies.clear()


def test_the_second_token_looks_and_does_nothing_else(site: Site) -> None:
    calls = len(site.machines.calls)
    assert site.client.get("/api/v1/state", headers=READING).json()["right"] == "reading"
    for route in ROUTES:
        path = f"/api/v1{route.path}".format(link="s2-h2", node="h1", number=1)
        if route.method != "GET":
            answer = site.client.request(route.method, path, headers=READING, json={})
            assert (answer.status_code, answer.json()) == (403, {"error": "this token only reads"})
    with (
        pytest.raises(WebSocketDisconnect),
        site.client.websocket_connect("/api/v1/nodes/h1/terminal", headers=READING | AT),
    ):
        pass
    assert {verb for _, verb, _ in site.machines.calls[calls:]} <= {"look"}


def test_prometheus_may_read_with_either_token_in_the_format_that_it_asks_for(site: Site) -> None:
    asked = site.client.get("/metrics", headers=READING)
    assert asked.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert 'hybridnet_verdict{word="trusted"} 1.0' in asked.text.splitlines()
    openmetrics = {"Accept": "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;q=0.1"}
    asked = site.client.get("/metrics", headers=FULL | openmetrics)
    assert asked.headers["content-type"].startswith("application/openmetrics-text; version=1.0.0")
    assert site.client.get(f"/metrics?token={TOKENS.reading}").status_code == 200
    assert site.client.post("/metrics", headers=FULL).status_code == 405
    for headers in ({"Host": "evil.example:8080"}, {"Origin": "http://evil.example"}):
        assert site.client.get("/metrics", headers=FULL | headers).status_code == 403
    asked = site.client.get("/grafana.json", headers=READING)
    assert asked.headers["content-type"] == "application/json"
    assert asked.json()["title"].startswith("hybridnet")


# What is asked


def test_the_network_is_described_with_what_is_simulated_and_what_is_not(site: Site) -> None:
    network = site.client.get("/api/v1/network", headers=FULL).json()
    nodes = {node["name"]: node for node in network["nodes"]}
    assert {name: (node["kind"], node["simulated"]) for name, node in nodes.items()} == {
        "h1": ("host", False), "h2": ("host", False), "v1": ("host", True),
        "s1": ("switch", False), "s2": ("switch", False),
    }  # fmt: skip
    assert nodes["h1"]["addresses"] == ["10.0.0.1/8"]
    kinds = {link["name"]: (link["kind"], link["limit_bps"]) for link in network["links"]}
    assert kinds["h1-s1"] == ("veth", [None, None])
    assert kinds["s2-h2"] == ("simulated", [10_000_000, 10_000_000])


def test_a_link_changes_goes_down_and_says_so(site: Site) -> None:
    before = site.client.get("/api/v1/links/s2-h2", headers=FULL).json()
    assert before["options"][0] == {"bw": 10, "delay": "5ms"}
    answer = site.client.patch("/api/v1/links/s2-h2", headers=FULL, json={"options": {"delay": "20ms"}})
    assert answer.json()["text"][0].startswith("10 Mbit/s, 20 ms")
    drawn = {link["name"]: link for link in site.client.get("/api/v1/network", headers=FULL).json()["links"]}
    assert drawn["s2-h2"]["text"][0].startswith("10 Mbit/s, 20 ms")
    answer = site.client.put("/api/v1/links/s2-h2/status", headers=FULL, json={"status": "down"})
    assert answer.json()["down"] is True
    drawn = {link["name"]: link for link in site.client.get("/api/v1/network", headers=FULL).json()["links"]}
    assert [name for name, link in drawn.items() if link["down"]] == ["s2-h2"]
    assert (
        site.client.put("/api/v1/links/s2-h2/status", headers=FULL, json={"status": "up"}).json()["down"]
        is False
    )


@pytest.mark.parametrize("name", ["key", "src", "dst", "self", "dely"])
def test_what_is_no_option_of_a_link_is_refused_whatever_it_is_called(site: Site, name: str) -> None:
    changes = site.machines.verbs().count("set_link")
    body = {"options": {name: "h1", "delay": "9ms"}}
    answer = site.client.patch("/api/v1/links/s2-h2", headers=FULL, json=body)
    assert answer.status_code == 400
    assert f"link s2-h2: unknown option '{name}'" in answer.json()["error"]
    assert site.machines.verbs().count("set_link") == changes


def test_a_flow_of_tcp_has_no_rate(site: Site) -> None:
    body = {"client": "h1", "server": "h2", "protocol": "TCP", "rate": "1 Mbit/s"}
    answer = site.client.post("/api/v1/flows", headers=FULL, json=body)
    assert (answer.status_code, "choose UDP" in answer.json()["error"]) == (400, True)
    assert site.client.get("/api/v1/flows", headers=READING).json() == []


def test_a_request_that_outlasts_the_page_is_told_so_at_once() -> None:
    own = Site()
    runs, may_end = threading.Event(), threading.Event()

    def run(**_: Any) -> dict[str, Any]:
        runs.set()
        may_end.wait(30)
        return {"status": 0, "stdout": b"", "stderr": b""}

    def end_page() -> None:
        runs.wait(30)
        own.feed.close()

    own.machines.answers["exec"] = run
    ending = threading.Thread(target=end_page)
    ending.start()
    try:
        answer = own.client.post("/api/v1/nodes/h1/exec", headers=FULL, json={"command": "sleep 20"})
        assert not may_end.is_set()
        assert answer.status_code == 409
        assert answer.json()["error"] == "the page, or its network, has ended before this was done"
    finally:
        may_end.set()
        ending.join()
        own.close()


def test_a_command_runs_in_a_host_and_a_simulated_one_has_none(site: Site) -> None:
    site.machines.answers["exec"] = lambda machine, argv, timeout, node: {
        "status": 3, "stdout": f"{node}: {argv}".encode(), "stderr": b"\xff",
    }  # fmt: skip
    path = "/api/v1/nodes/{}/exec"
    answer = site.client.post(path.format("h1"), headers=FULL, json={"command": "id; false"})
    assert answer.json() == {"output": "h1: id; false", "error": "�", "exit_code": 3}
    answer = site.client.post(path.format("v1"), headers=FULL, json={"command": "id"})
    assert (answer.status_code, "simulated" in answer.json()["error"]) == (400, True)
    assert site.client.post(path.format("h9"), headers=FULL, json={"command": "id"}).status_code == 404


def test_a_capture_is_a_program_of_the_host_and_a_file_to_fetch(site: Site) -> None:
    started: dict[str, Any] = {}

    def start(machine: str, node: str, command: Any, **_: Any) -> dict[str, int]:
        started.update(node=node, command=command)
        site.machines.programs[50] = [b"tcpdump: listening on h1-eth0"]
        return {"number": 50, "pid": 150}

    site.machines.answers["start_process"] = start
    site.machines.files["/scratch/live-1.pcap"] = b"pcap"
    body = {"link": "h1-s1", "end": "a", "filter": "tcp port 80"}
    capture = site.client.post("/api/v1/captures", headers=FULL, json=body).json()
    assert (capture["number"], capture["interface"], capture["running"]) == (1, "h1-eth0", True)
    assert started["node"] == "h1"
    assert started["command"][-2:] == ["--", "tcp port 80"]
    assert site.client.post("/api/v1/captures/1/stop", headers=FULL).json()["running"] is False
    file = site.client.get("/api/v1/captures/1/file", headers=READING)
    assert file.content == b"pcap"
    assert file.headers["content-disposition"] == 'attachment; filename="capture-1.pcap"'
    for link in ("s1-s2", "no-such"):  # a patch has no device
        assert site.client.post("/api/v1/captures", headers=FULL, json={"link": link}).status_code in (
            400,
            404,
        )
    del site.machines.answers["start_process"]


def test_why_tcpdump_refuses_is_quoted(site: Site) -> None:
    def start(machine: str, node: str, command: Any, **_: Any) -> dict[str, int]:
        site.machines.programs[51] = [b"tcpdump: verbose\ntcpdump: syntax error\n"]
        return {"number": 51, "pid": 151}

    site.machines.answers["start_process"] = start
    body = {"link": "h1-s1", "filter": "no filter"}
    answer = site.client.post("/api/v1/captures", headers=FULL, json=body)
    assert answer.status_code == 400
    assert answer.json()["error"] == "capture at link h1-s1: tcpdump refuses: tcpdump: syntax error"
    del site.machines.answers["start_process"]


def test_a_capture_at_a_simulated_end_is_the_instances(site: Site) -> None:
    told: list[dict[str, Any]] = []
    row = {"interface": "v1-eth0", "running": True, "frames": 7, "failure": ""}
    row["lost"] = {"file_full": 0, "queue_full": 2, "write_failed": 0}
    site.machines.answers["start_capture"] = lambda machine, **arguments: told.append(arguments)
    site.machines.answers["captures"] = lambda **_: [{**row, "file": told[0]["file"]}]
    site.machines.answers["stop_capture"] = lambda file, **_: {**row, "file": file, "running": False}
    body = {"link": "s2-v1", "end": "b", "filter": "icmp"}
    capture = site.client.post("/api/v1/captures", headers=FULL, json=body).json()
    assert (capture["interface"], capture["running"], capture["lost"], capture["error"]) == (
        "v1-eth0", True, 2, ""
    )  # fmt: skip
    [asked] = told
    assert (asked["instance"], asked["interface"], asked["filter"]) == ("m1", "v1-eth0", "icmp")
    stopped = site.client.post(f"/api/v1/captures/{capture['number']}/stop", headers=FULL).json()
    assert (stopped["running"], stopped["lost"]) == (False, 2)
    site.machines.files[asked["file"]] = b"pcap"
    file = site.client.get(f"/api/v1/captures/{capture['number']}/file", headers=READING)
    assert file.content == b"pcap"
    for verb in ("start_capture", "captures", "stop_capture"):
        del site.machines.answers[verb]


def test_a_terminal_prints_takes_keys_and_follows_the_window(site: Site) -> None:
    site.machines.typed.clear()
    with site.client.websocket_connect("/api/v1/nodes/h1/terminal", headers=FULL | AT) as terminal:
        terminal.send_bytes(b"ls\n")
        terminal.send_text('{"rows": 30, "columns": 99999}')
        terminal.send_text("[" * 5000)
        assert terminal.receive_bytes() == b"hello from "
        assert terminal.receive_bytes() == b"h1"
        with pytest.raises(WebSocketDisconnect):
            terminal.receive_bytes()
    assert set(site.machines.typed) <= {b"ls\n", b"30x1000"}


def test_a_terminal_whose_machine_goes_closes_with_the_reason(site: Site) -> None:
    def gone(machine: str, number: int, timeout: float) -> bytes:
        raise MachineError("machine m1: it is gone")

    site.machines.answers["read_terminal"] = gone
    try:
        with (
            site.client.websocket_connect("/api/v1/nodes/h1/terminal", headers=FULL | AT) as terminal,
            pytest.raises(WebSocketDisconnect) as closed,
        ):
            terminal.receive_bytes()
        assert "m1: it is gone" in closed.value.reason
    finally:
        del site.machines.answers["read_terminal"]


def test_news_between_a_look_and_the_wait_for_more_is_not_lost() -> None:
    feed = Feed()

    async def listen() -> None:
        known = feed.rings
        feed.ring()
        await asyncio.wait_for(feed.wait(known), 10)  # at once
        waiting = asyncio.create_task(feed.wait(feed.rings))
        await asyncio.sleep(0.05)
        assert not waiting.done()
        feed.ring()
        await asyncio.wait_for(waiting, 10)

    asyncio.run(listen())


def test_a_terminal_of_a_simulated_host_is_refused_with_the_reason(site: Site) -> None:
    with (
        site.client.websocket_connect("/api/v1/nodes/v1/terminal", headers=FULL | AT) as terminal,
        pytest.raises(WebSocketDisconnect) as closed,
    ):
        terminal.receive_bytes()
    assert "simulated" in closed.value.reason


def test_a_verdict_that_breaks_is_told_with_the_reason(site: Site) -> None:
    site.machines.lose("m1", "it is gone")
    try:
        site.watcher.look()
        verdict = site.client.get("/api/v1/state", headers=FULL).json()["verdict"]
        assert verdict["word"] == "broken"
        assert verdict["reasons"][0].startswith("machine m1: it is gone; it was lost ")
    finally:
        del site.machines.gone["m1"]
        site.watcher.look()
    assert site.client.get("/api/v1/verdict", headers=FULL).json()["word"] == "trusted"


def test_openapi_has_every_route_with_its_body_and_every_error(site: Site) -> None:
    document = site.client.get("/api/v1/openapi.json", headers=FULL).json()
    assert document["openapi"] == "3.1.0"
    declared = {(path, method) for path, operations in document["paths"].items() for method in operations}
    assert declared == {(f"/api/v1{route.path}", route.method.lower()) for route in ROUTES}
    body = document["paths"]["/api/v1/links/{link}/status"]["put"]["requestBody"]["content"][
        "application/json"
    ]
    assert body["schema"]["properties"] == {"status": {"enum": ["up", "down"]}}


# What makes no sense


@pytest.mark.parametrize(
    "path",
    ["../../../../etc/passwd", "..%2f..%2fetc%2fpasswd", "%2e%2e/server.py", "vendor/../../server.py", "/etc/passwd",
     "vendor/stamp", "vendor", "static/../access.py", "main.js%00", "..\\server.py"],
)  # fmt: skip
def test_no_path_leads_out_of_the_table_of_files(site: Site, path: str) -> None:
    answer = site.client.get(f"/{path}", headers=FULL)
    assert answer.status_code == 404
    assert "root:" not in answer.text
    assert "SPDX" not in answer.text


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"", "application/json", 400),
        (b"{", "application/json", 400),
        (b"[" * 60_000, "application/json", 400),
        (b'{"status": NaN}', "application/json", 400),
        (b"\xff\xfe", "application/json", 400),
        (b'{"status": "sideways"}', "application/json", 400),
        (b'{"status": "up", "more": 1}', "application/json", 400),
        (b'{"status": "up"}', "text/plain", 415),
        (b" " * (BODY_LIMIT + 1), "application/json", 413),
    ],
)
def test_a_wrong_body_is_refused_and_changes_nothing(site: Site, body: bytes, kind: str, status: int) -> None:
    calls = [verb for verb in site.machines.verbs() if verb != "look"]
    headers = FULL | {"Content-Type": kind}
    answer = site.client.put("/api/v1/links/s2-h2/status", headers=headers, content=body)
    assert answer.status_code == status
    assert answer.json()["error"]
    assert [verb for verb in site.machines.verbs() if verb != "look"] == calls


def test_a_long_body_without_a_length_is_cut_off(site: Site) -> None:
    def pieces() -> Iterator[bytes]:
        for _ in range(10):
            yield b" " * 10_000

    headers = FULL | {"Content-Type": "application/json"}
    answer = site.client.put("/api/v1/links/s2-h2/status", headers=headers, content=pieces())
    assert answer.status_code == 413


@pytest.mark.parametrize("requests", [200, pytest.param(10_000, marks=pytest.mark.slow)])
def test_malformed_requests_are_refused_and_the_next_good_one_is_answered(site: Site, requests: int) -> None:
    chance = random.Random(1)
    names = ["s2-h2", "h1", "1", "", "..", "%00", "x" * 300, "-1", "1e9", "${jndi}", "é", "a%2fb"]
    values: list[Any] = [None, True, -1, 1e308, "", "x" * 500, "\x00", [], {}, {"a": {"b": []}}, ["up"]]
    seen = set()
    for _ in range(requests):
        route = chance.choice(ROUTES)
        path = f"/api/v1{route.path}"
        for parameter in route.parameters:
            path = path.replace(f"{{{parameter}}}", chance.choice(names))
        if route.call == "events":
            path += "/" + chance.choice(names)
        keys = [*(route.body or {}), "more"]
        body: Any = {key: chance.choice(values) for key in chance.sample(keys, chance.randint(0, len(keys)))}
        text = json.dumps(chance.choice([body, chance.choice(values)]))
        raw = text[: chance.randint(0, len(text))] if chance.random() < 0.3 else text
        method = (
            route.method
            if chance.random() < 0.8
            else chance.choice(["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
        )
        headers = chance.choice([FULL, FULL, FULL, READING, {}]) | {"Content-Type": "application/json"}
        answer = site.client.request(
            method, path, headers=headers, content=raw.encode("utf-8", "surrogatepass")
        )
        assert answer.status_code < 500, (method, path, raw, answer.text)
        seen.add(answer.status_code)
    assert {200, 400, 401, 403, 404, 405} <= seen
    assert site.client.get("/api/v1/state", headers=FULL).json()["verdict"]["word"] == "trusted"


def test_the_document_has_a_row_for_every_route() -> None:
    text = (Path(__file__).parents[4] / "docs" / "rest.md").read_text()
    for route in ROUTES:
        assert f"| `{route.method} {route.path}` | {route.summary}" in text


def test_the_owner_gets_in_beside_those_who_connect_and_say_nothing() -> None:
    """Of the silent ones the oldest makes room: 200 are more than there are places, 64 of the silent and 128 of all."""

    async def takes_all(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    server = Server(takes_all, TOKENS, "127.0.0.1", 0)
    try:
        with contextlib.ExitStack() as strangers:
            for _ in range(200):
                strangers.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=10))
            with socket.create_connection(("127.0.0.1", server.port), timeout=10) as owner:
                token = f"Authorization: Bearer {TOKENS.full}\r\n"
                owner.sendall(
                    f"GET /api/v1/state HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n{token}\r\n".encode()
                )
                assert owner.recv(1000).split(b"\r\n")[0] == b"HTTP/1.1 204 No Content"
    finally:
        server.close()


def test_who_connects_writes_nothing_on_the_heads_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    async def takes_all(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        while (await receive())["type"] != "websocket.disconnect":
            pass

    server = Server(takes_all, TOKENS, "127.0.0.1", 0)
    try:
        for said in (
            b"no request at all\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            b"\x16\x03\x01",
        ):
            with socket.create_connection(("127.0.0.1", server.port), timeout=10) as there:
                there.sendall(said)
                there.shutdown(socket.SHUT_WR)
                while there.recv(1000):
                    pass
        address = f"ws://127.0.0.1:{server.port}/api/v1/nodes/h1/terminal"
        with connect(address, additional_headers=FULL) as terminal:
            terminal.socket.sendall(b"\x81\x82\0\0\0\0\xff\xfe")  # a text of two bytes that is no UTF-8
            with pytest.raises(ConnectionClosed):
                terminal.recv(10)
    finally:
        server.close()
    assert capfd.readouterr().err == ""


def test_a_link_by_its_other_direction_and_a_node_by_a_slip_are_told_the_right_name(site: Site) -> None:
    asked = site.client.get("/api/v1/links/s1-h1", headers=FULL)
    assert (asked.status_code, asked.json()["error"]) == (
        404,
        "link s1-h1: there is no such link; did you mean h1-s1?",
    )
    asked = site.client.post("/api/v1/nodes/h11/exec", headers=FULL, json={"command": "true"})
    assert "there is no such node; did you mean h1?" in asked.json()["error"]
