# SPDX-License-Identifier: MIT
from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from hybridnet.cli.main import main
from hybridnet.describe.topo.direction import resolve_direction
from hybridnet.errors import EnvironmentLackError, PlanError, UsageError
from hybridnet.simulate.instance.build import with_files
from hybridnet.simulate.instance.plugin import build_plugin, describe_plugin, find_plugin, include_directory

pytestmark = pytest.mark.thorough

simcore = pytest.importorskip("hybridnet._simcore")
EXAMPLES = Path(__file__).resolve().parents[4] / "examples" / "plugins"
SECOND = 10**9

EVERY = """
#include <hybridnet/plugin.h>
class Every final : public hybridnet::LossModel {
 public:
  explicit Every(hybridnet::Setup& setup) : every_(setup.whole("every")), throws_at_(setup.whole("throws_at", 0)) {}
  bool lost(const hybridnet::Packet&, hybridnet::Random&) override {
    if (++seen_ == throws_at_) throw std::runtime_error("enough is enough");
    return seen_ % every_ == 0;
  }
 private:
  std::int64_t every_;
  std::int64_t throws_at_;
  std::int64_t seen_ = 0;
};
HYBRIDNET_PLUGIN(Every)
"""


@pytest.fixture(scope="module")
def every(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("every")
    (folder / "every.cc").write_text(EVERY)
    return build_plugin(folder / "every.cc", folder / "every.so")


def planned(**options: Any) -> dict[str, Any]:
    return with_files(resolve_direction(options, "link a-b").to_json())


def sent_to_b(there: dict[str, Any], frames: int) -> dict[str, Any]:
    """The counters of the direction from a, after so many datagrams of 1000 bytes, 1000 a second."""
    simulation = simcore.OfflineSimulation(1)
    for number, host in enumerate("ab", start=1):
        simulation.add_node("host", host)
        simulation.add_interface(host, f"{host}-eth0", f"02:00:00:00:00:0{number}", f"10.0.0.{number}/8")
    back = planned()
    simulation.add_link("a-b", "a-eth0", "b-eth0", there, back)
    source = {"destination": "10.0.0.2", "port": 9, "rate_bps": 8_000_000, "payload_bytes": 1000}
    simulation.add_application("b", "udp_sink", {"kind": "udp_sink", "port": 9})
    simulation.add_application("a", "udp_source", {"kind": "udp_source", **source})
    simulation.run_for(frames * SECOND // 1000)
    row: dict[str, Any] = simulation.snapshot()["links"][0]
    return row


def test_the_header_is_beside_the_extension() -> None:
    header = include_directory() / "hybridnet" / "plugin.h"
    original = EXAMPLES.parents[1] / "simcore" / "plugin" / "plugin.h"
    assert header.read_text() == original.read_text()


def test_a_plugin_decides_what_a_link_loses(every: Path) -> None:
    row = sent_to_b(planned(model=str(every), model_args={"every": 4}), 400)
    assert row["dropped"]["impaired"] == row["accepted_packets"] // 4


def test_the_examples_are_built_and_do_what_they_say(tmp_path: Path) -> None:
    bursty = build_plugin(EXAMPLES / "bursty_loss.cc", tmp_path / "bursty.so", ["-Werror"])
    assert describe_plugin(bursty) == "BurstyLoss: loss"
    # Bad for half of the time, and then nearly every frame of 1042 bytes is lost: (1 - 1e-3)^8336 survive.
    bad = {"good": "10ms", "bad": "10ms", "bit_error_rate": 0.001}
    row = sent_to_b(planned(model=str(bursty), model_args=bad), 10_000)
    # The state lasts 10 ms on average, so 10 s hold about 500 of each; six deviations of the share are below 0.14.
    assert row["dropped"]["impaired"] / row["accepted_packets"] == pytest.approx(0.5, abs=0.14)
    satellite = build_plugin(EXAMPLES / "satellite.cc", tmp_path / "satellite.so", ["-Werror"])
    assert describe_plugin(satellite) == "Satellite: delay, rate"
    row = sent_to_b(planned(model=str(satellite)), 1000)
    # 1141 km away at first (1000 km over ground, 550 km up): 3.8 ms, after 0.4 ms on the wire; one packet each ms.
    assert 4 <= row["in_flight"] <= 5
    assert row["dropped"] == {}


def test_what_it_throws_ends_the_simulation_with_its_words(every: Path) -> None:
    with pytest.raises(PlanError, match=r"plug-in Every \(.*every\.so\).*enough is enough"):
        sent_to_b(planned(model=str(every), model_args={"every": 4, "throws_at": 10}), 100)


def test_arguments_that_it_does_not_know_are_refused(every: Path) -> None:
    for arguments, says in (
        ({}, "argument every is missing; write every="),
        ({"every": "x"}, 'argument every is "x"; write a whole number'),
        ({"every": 3, "evry": 4}, "there is no argument evry; there are every, throws_at"),
    ):
        with pytest.raises(PlanError, match=says):
            sent_to_b(planned(model=str(every), model_args=arguments), 1)


def test_two_who_decide_the_same_are_refused(every: Path) -> None:
    with pytest.raises(PlanError, match="decides the loss, and so does another option"):
        sent_to_b(planned(model=str(every), model_args={"every": 3}, loss=1), 1)


def test_what_does_not_compile_is_told_in_the_compilers_words(tmp_path: Path) -> None:
    source = tmp_path / "wrong.cc"
    source.write_text("#include <hybridnet/plugin.h>\nHYBRIDNET_PLUGIN(Nobody)\n")
    with pytest.raises(UsageError, match="Nobody") as error:
        build_plugin(source, tmp_path / "wrong.so")
    assert "-std=c++20" in str(error.value)
    assert list(tmp_path.iterdir()) == [source]


def test_what_is_no_plugin_replaces_nothing(tmp_path: Path, every: Path) -> None:
    kept = shutil.copy(every, tmp_path / "kept.so")
    source = tmp_path / "none.cc"
    source.write_text('extern "C" int nothing() { return 0; }\n')
    with pytest.raises(
        PlanError, match=r"^plug-in \S*none\.cc: it has no function hybridnet_plugin; end its source"
    ):
        build_plugin(source, kept)
    assert kept.read_bytes() == every.read_bytes()
    with pytest.raises(PlanError, match="hybridnet plugin build"):
        describe_plugin(source)


def test_a_file_that_was_cut_off_is_refused_and_ends_nothing(tmp_path: Path, every: Path) -> None:
    whole = every.read_bytes()
    # As far as the headers, within them, and before them: the loader would map what is not there, or refuses it.
    for end, says in ((len(whole) // 2, "it was cut off"), (100, "it was cut off"), (40, "file too short")):
        cut = tmp_path / f"{end}.so"
        cut.write_bytes(whole[:end])
        with pytest.raises(PlanError, match=f"{says}.*build it with: hybridnet plugin build"):
            describe_plugin(cut)


def test_a_compiler_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "every.cc"
    source.write_text(EVERY)
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(EnvironmentLackError, match="CXX=no-such-compiler: there is no such compiler"):
        build_plugin(source, tmp_path / "every.so")
    monkeypatch.delenv("CXX")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EnvironmentLackError, match=r"apt-get install g\+\+"):
        build_plugin(source, tmp_path / "every.so")


def test_a_plugin_is_found_by_path_or_by_name(every: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_plugin(str(every)) == every
    monkeypatch.delenv("HYBRIDNET_PLUGIN_PATH", raising=False)
    with pytest.raises(UsageError, match=r"HYBRIDNET_PLUGIN_PATH names no folder; write a path .* \./every"):
        find_plugin("every")
    monkeypatch.setenv("HYBRIDNET_PLUGIN_PATH", f"/none:{every.parent}")
    assert find_plugin("every") == find_plugin("every.so") == every
    with pytest.raises(UsageError, match="it is not in /none, "):
        find_plugin("never")
    with pytest.raises(UsageError, match="there is no such file; build it"):
        find_plugin("./never.so")


@pytest.mark.parametrize(
    ("argv", "code", "says"),
    [
        (["plugin", "build"], 2, "name the file, for example: hybridnet plugin build"),
        (["plugin", "build", "none.cc"], 2, "there is no such file of C++"),
        (["plugin", "show", "./none.so"], 2, "there is no such file"),
        (["plugin", "show", "x.so", "--flags=-g"], 2, "are options of build"),
        (["plugin", "include-dir", "x"], 2, "it takes no file"),
    ],
)
def test_mistakes_are_one_line(
    argv: list[str], code: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(argv) == code
    assert says in capsys.readouterr().err
