# SPDX-License-Identifier: MIT
from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest

from hybridnet.errors import UsageError
from hybridnet.observe.recording import pack as packing
from hybridnet.observe.recording.pack import pack, unpack

KEY = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----\n"
CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
SECRETS = {
    "files/head.pem": "anything",
    "files/id_ed25519": "anything",
    "files/.env": "anything",
    "files/api-token.txt": "anything",
    "files/notes.txt": f"see below\n{KEY}",
    "files/chain.txt": CERTIFICATE,
    "files/settings.json": '{"token": "abcdefgh12345678"}',
    "files/client.py": "password = 'correct-horse'\n",
    "files/plan.txt": "token: 8f8f8f8f8f8f8f8f\n",
}
HARMLESS = {
    "manifest.json": "{}",
    "files/my.py": "token = secrets.token_hex(8)\nkey = row['key']\n",
    "network-1/series.parquet": "PAR1",
}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "one"
    for name, text in {**SECRETS, **HARMLESS}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "files" / "link").symlink_to("/etc/passwd")
    return folder


def test_secrets_are_left_out_and_said(run: Path, tmp_path: Path) -> None:
    packed = pack(run)
    assert packed.path == tmp_path / "one.hybridnet.tar.gz"
    assert sorted(packed.left_out) == sorted(SECRETS)
    with tarfile.open(packed.path) as archive:
        assert set(archive.getnames()) == {*HARMLESS, "packed.json"}
        content = b"".join(archive.extractfile(each).read() for each in archive if each.isreg())  # type: ignore[union-attr]
    for secret in (b"MHcCAQEE", b"MIIB", b"abcdefgh12345678", b"correct-horse", b"8f8f8f8f8f8f8f8f"):
        assert secret not in content


def test_a_secret_at_the_end_of_a_large_file_is_found(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "_SCANNED_BYTES", 200)
    (run / "files" / "long.txt").write_text("x" * 10_000 + KEY)
    assert "files/long.txt" in pack(run).left_out


def test_what_was_packed_comes_back_as_it_was(run: Path, tmp_path: Path) -> None:
    unpack(pack(run).path, tmp_path / "two")
    for name, text in HARMLESS.items():
        assert (tmp_path / "two" / name).read_text() == text
    assert json.loads((tmp_path / "two" / "packed.json").read_text())["left_out"]


def test_the_same_run_gives_the_same_file(run: Path, tmp_path: Path) -> None:
    first, second = pack(run, tmp_path / "a.tar.gz").path, pack(run, tmp_path / "b.tar.gz").path
    assert first.read_bytes() == second.read_bytes()


def test_a_target_whose_folder_is_not_there_is_refused(run: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no folder .*nowhere that you may write to; give another"):
        pack(run, tmp_path / "nowhere" / "one.tar.gz")


def test_a_target_that_is_there_and_what_is_no_run_are_refused(run: Path, tmp_path: Path) -> None:
    pack(run)
    with pytest.raises(UsageError, match="is there already"):
        pack(run)
    with pytest.raises(UsageError, match=r"there is no such run directory"):
        pack(tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["../outside", "/tmp/outside", "files/../../outside"])
def test_a_file_that_would_land_outside_is_refused(tmp_path: Path, name: str) -> None:
    with tarfile.open(tmp_path / "bad.tar.gz", "w:gz") as archive:
        member = tarfile.TarInfo(name)
        member.size = 1
        archive.addfile(member, io.BytesIO(b"x"))
    with pytest.raises(UsageError, match="not a regular file inside it"):
        unpack(tmp_path / "bad.tar.gz", tmp_path / "into")
    assert not (tmp_path / "outside").exists()


def test_links_and_what_is_no_archive_are_refused(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "bad.tar.gz", "w:gz") as archive:
        member = tarfile.TarInfo("manifest.json")
        member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(member)
    with pytest.raises(UsageError, match="not a regular file inside it"):
        unpack(tmp_path / "bad.tar.gz", tmp_path / "into")
    (tmp_path / "text").write_text("no archive")
    with pytest.raises(
        UsageError, match=r"cannot be unpacked: .*; name a run.s folder, or a file that `hybridnet pack`"
    ):
        unpack(tmp_path / "text", tmp_path / "into")


def test_an_archive_that_grows_without_end_is_refused(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = pack(run).path
    monkeypatch.setattr(packing, "UNPACKED_LIMIT", 4)
    with pytest.raises(UsageError, match="larger than"):
        unpack(packed, tmp_path / "into")


@pytest.mark.parametrize("inside", [False, True])
def test_what_cannot_be_packed_leaves_nothing_and_names_the_file(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: bool
) -> None:
    """A file that becomes shorter while it is read, as one of a run that goes on."""
    actual = packing.is_secret

    def shortened(file: Path) -> bool:
        secret = actual(file)
        if file.name == "series.parquet":
            monkeypatch.setattr(packing, "_member", lambda name, size: member(name, size + 1))
        return secret

    member = packing._member
    monkeypatch.setattr(packing, "is_secret", shortened)
    target = (run if inside else tmp_path) / "packed.hybridnet.tar.gz"
    with pytest.raises(UsageError, match=r"series\.parquet changed while it was read"):
        pack(run, target)
    assert [path for path in tmp_path.rglob("*") if path.name.startswith("packed")] == []


def test_a_pack_in_its_own_run_directory_does_not_contain_itself(run: Path) -> None:
    packed = pack(run, run / "packed.hybridnet.tar.gz")
    with tarfile.open(packed.path) as archive:
        assert set(archive.getnames()) == {*HARMLESS, "packed.json"}


def test_a_pack_of_folders_in_folders_in_folders_is_refused_in_a_line(tmp_path: Path) -> None:
    hostile = tmp_path / "hostile.hybridnet.tar.gz"
    with tarfile.open(hostile, "w:gz") as archive:
        archive.addfile(tarfile.TarInfo("/".join(["a"] * 2000)), io.BytesIO())
    with pytest.raises(
        UsageError, match="is not a regular file inside it; it was not made by hybridnet pack"
    ):
        unpack(hostile, tmp_path / "there")


@pytest.mark.parametrize(
    ("manifest", "why"),
    [
        ("[" * 100_000, "it is nested too deeply"),
        ('{"format": ' + "9" * 5000 + "}", "a number in it has too many digits"),
    ],
)
def test_a_manifest_that_no_run_wrote_is_refused_in_a_line(tmp_path: Path, manifest: str, why: str) -> None:
    (tmp_path / "manifest.json").write_text(manifest)
    with pytest.raises(UsageError, match=rf"manifest\.json: it is damaged: {why}; repeat the run"):
        pack(tmp_path)
