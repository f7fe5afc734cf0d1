# SPDX-License-Identifier: MIT
"""Networks in YAML: what they say, and where they are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridnet.describe.options import table
from hybridnet.describe.topo import External, Topo
from hybridnet.describe.topo.node_options import NODE_OPTIONS
from hybridnet.errors import TopologyError, UnitError, UsageError
from hybridnet.kinds.frr import FRR
from hybridnet.kinds.image import IMAGE_HOST
from hybridnet.plan.files import read_topology, write_topology, yaml_text
from hybridnet.plan.files.yaml_form import schema
from hybridnet.plan.files.yaml_text import read_yaml, write_yaml
from hybridnet.topologies import TOPOS
from tests.hybridnet.plan.files.support import Everything, content, planned

GOOD = """\
format: 1
hosts:
  h1: {machine: m1, mac: 10:11:22:33:44:55}
  h2:
switches:
  s1: {dpid: 0000000000000010}
simulated_hosts:
  web:
    applications:
      - {kind: http_server, port: 80, size: 1 MB}
links:
  - {between: [h1, s1]}
  - between: [h2, s1]
    bw: 10
    delay: 5ms
    params1: {loss: 1}
  - {between: [s1, web]}
controllers:
  c0: {apps: [tree_switch]}
  c1: {ip: 192.0.2.1, port: 6653}
