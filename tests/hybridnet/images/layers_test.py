# SPDX-License-Identifier: MIT
"""Layers of strangers: what they may do in their folder, and that they do nothing outside of it."""

from __future__ import annotations

import io
import os
import stat
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridnet.errors import MachineError
from hybridnet.images import layers as tested
from hybridnet.images.layers import Unpacking
from hybridnet.images.tar_files import MOST_BEFORE_ONE, MOST_HEADER_BYTES
from tests.image_files import layer


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "root"
    made.mkdir()
    return made


@pytest.fixture
def unpacking(root: Path) -> Iterator[Unpacking]:
    made = Unpacking(root, owned=False)
    yield made
    made.close()


def files(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


def hard_link(name: str, target: str) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = tarfile.LNKTYPE, target
    return info


def of_kind(name: str, kind: bytes) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type = kind
    return info


def test_entries_have_the_content_mode_and_time_of_the_layer(root: Path, unpacking: Unpacking) -> None:
    info = tarfile.TarInfo("etc")
    info.type, info.mode, info.mtime = tarfile.DIRTYPE, 0o750, 1_000_000_000
    unpacking.apply(
        io.BytesIO(layer(info, ("etc/name", b"web"), ("link", "etc/name"), hard_link("same", "etc/name")))
    )
    assert (root / "link").read_text() == "web"
    assert os.path.samefile(root / "same", root / "etc/name")
    found = (root / "etc").stat()
    assert (stat.S_IMODE(found.st_mode), found.st_mtime) == (0o750, 1_000_000_000)
    assert (unpacking.entries, unpacking.bytes) == (4, 3)


def test_a_layer_replaces_what_lower_ones_have(root: Path, unpacking: Unpacking) -> None:
    unpacking.apply(io.BytesIO(layer(("a", b"1"), ("b", None), ("b/inner", b"1"), ("c", "a"))))
    unpacking.apply(io.BytesIO(layer(("a", None), ("b", b"2"), ("c", b"2"))))
    assert (root / "a").is_dir()
    assert (root / "b").read_text() == (root / "c").read_text() == "2"
    assert not (root / "c").is_symlink()


def test_whiteouts_remove_what_lower_layers_have_and_nothing_of_their_own(
    root: Path, unpacking: Unpacking
) -> None:
    unpacking.apply(io.BytesIO(layer(("d/one", b""), ("d/two", b""), ("e/old/deep", b""), ("e/kept", b""))))
    unpacking.apply(
        io.BytesIO(layer(("d/.wh.one", b""), ("e/new", b""), ("e/old/fresh", b""), ("e/.wh..wh..opq", b"")))
    )
    assert files(root) == ["d", "d/two", "e", "e/new", "e/old", "e/old/fresh"]


def test_whiteouts_that_are_repeated_are_done_once(
    root: Path, unpacking: Unpacking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A whiteout looks at all that the layer itself has in the folder: so often for each would take for ever."""
    looked: list[str] = []
    remove = tested._remove

    def counted(folder: int, name: str, kept: set[tuple[int, str]]) -> None:
        looked.append(name)
        remove(folder, name, kept)

    unpacking.apply(io.BytesIO(layer(*((f"d/old{n}", b"") for n in range(10)))))
    monkeypatch.setattr(tested, "_remove", counted)
    new = [(f"d/new{n}", b"") for n in range(10)]
    unpacking.apply(io.BytesIO(layer(*new, *(50 * [("d/.wh..wh..opq", b""), (".wh.d", b"")]))))
    assert files(root) == ["d", *(name for name, _ in new)]
    # Each new file clears its place; the folder is looked through for one whiteout of either kind.
    assert len(looked) == len(new) + (len(new) + 10) + (1 + len(new))


def test_a_whiteout_of_what_is_not_there_is_none(root: Path, unpacking: Unpacking) -> None:
    unpacking.apply(io.BytesIO(layer((".wh.nothing", b""), ("x/.wh.nothing", b""))))
    assert files(root) == ["x"]


def test_a_link_to_a_folder_leads_where_it_leads_in_the_image(root: Path, unpacking: Unpacking) -> None:
    unpacking.apply(io.BytesIO(layer(("usr/bin", None), ("bin", "/usr/bin"), ("up", "usr/../usr"))))
    unpacking.apply(io.BytesIO(layer(("bin/tool", b"1"), ("up/bin/other", b"2"))))
    assert (root / "usr/bin/tool").read_text() == "1"
    assert (root / "usr/bin/other").read_text() == "2"


@pytest.mark.parametrize("place", ["outside", "/", "//etc"])
def test_nothing_is_written_through_a_link_that_leads_out(
    root: Path, unpacking: Unpacking, tmp_path: Path, place: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    target = str(outside) if place == "outside" else place
    unpacking.apply(io.BytesIO(layer(("way", target))))
    unpacking.apply(io.BytesIO(layer(("way/hybridnet-test-file", b"harm"))))
    assert not list(outside.iterdir())
    assert not Path(target, "hybridnet-test-file").exists()
    assert list(root.rglob("hybridnet-test-file"))  # where it is for the image's own programs


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (("../escaped", b""), "leaves the image's root"),
        (("a/../../escaped", b""), "leaves the image's root"),
        (("/etc/escaped", b""), "has no name within the image"),
        (("a/b/../..", None), "leaves the image's root"),
        (("link", "../outside"), "leads to '../outside', out of the image's root"),
        (("a/link", "x/../../../outside"), "out of the image's root"),
        (hard_link("link", "../../etc/passwd"), "leaves the image's root"),
        (hard_link("link", "/etc/passwd"), "has no name within the image"),
        (("x/.wh...", b""), "whiteout of nothing that could be there"),
        (("x/.wh.", b""), "whiteout of nothing that could be there"),
        (("x/.wh..wh.x", b""), "whiteout of nothing that could be there"),
        (("/".join(["d"] * 300) + "/x", b""), "more than 200 folders deep"),
        (("n" * 300, b""), "cannot be made: File name too long"),
        (of_kind("x", b"Z"), "is of an unknown kind"),
    ],
)
def test_entries_that_are_made_to_harm_are_refused(
    root: Path, unpacking: Unpacking, entry: tuple[str, bytes] | tarfile.TarInfo, words: str
) -> None:
    before = sorted(root.parent.iterdir())
    with pytest.raises(MachineError) as caught:
        unpacking.apply(io.BytesIO(layer(entry)))
    assert words in str(caught.value)
    assert sorted(root.parent.iterdir()) == before
    assert not Path("/etc/escaped").exists()


def test_a_hard_link_does_not_follow_a_link_out(root: Path, unpacking: Unpacking, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("of the computer")
    unpacking.apply(io.BytesIO(layer(("way", str(tmp_path)))))
    with pytest.raises(MachineError, match="'stolen' cannot be made: No such file"):
        unpacking.apply(io.BytesIO(layer(hard_link("stolen", "way/secret"))))


def test_links_in_a_circle_are_refused(unpacking: Unpacking) -> None:
    with pytest.raises(MachineError, match="'a/x' is behind more than 40 links"):
        unpacking.apply(io.BytesIO(layer(("a", "b"), ("b", "a"), ("a/x", b""))))


def test_a_file_in_the_way_of_a_folder_is_an_error(unpacking: Unpacking) -> None:
    with pytest.raises(MachineError, match="'a/x' cannot be made: Not a directory"):
        unpacking.apply(io.BytesIO(layer(("a", b""), ("a/x", b""))))


def test_device_nodes_are_left_out(root: Path, unpacking: Unpacking) -> None:
    unpacking.apply(
        io.BytesIO(layer(of_kind("dev/sda", tarfile.BLKTYPE), of_kind("dev/null", tarfile.CHRTYPE)))
    )
    assert files(root) == ["dev"]


def test_too_many_entries_and_too_many_bytes_are_refused(
    unpacking: Unpacking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tested, "MOST_ENTRIES", 2)
    with pytest.raises(MachineError, match="more than 2 entries"):
        unpacking.apply(io.BytesIO(layer(("a", b""), ("b", b""), ("c", b""))))
    huge = tarfile.TarInfo("huge")
    huge.size = tested.MOST_BYTES + 1
    monkeypatch.setattr(tested, "MOST_ENTRIES", 1000)
    with pytest.raises(MachineError, match="more than 64 GB"):
        unpacking.apply(io.BytesIO(huge.tobuf(tarfile.GNU_FORMAT)))


def test_a_header_that_asks_for_much_memory_is_refused(unpacking: Unpacking) -> None:
    for kind in (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME):
        header = of_kind("x", kind)
        header.size = 1 << 40
        with pytest.raises(MachineError, match=f"asks for {1 << 40} bytes, and may for {MOST_HEADER_BYTES}"):
            unpacking.apply(io.BytesIO(header.tobuf(tarfile.GNU_FORMAT)))


def test_headers_without_an_end_are_refused(unpacking: Unpacking) -> None:
    """tarfile reads each long name within the one before, and keeps what holds for the whole file."""
    name = of_kind("x", tarfile.GNUTYPE_LONGNAME).tobuf(tarfile.GNU_FORMAT)
    with pytest.raises(MachineError, match=f"{MOST_BEFORE_ONE + 1} before one entry"):
        unpacking.apply(io.BytesIO(name * 5000))
    size = MOST_HEADER_BYTES // 4
    for_all = of_kind("x", tarfile.XGLTYPE)
    for_all.size = size
    file = of_kind("file", tarfile.REGTYPE).tobuf(tarfile.GNU_FORMAT)
    pair = for_all.tobuf(tarfile.GNU_FORMAT) + bytes(size) + file
    with pytest.raises(MachineError, match=f"{5 * size} bytes for the whole file"):
        unpacking.apply(io.BytesIO(pair * 5))


def test_files_with_holes_are_refused_with_the_cure(unpacking: Unpacking) -> None:
    """Their lists of holes have no bound."""
    old = of_kind("file", tarfile.GNUTYPE_SPARSE).tobuf(tarfile.GNU_FORMAT)
    new = io.BytesIO()
    holes = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "file"}
    with tarfile.open(fileobj=new, mode="w", format=tarfile.PAX_FORMAT) as archive:
        info = tarfile.TarInfo("file")
        info.pax_headers, info.size = holes, 512
        archive.addfile(info, io.BytesIO(b"0\n".ljust(512, b"\0")))
    for made in (old, new.getvalue()):
        with pytest.raises(MachineError, match="write it anew without that option"):
            unpacking.apply(io.BytesIO(made))


@pytest.mark.parametrize("damage", [b"no tar file" * 100, layer(("a", b"x" * 5000))[:2000]])
def test_what_is_no_tar_file_or_ends_early_is_refused(unpacking: Unpacking, damage: bytes) -> None:
    with pytest.raises(MachineError, match="no tar file, or damaged"):
        unpacking.apply(io.BytesIO(damage))


def test_the_owner_is_the_layers_where_root_unpacks(root: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root gives files to others")
    info = tarfile.TarInfo("file")
    info.uid, info.gid, info.mode = 33, 34, 0o4755
    made = Unpacking(root)
    made.apply(io.BytesIO(layer(info)))
    made.close()
    found = (root / "file").stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (33, 34, 0o4755)
