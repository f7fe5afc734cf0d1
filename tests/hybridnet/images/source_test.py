# SPDX-License-Identifier: MIT
"""Images as folders and archives: what is read of them, and what is refused."""

from __future__ import annotations

import gzip
import hashlib
import json
import tarfile
from pathlib import Path

import pytest

from hybridnet.describe.images import parse_image
from hybridnet.errors import MachineError
from hybridnet.images.source import opened
from hybridnet.images.tar_files import MOST_HEADER_BYTES, MOST_KEPT_BYTES
from tests.image_files import ARCHITECTURE, docker_archive, layer, oci_folder

LAYERS = [layer(("a", b"1")), layer(("b", b"2"))]
CONFIG = {"Cmd": ["/a"], "Env": ["X=1"]}


def read(text: str) -> tuple[str, object, list[bytes]]:
    with opened(parse_image(text, "image")) as image:
        contents = []
        for each in image.layers:
            with image.layer(each) as stream:
                data = b""
                while piece := stream.read(1000):
                    data += piece
                contents.append(data)
        return image.digest, image.config, contents


def replace_blob(folder: Path, old: bytes, new: bytes) -> None:
    """Change a file without changing what refers to it."""
    (folder / "blobs/sha256" / hashlib.sha256(old).hexdigest()).write_bytes(new)


def test_both_forms_of_an_image_have_the_same_content(tmp_path: Path) -> None:
    folder = oci_folder(tmp_path / "oci", LAYERS, CONFIG)
    archive = docker_archive(tmp_path / "a.tar", LAYERS, CONFIG)
    packed = tmp_path / "oci.tar"
    with tarfile.open(packed, "w") as tar:
        tar.add(folder, arcname=".")
    found = [
        read(text)
        for text in (f"oci:{folder}:latest", str(archive), str(packed), f"archive:{archive}:latest")
    ]
    assert found == [found[0]] * 4
    assert found[0][1:] == (CONFIG, LAYERS)


def test_one_of_several_images_is_chosen_by_its_tag(tmp_path: Path) -> None:
    for tag in ("one", "two"):
        folder = oci_folder(tmp_path / "oci", LAYERS, {"Cmd": [tag]}, tag)
    assert read(f"oci:{folder}:two")[1] == {"Cmd": ["two"]}
    with pytest.raises(MachineError, match="several images, so say which; it has: one, two"):
        read(f"oci:{folder}")
    with pytest.raises(MachineError, match="no single image 'three'; it has: one, two"):
        read(f"oci:{folder}:three")


def test_of_an_index_the_image_of_this_processor_is_taken(tmp_path: Path) -> None:
    folder = oci_folder(tmp_path / "oci", LAYERS, CONFIG)
    [manifest] = json.loads((folder / "index.json").read_text())["manifests"]

    def nest(platforms: list[dict[str, str]]) -> None:
        inner = {"manifests": [{**manifest, "platform": each} for each in platforms]}
        raw = json.dumps(inner).encode()
        digest = hashlib.sha256(raw).hexdigest()
        (folder / "blobs/sha256" / digest).write_bytes(raw)
        (folder / "index.json").write_text(json.dumps({"manifests": [{"digest": f"sha256:{digest}"}]}))

    nest([{"os": "linux", "architecture": "s390x"}, {"os": "linux", "architecture": ARCHITECTURE}])
    assert read(f"oci:{folder}")[2] == LAYERS
    nest([{"os": "linux", "architecture": "s390x"}])
    with pytest.raises(MachineError, match=f"no image for linux on {ARCHITECTURE}, only for: s390x"):
        read(f"oci:{folder}")


def test_an_image_of_another_processor_is_refused(tmp_path: Path) -> None:
    folder = oci_folder(tmp_path / "oci", LAYERS, CONFIG, architecture="s390x")
    with pytest.raises(MachineError, match="it is for 's390x', and this computer is"):
        read(f"oci:{folder}")


def test_a_layer_that_is_not_what_its_digest_says_is_refused(tmp_path: Path) -> None:
    folder = oci_folder(tmp_path / "oci", LAYERS, CONFIG)
    stored = gzip.compress(LAYERS[1], mtime=0)
    replace_blob(folder, stored, gzip.compress(layer(("b", b"3")), mtime=0))
    with pytest.raises(
        MachineError, match=r"uncompressed, has the digest .*; it is damaged, fetch the image again"
    ):
        read(f"oci:{folder}")
    replace_blob(
        folder, stored, gzip.compress(LAYERS[1], 1, mtime=1)
    )  # the same tar file, compressed otherwise
    with pytest.raises(MachineError, match=r"has the digest .*, and should have"):
        read(f"oci:{folder}")
    replace_blob(folder, stored, stored[:-20])
    with pytest.raises(MachineError, match="is damaged: Compressed file ended"):
        read(f"oci:{folder}")
    replace_blob(folder, stored, b"\x28\xb5\x2f\xfd" + bytes(100))
    with pytest.raises(MachineError, match=r"compressed with zstd.*skopeo copy --dest-compress-format gzip"):
        read(f"oci:{folder}")