"""


def written(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "net.yaml"
    file.write_text(text)
    return file


def test_a_file_says_nodes_links_and_controllers(tmp_path: Path) -> None:
    topo = read_topology(written(tmp_path, GOOD))
    assert (topo.hosts(), topo.switches(), topo.simulated()) == (["h1", "h2"], ["s1"], ["web"])
    assert topo.node_spec("h1").resolved["mac"] == "10:11:22:33:44:55", "not a number of base 60"
    assert topo.node_spec("s1").resolved["dpid"] == "0000000000000010", "not an octal number"
    link = topo.spec("h2", "s1")
    assert (link.a_to_b.rate_bps, link.a_to_b.delay_ns) == (10**7, 5 * 10**6)
    assert link.a_to_b.loss == {"model": "independent", "probability": 0.01}
    assert link.b_to_a.loss is None
    assert topo.controllers == {"c0": {"apps": ["tree_switch"]}, "c1": {"ip": "192.0.2.1", "port": 6653}}


@pytest.mark.parametrize(
    ("line", "instead", "error", "message"),
    [
        (3, "  h1: {machin: m1}", TopologyError, r"net\.yaml:3: hosts\.h1: .*'machin'"),
        (
            3,
            "  h1: {mac: nonsense}",
            TopologyError,
            r"net\.yaml:3: hosts\.h1: host h1: mac 'nonsense' is not a MAC",
        ),
        (4, "  h1:", TopologyError, r"net\.yaml:4: 'h1' is written twice"),
        (12, "  - {between: [h1, s9]}", TopologyError, r"net\.yaml:12: links\.1: .*there is no node 's9'"),
        (12, "  - {between: [h1]}", TopologyError, r"net\.yaml:12: links\.1\.between: "),
        (14, "    bw: [10]", TopologyError, r"net\.yaml:14: links\.2\.bw: \[10\] is not of types"),
        (15, "    delay: 5", UnitError, r"net\.yaml:13: links\.2: .*delay"),
        (14, "    bandwidth: 10", TopologyError, r"net\.yaml:14: links\.2: .*'bandwidth'.*there are .*bw"),
        (8, "  web: {", TopologyError, r"net\.yaml:\d+: "),
        (2, "host:", TopologyError, r"net\.yaml:2: .*'host'.*; did you mean hosts\? there are controllers, "),
        (
            3,
            "\th1: {machine: m1}",
            TopologyError,
            r"net\.yaml:3: .*; lines are indented with spaces, not with tabs",
        ),
        (
            4,
            "  h2: 10.0.0.2",
            TopologyError,
            r'hosts\.h2: "10\.0\.0\.2" .*; write NAME: \{ip: 10\.0\.0\.1/8\}, or',
        ),
        (12, "  - [h1, s1]", TopologyError, r"links\.1: .*; write - \{between: \[h1, s1\]\}$"),
        (12, "  - {between: h1 s1}", TopologyError, r"links\.1\.between: .*; write between: \[h1, s1\]$"),
        (
            19,
            "  c0: {apps: tree_switch}",
            TopologyError,
            r"controllers\.c0\.apps: .*; write apps: \[tree_switch\]$",
        ),
        (
            20,
            "  c1: {prt: 6653}",
            TopologyError,
            r"net\.yaml:20: controllers\.c1: .*'prt'.*there are apps, ip,",
        ),
        (1, "format: 2", TopologyError, r"net\.yaml:1: format: 1 was expected"),
        (1, "*nothing", TopologyError, r"net\.yaml:1: "),
        (
            14,
            "    bw: 1e999",
            TopologyError,
            r"net\.yaml:14: 1e999 is larger than any number here; correct it",
        ),
        (14, f"    bw: {'9' * 5000}", TopologyError, r"net\.yaml:14: a number in it has too many digits; "),
        (3, '  "h1\\e]0;x\\a": {machin: m1}', TopologyError, r"net\.yaml:3: hosts\.'h1\\x1b\]0;x\\x07': "),
        (
            3,
            "  h1: {machine: ../../x}",
            TopologyError,
            r"machine '\.\./\.\./x': the name of a machine begins",
        ),
        (
            3,
            "  h1: {machine: m1;touch X}",
            TopologyError,
            "machine 'm1;touch X': the name of a machine begins",
        ),
    ],
)
def test_a_mistake_names_its_line_and_field(
    tmp_path: Path, line: int, instead: str, error: type[Exception], message: str
) -> None:
    lines = GOOD.splitlines()
    lines[line - 1] = instead
    with pytest.raises(error, match=message):
        read_topology(written(tmp_path, "\n".join(lines)))


@pytest.mark.parametrize("text", ["", "42", "- h1", "\x00", "&a [*a]"])
def test_what_is_no_network_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(TopologyError, match=r"net\.yaml"):
        read_topology(written(tmp_path, text))


def test_a_list_of_names_is_told_how_a_section_is_written(tmp_path: Path) -> None:
    with pytest.raises(
        TopologyError, match=r"net\.yaml:1: hosts: .*; write NAME: below it, one in a line, each with"
    ):
        read_topology(written(tmp_path, "hosts: [h1, h2]\nlinks:\n  - {between: [h1, h2]}\n"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hosts:\n  h1:{}\n", "each with a colon and a space$"),
        (
            "hosts:\n  h1: {}\n h2: {}\n",
            r"net\.yaml:3: .*; lines that belong together begin in the same column$",
        ),
        ("hosts: {h1: {}}\n---\nhosts: {h2: {}}\n", r"net\.yaml:2: .*; a file holds one network"),
        (
            "hosts: {1: {}, 2: {}}\nlinks: [{between: [1, 2]}]\n",
            r'between\.1: .*; write the name in quotes, as "1" ',
        ),
    ],
)
def test_what_yaml_reads_otherwise_than_it_looks_is_told_with_its_cure(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(TopologyError, match=message):
        read_topology(written(tmp_path, text))


def test_aliases_that_grow_without_end_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_text, "MOST_VALUES", 20_000)  # two million take seconds
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    with pytest.raises(TopologyError, match="too large"):
        read_topology(written(tmp_path, "\n".join(lines)))


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"ends with \.yaml, \.yml, \.graphml"):
        read_topology(tmp_path / "net.json")
    with pytest.raises(UsageError, match="No such file"):
        read_topology(tmp_path / "net.yaml")
    with pytest.raises(UsageError, match="there is no option hosts="):
        read_topology(written(tmp_path, GOOD), hosts=2)
    (tmp_path / "net.yml").write_bytes(b"hosts:\n  h\xff1:\n")
    with pytest.raises(TopologyError, match=r"net\.yml:2: it is not text in UTF-8"):
        read_topology(tmp_path / "net.yml")


def test_the_schema_has_every_option_that_is_declared() -> None:
    properties = schema()["properties"]
    link = properties["links"]["items"]["properties"]
    assert set(table("direction").said) <= set(link)
    assert set(table("direction").said) <= set(link["params1"]["properties"])
    hosts = properties["hosts"]["additionalProperties"]["properties"]
    assert set(hosts) == set(NODE_OPTIONS["host"]) - {"cls"} | set(FRR.options) | set(IMAGE_HOST.options), (
        "those of kinds, too"
    )


def test_a_router_with_frr_and_files_is_written_and_read_again(tmp_path: Path) -> None:
    topo = Topo()
    topo.addRouter(
        "r1", ospf=True, daemons=["bfdd"], conf="bfd\n", files={"/etc/x": "a\tb\n"}, commands=["ip link"]
    )
    topo.addLink("r1", topo.addHost("h1", ip="10.0.0.2/24"), params1={"ip": "10.0.0.1/24", "name": "eth1"})
    file = tmp_path / "ours.yaml"
    write_topology(file, topo, planned(topo))
    assert content(read_topology(file)) == content(topo)


def test_a_device_of_the_computer_is_written_and_read_again(tmp_path: Path) -> None:
    topo = Topo()
    topo.addSwitch("s1")
    topo.addLink("s1", External("eth1", backend="pcap", filter="not port 22", machine="m1"), delay="5ms")
    topo.addLink(External("eth2"), "s1", bw=10)
    file = tmp_path / "ours.yaml"
    write_topology(file, topo, planned(topo))
    text = file.read_text()
    assert "devices:\n  eth1: {backend: pcap, filter: not port 22, machine: m1}\n  eth2: null\n" in text
    assert content(read_topology(file)) == content(topo)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("devices: {eth1: }\n", r"net\.yaml:1: devices\.eth1: device eth1 is at no link"),
        (
            "switches: {s1: }\ndevices: {eth1: {speed: 1}}\nlinks: [{between: [s1, eth1]}]\n",
            r"net\.yaml:2: devices\.eth1: .*'speed' was unexpected.*; there are backend, filter, instance, machine",
        ),
        (
            "switches: {s1: }\ndevices: {eth1: {backend: tap}}\nlinks: [{between: [s1, eth1]}]\n",
            r"net\.yaml:3: links\.1: external eth1: backend",
        ),
    ],
)
def test_a_device_that_cannot_be_is_named(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "net.yaml"
    file.write_text(text)
    with pytest.raises(TopologyError, match=says):
        read_topology(file)


def test_what_a_mapping_says_itself_comes_before_what_it_merges() -> None:
    text = "a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nc: {<<: [*a, *b], x: 3}\nd: {<<: *b}\n"
    read = read_yaml(text, "net.yaml").value
    assert read["c"] == {"x": 3, "y": 1, "z": 2}
    assert read["d"] == {"y": 2, "z": 2}
    with pytest.raises(TopologyError, match=r"net\.yaml:1: << merges mappings only"):
        read_yaml("{<<: 5}", "net.yaml")


@pytest.mark.parametrize(
    "text", ["1e5", "10", "007", "true", "off", "null", "~", "", "10:11", "a: b", "\u00e9"]
)
def test_text_stays_text(text: str) -> None:
    assert read_yaml(write_yaml({"name": [text]}), "net.yaml").value == {"name": [text]}


@pytest.mark.parametrize("name", sorted(TOPOS))
@pytest.mark.parametrize("suffix", [".yaml", ".graphml"])
def test_what_is_written_is_read_as_the_same_network(tmp_path: Path, name: str, suffix: str) -> None:
    topo = TOPOS[name]()
    file = tmp_path / f"net{suffix}"
    write_topology(file, topo, planned(topo))
    assert content(read_topology(file)) == content(topo)


class Flowing(Topo):
    """Two hosts, and fluid between them."""

    def build(self) -> None:
        for name in ("a", "b"):
            self.addSimHost(name)
        self.addLink("a", "b", bw=10)
        self.addFluid("a", "b", {"model": "tcp_flows", "flows": 5, "congestion": "cubic"}, "many")
        self.addFluid("b", "a", {"model": "constant_rate", "rate": "1 Mbit/s"})


def test_fluid_flows_are_written_and_read_again(tmp_path: Path) -> None:
    topo = Flowing()
    write_topology(tmp_path / "net.yaml", topo, planned(topo))
    assert read_topology(tmp_path / "net.yaml").fluid_specs() == topo.fluid_specs()


def test_a_form_without_place_for_fluid_flows_is_refused(tmp_path: Path) -> None:
    topo = Flowing()
    with pytest.raises(UsageError, match="GraphML has no place for fluid flows"):
        write_topology(tmp_path / "net.graphml", topo, planned(topo))


def test_a_fluid_that_is_wrong_is_told_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "net.yaml"
    file.write_text(
        "simulated_hosts:\n  a:\n  b:\nfluids:\n  - {from: a, to: b, model: {model: tcp_flows, flows: 5}}\n"
        "  - {from: a, to: x, model: {model: tcp_flows, flows: 5}}\n"
    )
    with pytest.raises(TopologyError, match=r"net.yaml:6: fluids.2: .*no node 'x'"):
        read_topology(file)


@pytest.mark.parametrize("suffix", [".yaml", ".graphml"])
def test_every_kind_of_node_and_option_survives(tmp_path: Path, suffix: str) -> None:
    topo = Everything()
    file = tmp_path / f"net{suffix}"
    write_topology(file, topo, planned(topo))
    assert content(read_topology(file)) == content(topo)


def test_the_example_of_the_document_can_be_planned(tmp_path: Path) -> None:
    document = (Path(__file__).parents[4] / "docs" / "files.md").read_text(encoding="utf-8")
    example = document.split("```yaml\n")[1].split("```")[0]
    topo = read_topology(written(tmp_path, example))
    assert [link.kind for link in planned(topo).links] == ["veth", "veth", "cut", "simulated"]
