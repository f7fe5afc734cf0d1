# SPDX-License-Identifier: MIT
from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from pyarrow import parquet

from hybridnet.errors import UsageError
from hybridnet.observe.results import RunDirectory
from hybridnet.observe.results.run_directory import hold, read_object


def test_manifest_records_versions_and_what_the_caller_adds(tmp_path):
    manifest = json.loads(
        RunDirectory(tmp_path / "run").write_manifest(seed=7, facts={"datapath": "netdev"}).read_text()
    )
    assert manifest["seed"] == 7
    assert manifest["datapath"] == "netdev"
    assert manifest["versions"]["hybridnet"]
    assert manifest["sysctl"]["net.ipv4.tcp_congestion_control"]


def test_a_full_disk_is_told_with_the_file(tmp_path):
    run = RunDirectory(tmp_path / "run")
    for name, write in (
        ("a.json", lambda name: run.write_json(name, {})),
        ("a.csv", lambda name: run.write_csv(name, ["x"], [(1,)])),
        ("a.parquet", lambda name: run.write_parquet(name, ["x"], [(1,)])),
    ):
        (run.path / name).symlink_to("/dev/full")
        with pytest.raises(OSError, match="No space left on device") as told:
            write(name)
        assert told.value.filename == str(run.path / name)


def test_csv_has_a_header_and_a_row_each(tmp_path):
    path = RunDirectory(tmp_path / "run").write_csv("steps/hybrid.csv", ["at_s", "tcp_bps"], [(1, 2), (3, 4)])
    assert path.read_text().splitlines() == ["at_s,tcp_bps", "1,2", "3,4"]


def test_parquet_has_typed_columns_and_a_row_each(tmp_path):
    rows = [("M/M/1", 6.02, 1), ("M/M/2", 2.1, None)]
    path = RunDirectory(tmp_path / "run").write_parquet("all.parquet", ["system", "response_s", "lost"], rows)
    table = parquet.read_table(path)
    assert list(zip(*(table[name].to_pylist() for name in table.column_names), strict=True)) == rows
    assert str(table.schema.field("response_s").type) == "double"


def test_parquet_without_rows_has_its_columns(tmp_path):
    path = RunDirectory(tmp_path / "run").write_parquet("none.parquet", ["time_ns", "cwnd_bytes"], [])
    assert parquet.read_table(path).column_names == ["time_ns", "cwnd_bytes"]


def test_a_parquet_column_of_several_types_is_refused(tmp_path):
    with pytest.raises(UsageError, match="values of one type"):
        RunDirectory(tmp_path / "run").write_parquet("mixed.parquet", ["value"], [(1,), ("one",)])


def test_an_earlier_run_is_replaced(tmp_path):
    first = RunDirectory(tmp_path / "run")
    first.write_manifest(seed=1, facts={})
    first.write_json("old.json", 1)
    RunDirectory(tmp_path / "run")
    assert not (tmp_path / "run" / "old.json").exists()


def test_a_place_where_no_folder_can_be_is_refused_before_anything_runs(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    for path, says in (
        (tmp_path / "file", "it is a file; give the name of a folder"),
        (tmp_path / "file" / "run", "file is a file; give the name of a folder"),
        (Path("/proc/run"), r"/proc/run: no folder can be made there \(.*\); give another folder"),
        (tmp_path / ("x" * 300), "File name too long; give another folder"),
    ):
        with pytest.raises(UsageError, match=says):
            RunDirectory(path)
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(UsageError, match="cannot be written to; give another folder"):
        RunDirectory(tmp_path / "new" / "run")


def test_a_damaged_file_of_a_run_is_said(tmp_path):
    file = tmp_path / "results.json"
    for content, says in (
        (b"{", "it is damaged: Expecting"),
        (b"[]", "holds no JSON object"),
        (b"\xff\xfe", "it is damaged: "),
    ):
        file.write_bytes(content)
        with pytest.raises(UsageError, match=says):
            read_object(file)
    with pytest.raises(UsageError, match="it cannot be read: Is a directory"):
        read_object(tmp_path)


def test_a_folder_that_is_no_run_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(UsageError, match="not an earlier run"):
        RunDirectory(tmp_path)
    assert (tmp_path / "thesis.tex").exists()


def test_a_file_is_no_run_directory(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="it is a file"):
        RunDirectory(tmp_path / "file")


WRITER = (
    "import sys; from hybridnet.observe.results import RunDirectory; "
    "run = RunDirectory(sys.argv[1]); print(); input()"
)


def test_a_folder_whose_writer_lets_go_a_moment_later_is_waited_for(tmp_path):
    writer = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(writer, fcntl.LOCK_EX)
    threading.Timer(0.1, os.close, (writer,)).start()
    hold(tmp_path).close()


def test_a_folder_into_which_another_process_writes_is_left_alone(tmp_path):
    words = [sys.executable, "-c", WRITER, str(tmp_path / "run")]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"\n"
        (tmp_path / "run" / "manifest.json").touch()
        with pytest.raises(
            UsageError, match="run: another command is writing into it; wait for its end, or give"
        ):
            RunDirectory(tmp_path / "run")
        assert (tmp_path / "run" / "manifest.json").exists()
        other.kill()
    RunDirectory(tmp_path / "run")
    assert not (tmp_path / "run" / "manifest.json").exists()


def test_one_process_may_replace_what_it_has_written(tmp_path):
    first = RunDirectory(tmp_path / "run")
    first.write_manifest(1, {})
    RunDirectory(tmp_path / "run").write_manifest(2, {})
    assert json.loads((first.path / "manifest.json").read_text())["seed"] == 2


def test_directories_that_are_done_keep_no_descriptors(tmp_path):
    before = len(os.listdir("/proc/self/fd"))
    for number in range(5):
        RunDirectory(tmp_path / str(number))
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_run_that_is_replaced_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "run"
    RunDirectory(run)
    assert capsys.readouterr().err == ""
    (run / "manifest.json").write_text("{}")
    os.utime(run / "manifest.json", (0, 0))
    RunDirectory(run)
    at = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(0))
    assert capsys.readouterr().err == f"*** {run}: the run of {at} that was there is replaced\n"