def test_what_is_no_image_is_refused_with_a_cure(tmp_path: Path) -> None:
    with pytest.raises(MachineError, match=r"there is no folder .*nowhere; make one with `skopeo copy"):
        read(f"oci:{tmp_path}/nowhere")
    with pytest.raises(MachineError, match=r"there is no file .*no\.tar; make one with `docker save"):
        read(f"{tmp_path}/no.tar")
    with pytest.raises(MachineError, match=r"neither index\.json nor manifest\.json"):
        read(f"oci:{tmp_path}")
    (tmp_path / "bad.tar").write_bytes(b"x" * 2000)
    with pytest.raises(MachineError, match="is no tar file, or damaged"):
        read(f"{tmp_path}/bad.tar")


@pytest.mark.parametrize(
    ("index", "words"),
    [
        ("[", "index.json is no JSON"),
        ("[" * 100_000, "index.json is no JSON"),
        ("[]", "index.json is no JSON object"),
        ('{"manifests": 1}', "index.json has no list `manifests`"),
        ('{"manifests": [{"digest": "sha256:../../etc/passwd"}]}', "is not sha256: and 64 digits"),
        ('{"manifests": [{"digest": 7}]}', "is not sha256: and 64 digits"),
        (json.dumps({"manifests": [{}] * 1001}), "index.json has 1001 manifests, and may have 1000"),
        (" " * (4 << 20) + "{}", "index.json has more than 4 MB"),
    ],
)
def test_an_index_that_is_damaged_or_made_to_harm_is_refused(tmp_path: Path, index: str, words: str) -> None:
    folder = oci_folder(tmp_path / "oci", LAYERS, CONFIG)
    (folder / "index.json").write_text(index)
    with pytest.raises(MachineError) as caught:
        read(f"oci:{folder}")
    assert words in str(caught.value)


def test_a_folder_whose_files_are_links_is_refused(tmp_path: Path) -> None:
    folder = oci_folder(tmp_path / "oci", LAYERS, CONFIG)
    (folder / "index.json").rename(tmp_path / "elsewhere.json")
    (folder / "index.json").symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(MachineError, match=r"index\.json cannot be read: Too many levels of symbolic links"):
        read(f"oci:{folder}")


def test_indexes_that_never_end_are_refused(tmp_path: Path) -> None:
    folder = oci_folder(tmp_path / "oci", LAYERS, CONFIG)
    [inner] = json.loads((folder / "index.json").read_text())["manifests"]
    for _ in range(6):
        described = {**inner, "platform": {"os": "linux", "architecture": ARCHITECTURE}}
        raw = json.dumps({"manifests": [described]}).encode()
        digest = hashlib.sha256(raw).hexdigest()
        (folder / "blobs/sha256" / digest).write_bytes(raw)
        inner = {"digest": f"sha256:{digest}"}
    (folder / "index.json").write_text(json.dumps({"manifests": [inner]}))
    with pytest.raises(MachineError, match="nested more than 4 deep"):
        read(f"oci:{folder}")


def test_more_layers_than_a_bound_are_refused(tmp_path: Path) -> None:
    archive = docker_archive(tmp_path / "a.tar", [LAYERS[0]] * 129)
    with pytest.raises(MachineError, match=r"manifest\.json has 129 Layers, and may have 128"):
        read(str(archive))


def test_an_archive_whose_headers_would_fill_memory_is_refused(tmp_path: Path) -> None:
    """Its entries are kept, each with its attributes."""
    made = tmp_path / "large.tar"
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, MOST_HEADER_BYTES
    file = tarfile.TarInfo("file").tobuf(tarfile.GNU_FORMAT)
    entry = header.tobuf(tarfile.GNU_FORMAT) + bytes(MOST_HEADER_BYTES) + file
    with gzip.open(made, "wb", compresslevel=1) as written:
        for _ in range(MOST_KEPT_BYTES // MOST_HEADER_BYTES + 1):
            written.write(entry)
    asked = MOST_KEPT_BYTES + MOST_HEADER_BYTES
    with (
        pytest.raises(MachineError, match=f"{asked} bytes in all"),
        opened(parse_image(str(made), "image")),
    ):
        pass
