# SPDX-License-Identifier: MIT
"""Scripts of Python 2 run as they did there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hybridnet.compat.mininet.loading.importing import imports_mininet
from hybridnet.compat.mininet.loading.python2 import needs_python2, run_definitions, run_python2, run_script

SCRIPT = """
import subprocess
from subprocess import Popen, PIPE
quotient = 7 / 2
exact = 7 / 2.0
half = [n / 2 for n in xrange(4)]
text = subprocess.check_output(["echo", "x"]).strip() + "y"
said = Popen("echo z", shell=True, stdout=PIPE).communicate()[0]
known = {"a": 1}.has_key("a")
try:
    raise KeyError, "gone"
except KeyError, problem:
    print "caught", problem
name = __name__
"""


def test_a_script_of_python_2_runs_with_its_own_division_text_and_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "old.py"
    script.write_text(SCRIPT)
    assert needs_python2(script)
    names = run_python2(str(script))
    assert (names["quotient"], names["exact"], names["half"]) == (3, 3.5, [0, 0, 1, 1])
    assert (names["text"], names["said"], names["known"]) == ("xy", "z\n", True)
    assert names["name"] == "__main__"
    assert capsys.readouterr().out == "caught 'gone'\n"


def test_a_lambda_of_a_tuple_leaves_words_alone_that_are_no_variables(tmp_path: Path) -> None:
    script = tmp_path / "old.py"
    script.write_text(
        "class Net:\n    def ip(self, name, ip=None): return name, ip\n"
        "found = map(lambda (name, ip): Net().ip(name, ip=ip), [('h1', 1)])\nprint found\n"
    )
    assert needs_python2(script)
    assert run_python2(str(script))["found"] == [("h1", 1)]


def test_tabs_reach_to_the_next_eighth_column_but_stay_in_strings(tmp_path: Path) -> None:
    script = tmp_path / "old.py"
    script.write_text(
        "def build():\n\ttext = '''kept:\n\tas it is'''\n        return text\nfound = build()\n"
        "if found:\n    if True:\n\tfound += '!'\n"
    )
    assert needs_python2(script)
    assert run_python2(str(script))["found"] == "kept:\n\tas it is!"


def test_true_division_stays_where_the_script_asks_for_it(tmp_path: Path) -> None:
    script = tmp_path / "old.py"
    script.write_text("from __future__ import division\nhalf = 1 / 2\nprint `half`\n")
    assert needs_python2(script)
    assert run_python2(str(script))["half"] == 0.5


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("from mininet.topo import *\nnumbers = [n for n in xrange(3)]\n", True),
        ("#!/usr/bin/python2\nhalf = 7 / 2\n", True),
        ("#!/usr/bin/env python\nhalf = 7 / 2\n", False),
        ("def xrange(n):\n    return range(n)\nxrange(3)\n", False),
        ("from functools import reduce\nreduce(max, [1])\n", False),
        ("from six.moves import *\nxrange(3)\n", False),
        ("try:\n    ask = raw_input\nexcept NameError:\n    ask = input\n", False),
        ("import sys\nif sys.version_info[0] < 3:\n    text = unicode\n", False),
    ],
)
def test_a_script_may_be_of_python_2_though_python_3_can_parse_it(
    tmp_path: Path, text: str, meant: bool
) -> None:
    script = tmp_path / "script.py"
    script.write_text(text)
    assert needs_python2(script) is meant


def test_modules_of_python_2_beside_a_script_are_translated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in (
        ("halves_of_two", "print 7 / 2\nhalf = 7 / 2\n"),
        ("halves_of_three", "half = 7 / 2\n"),
    ):
        (tmp_path / f"{name}.py").write_text(text)
    script = tmp_path / "script.py"
    script.write_text(
        "import halves_of_two, halves_of_three\nfound = halves_of_two.half, halves_of_three.half\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    assert run_script(str(script))["found"] == (3, 3.5)


def a_program(folder: Path, **texts: str) -> Path:
    """Files of a program, of which `main` is the script; ``tools__numbers`` is a module of a package."""
    for name, text in texts.items():
        file = folder / f"{name.replace('__', '/')}.py"
        file.parent.mkdir(exist_ok=True)
        (file.parent / "__init__.py").touch()  # also in the folder of the script
        file.write_text(text)
    return folder / "main.py"


@pytest.fixture
def imports_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose modules can be imported, and are forgotten afterwards."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    return tmp_path


def test_all_modules_of_a_script_of_python_2_are_python_2(imports_from: Path) -> None:
    script = a_program(
        imports_from,
        main="import py2_reader\nprint 'x'\nfound = py2_reader.half, py2_reader.said\n",
        py2_reader="from subprocess import Popen, PIPE\nhalf = 7 / 2\n"
        "said = Popen('echo z', shell=True, stdout=PIPE).stdout.read()\n",
    )
    assert run_script(str(script))["found"] == (3, "z\n")


def test_packages_of_python_2_find_their_neighbours_without_a_dot(imports_from: Path) -> None:
    script = a_program(
        imports_from,
        main="from py2_tools.shout import shout\nfrom py2_tools import numbers\nprint shout()\nfound = shout()\n",
        py2_tools__shout="import numbers\nfrom words import word\ndef shout():\n    return numbers.value, word\n",
        py2_tools__numbers="value = 7 / 2\nprint value\n",
        py2_tools__words="word = u'x'\n",
    )
    assert run_script(str(script))["found"] == (3, "x")


def test_a_package_of_python_2_serves_a_script_of_python_3(imports_from: Path) -> None:
    script = a_program(
        imports_from,
        main="from py2_old.half import half\nfound = half, 7 / 2\n",
        py2_old__half="half = 7 / 2\nprint half\n",
    )
    assert run_script(str(script))["found"] == (3, 3.5)


def test_a_custom_file_may_be_python_2(imports_from: Path) -> None:
    script = a_program(imports_from, main="topos = {'mine': lambda: 7 / 2}\nprint topos.has_key('mine')\n")
    found = run_definitions(str(script))
    assert found["topos"]["mine"]() == 3
    assert found["__name__"] == "main"


def test_python_3_and_no_python_are_left_alone(tmp_path: Path) -> None:
    for name, text in (("new.py", "print('x')\n"), ("none.py", "def (\n"), ("empty.py", "")):
        (tmp_path / name).write_text(text)
        assert not needs_python2(tmp_path / name)
    assert not needs_python2(tmp_path / "not there.py")


def test_what_a_script_of_python_2_imports_is_seen(tmp_path: Path) -> None:
    script = tmp_path / "old.py"
    script.write_text("from mininet.net import Mininet\nprint 'x'\n")
    assert imports_mininet(script)
