# SPDX-License-Identifier: MIT
"""What the programs of a host get from its image."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hybridnet.agent.hosts import images as tested
from hybridnet.agent.hosts.images import HostImage, HostImages
from hybridnet.describe.schema.plans import HostPlan, ImagePlan
from hybridnet.errors import EnvironmentLackError, MachineError
from hybridnet.images import store
from hybridnet.system.journal import Journal
from tests.image_files import docker_archive, layer

USERS = b"root:x:0:0:root:/root:/bin/sh\nweb:x:33:34:web:/var/www:/bin/sh\nbad:x:-1:0:::\n"


@pytest.fixture
def images(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HostImages]:
    monkeypatch.setattr(store, "data_folder", lambda: tmp_path / "data")
    journal = Journal(tmp_path / "state", "a-run")
    made = HostImages(journal)
    yield made
    made.destroy()
    journal.close()


def of_host(images: HostImages, tmp_path: Path, config: dict[str, Any], **wanted: Any) -> HostImage:
    entries = [("etc", None), ("etc/passwd", USERS), ("etc/group", b"staff:x:50:\n")]
    archive = docker_archive(tmp_path / "a.tar", [layer(*entries)], config)
    image: ImagePlan = {
        "source": f"archive:{archive}",
        "environment": {},
        "volumes": [],
        **wanted,  # type: ignore[typeddict-item]
    }
    plan: HostPlan = {"name": "h1", "interfaces": [], "routes": [], "private_dirs": [], "image": image}
    images.destroy()
    images.create([plan], lambda text: None)
    return images["h1"]


def test_the_description_replaces_what_the_image_says_as_docker_run_does(
    images: HostImages, tmp_path: Path
) -> None:
    config = {"Entrypoint": ["/entry"], "Cmd": ["a", "b"]}
    assert of_host(images, tmp_path, config).argv == ["/entry", "a", "b"]
    assert of_host(images, tmp_path, config, command=["c"]).argv == ["/entry", "c"]
    assert of_host(images, tmp_path, config, entrypoint=["/other"]).argv == ["/other"]
    assert of_host(images, tmp_path, config, entrypoint=[], command=["c"]).argv == ["c"]
    assert of_host(images, tmp_path, {}).argv == []


def test_the_environment_is_the_images_then_the_descriptions_and_never_the_computers(
    images: HostImages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OF_THE_COMPUTER", "1")
    found = of_host(images, tmp_path, {"Env": ["A=1", "B=2=3", "HOME=/h"]}, environment={"A": "9"})
    mine = {name: value for name, value in found.environment.items() if not name.startswith("HYBRIDNET_")}
    assert mine == {"PATH": tested.PATH, "HOME": "/h", "HOSTNAME": "h1", "A": "9", "B": "2=3"}
    assert found.environment["HYBRIDNET_RUN"] == "a-run"


@pytest.mark.parametrize(
    ("user", "numbers", "home"),
    [
        ("", (0, 0), "/root"),
        ("web", (33, 34), "/var/www"),
        ("33", (33, 34), "/var/www"),
        ("web:staff", (33, 50), "/var/www"),
        ("7:8", (7, 8), "/"),
    ],
)
def test_a_user_is_one_of_the_image_or_a_number(
    images: HostImages, tmp_path: Path, user: str, numbers: tuple[int, int], home: str
) -> None:
    found = of_host(images, tmp_path, {"User": user})
    assert (found.user, found.environment["HOME"]) == (numbers, home)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"User": "nobody"}, "its user 'nobody' is not in its /etc/passwd"),
        ({"User": "web:nogroup"}, "its group 'nogroup' is not in its /etc/group"),
        ({"User": "4294967295"}, "its user '4294967295' is not in its /etc/passwd"),
        ({"User": "9" * 5000}, "its user '9+.* is not in its /etc/passwd"),
        ({"User": "0:" + "9" * 5000}, "its group '9+.* is not in its /etc/group"),
        ({"StopSignal": "9" * 5000}, "says StopSignal '9+.*, which is no signal"),
        ({"User": 7}, "says User 7, which is no text"),
        ({"Cmd": "sh"}, "says Cmd 'sh', which is no list of words"),
        ({"Env": [1]}, r"says Env \[1\]"),
        ({"StopSignal": "SIGNOTHING"}, "says StopSignal 'SIGNOTHING', which is no signal"),
    ],
)
def test_a_configuration_that_makes_no_sense_is_refused(
    images: HostImages, tmp_path: Path, config: dict[str, Any], words: str
) -> None:
    with pytest.raises(MachineError, match=rf"host h1: image archive:.*{words}"):
        of_host(images, tmp_path, config)


def test_a_volume_that_is_not_there_is_refused(images: HostImages, tmp_path: Path) -> None:
    volume = {"source": "/no/such", "at": "/a", "read_only": True}
    with pytest.raises(MachineError, match="the volume /no/such is not there; make it first"):
        of_host(images, tmp_path, {}, volumes=[volume])


def test_the_signal_that_ends_a_command_is_the_images(images: HostImages, tmp_path: Path) -> None:
    found = [of_host(images, tmp_path, {"StopSignal": name}).stop for name in ("", "SIGQUIT", "INT", "10")]
    assert found == [signal.SIGTERM, signal.SIGQUIT, signal.SIGINT, 10]


def test_without_ldd_there_is_no_shell_and_the_error_says_what_to_install(
    images: HostImages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/bash").symlink_to("/bin/bash")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(EnvironmentLackError, match="install bash and libc-bin"):
        of_host(images, tmp_path, {})


def test_a_list_of_users_that_is_a_link_is_not_followed_into_the_computers_files(
    images: HostImages, tmp_path: Path
) -> None:
    archive = docker_archive(tmp_path / "b.tar", [layer(("etc", "/etc"))], {"User": "daemon"})
    image: ImagePlan = {"source": f"archive:{archive}", "environment": {}, "volumes": []}
    plan: HostPlan = {"name": "h1", "interfaces": [], "routes": [], "private_dirs": [], "image": image}
    with pytest.raises(MachineError, match="its user 'daemon' is not in its /etc/passwd"):
        images.create([plan], lambda text: None)


def test_the_shell_runs_without_any_file_of_the_computer(images: HostImages, tmp_path: Path) -> None:
    folder = Path(of_host(images, tmp_path, {}).root["shell"])
    command = [
        f"{folder}/ld.so",
        "--library-path",
        f"{folder}/lib",
        f"{folder}/bash",
        "-c",
        "echo $BASH_VERSION",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={})
    assert done.stdout.strip()
    images.destroy()
    assert not folder.exists()
