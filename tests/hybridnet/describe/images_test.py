# SPDX-License-Identifier: MIT
"""Names of images: what each form means, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridnet.describe.images import ARCHIVE, FOLDER, REGISTRY, ImageReference, parse_image
from hybridnet.errors import TopologyError


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("oci:/srv/web", ImageReference(FOLDER, "/srv/web")),
        ("oci:/srv/web:1.2", ImageReference(FOLDER, "/srv/web", "1.2")),
        ("oci:/srv/a:b/web", ImageReference(FOLDER, "/srv/a:b/web")),
        ("/srv/web.tar", ImageReference(ARCHIVE, "/srv/web.tar")),
        ("archive:/srv/web:1.2", ImageReference(ARCHIVE, "/srv/web", "1.2")),
        ("docker://example.org:5000/a/web:1.2", ImageReference(REGISTRY, "example.org:5000/a/web:1.2")),
    ],
)
def test_a_name_and_what_it_means_are_the_same(text: str, reference: ImageReference) -> None:
    assert parse_image(text, "image") == reference
    assert parse_image(str(reference), "image") == reference


def test_relative_paths_begin_at_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert parse_image("oci:web:1", "image").place == str(tmp_path / "web")
    assert parse_image("web.tar.gz", "image").place == str(tmp_path / "web.tar.gz")


@pytest.mark.parametrize(
    "value", ["", "web", "web:latest", 7, None, "oci:", "docker://", "docker://A b", "a\n.tar"]
)
def test_what_names_no_image_is_refused_with_the_forms_that_there_are(value: object) -> None:
    with pytest.raises(TopologyError, match="write 'oci:FOLDER'"):
        parse_image(value, "host h1: image")
