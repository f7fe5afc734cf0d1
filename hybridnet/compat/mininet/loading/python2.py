# SPDX-License-Identifier: MIT
"""Scripts for Python 2, as many of Mininet's and all of MaxiNet's are: translated, and run.

fissix, which goes on where lib2to3 ended, translates the words. What it leaves is changed in the syntax tree: `/`
between whole numbers rounds down, and programs that `subprocess` starts give text, as they did in Python 2.
"""

from __future__ import annotations

import ast
import functools
import logging
import re
import runpy
import sys
import types
from collections.abc import Callable
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import Any

from hybridnet.system.log import info

__all__ = ["needs_python2", "python3_source", "run_definitions", "run_python2", "run_script"]

_DIVISION = "__python2_division__"
_PROGRAMS = {"Popen", "check_output", "run"}
_ONLY_IN_PYTHON2 = {
    "basestring",
    "execfile",
    "long",
    "raw_input",
    "reduce",
    "reload",
    "unichr",
    "unicode",
    "xrange",
}


def run_script(file: str, any_python: bool = True) -> dict[str, Any]:
    """Run a script as `__main__`. Returns the names that it defines.

    Args:
        file: the script.
        any_python: translate it, and say so, if it is Python 2, and the modules beside it that are.
    """
    if not any_python:
        return runpy.run_path(file, run_name="__main__")
    if is_python2 := translates_modules_of(file):
        info(f"*** {file} is Python 2: translated into Python 3\n")
    return run_python2(file) if is_python2 else runpy.run_path(file, run_name="__main__")


def run_definitions(file: str) -> dict[str, Any]:
    """Run a file for what it defines, also one of Python 2. Returns the names."""
    is_python2 = translates_modules_of(file)
    return run_python2(file, Path(file).stem) if is_python2 else runpy.run_path(file)


def translates_modules_of(file: str) -> bool:
    """From now on, translate the modules of Python 2 in the folder of a script, and below it. Where the script itself
    is Python 2, these all are: one Python ran them. Returns whether it is.
    """
    is_python2 = needs_python2(Path(file))
    sys.meta_path.insert(0, _ModulesBeside(Path(file).resolve().parent, all_of_them=is_python2))
    return is_python2


def needs_python2(script: Path) -> bool:
    """Whether a script is Python 2: Python 3 cannot parse it, its first line asks for it, or it uses what only Python 2
    has, such as `xrange`.
    """
    try:
        text = script.read_bytes()
        tree = ast.parse(text)
    except SyntaxError:
        return python3_source(script) is not None
    except (OSError, ValueError):
        return False
    asks = re.match(rb"#!.*\bpython2", text) is not None
    return (asks or _uses_python2(tree)) and python3_source(script) is not None


def _uses_python2(tree: ast.Module) -> bool:
    """Whether it uses built-in names that Python 3 lacks, and neither defines them nor is meant for both."""
    used, known = set(), set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id="NameError") | ast.Attribute(attr="version_info"):
                return False  # it asks which Python runs it
            case ast.Name(id=name, ctx=ast.Load()):
                used.add(name)
            case ast.Name(id=name) | ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                known.add(name)
            case ast.ImportFrom(module=module, names=[ast.alias(name="*")]):
                if (module or "").partition(".")[0] != "mininet":
                    return False  # it may bring any name
            case ast.alias(name=name, asname=other):
                known.add(other or name.partition(".")[0])
    return bool(used & _ONLY_IN_PYTHON2 - known)


def python3_source(script: Path) -> str | None:
    """The script translated into Python 3; None if it is no Python 2 either, or cannot be read."""
    try:
        return _translated(script.read_text(encoding="utf-8"), None)
    except (OSError, ValueError):
        return None


def _python3_module(name: str, file: Path) -> str | None:
    """The same of a module, whose neighbours in its package Python 2 found without a dot."""
    in_package = "." in name or file.name == "__init__.py"
    try:
        return _translated(file.read_text(encoding="utf-8"), str(file) if in_package else None)
    except (OSError, ValueError):
        return None


@functools.lru_cache(maxsize=64)
def _translated(text: str, module: str | None) -> str | None:
    """`module`: where it is, among its neighbours; None: it is in no package."""
    from fissix import refactor
    from fissix.fixes.fix_tuple_params import FixTupleParams
    from fissix.pgen2.parse import ParseError
    from fissix.pgen2.tokenize import TokenError

    logging.getLogger("RefactoringTool").setLevel(logging.ERROR)
    fixers = refactor.get_fixers_from_package("fissix.fixes")
    if module is None:
        fixers.remove("fissix.fixes.fix_import")
    tool = refactor.RefactoringTool(fixers)
    for fixer in (*tool.pre_order, *tool.post_order):
        if isinstance(fixer, FixTupleParams):
            fixer.transform_lambda = functools.partial(_keep_keywords, fixer.transform_lambda)
    try:
        translated = str(tool.refactor_string(_with_spaces(text) + "\n", module or "script"))
        ast.parse(translated)
    except (ParseError, TokenError, SyntaxError):
        return None
    return translated


def _with_spaces(text: str) -> str:
    """The script indented by spaces: a tab reached to the next eighth column in Python 2, and Python 3 refuses tabs
    beside spaces. Lines that a string began before stay as they are.
    """
    from fissix.pgen2 import token, tokenize

    lines = text.splitlines(keepends=True)
    rest = iter(lines)
    within: set[int] = set()
    for kind, _, (first, _), (last, _), _ in tokenize.generate_tokens(lambda: next(rest, "")):
        if kind == token.STRING:
            within |= set(range(first, last))  # of the lines counted from 0, those after the string's first
    return "".join(
        line if number in within else line[: len(line) - len(line.lstrip())].expandtabs(8) + line.lstrip()
        for number, line in enumerate(lines)
    )


def _keep_keywords(transform: Callable[[Any, Any], None], node: Any, results: Any) -> None:
    """Have fissix leave alone what is no variable in ``lambda (name, ip): net.name(name, ip=ip)``: it takes each word
    for the parameter of that name.
    """
    words = {id(leaf): leaf for leaf in results["body"].leaves() if _is_no_variable(leaf)}
    said = {at: leaf.value for at, leaf in words.items()}
    for leaf in words.values():
        leaf.value = ""
    try:
        transform(node, results)
    finally:
        for at, leaf in words.items():
            leaf.value = said[at]


def _is_no_variable(leaf: Any) -> bool:
    """Whether a word follows a dot, or names the argument of a call."""
    before, after = leaf.prev_sibling, leaf.next_sibling
    return getattr(before, "value", None) == "." or (before is None and getattr(after, "value", None) == "=")


def run_python2(file: str, name: str = "__main__") -> dict[str, Any]:
    """Run a script of Python 2 as `__main__`, or under another name. Returns the names that it defines.

    Raises:
        Whatever the script raises; its lines are those of the translation.
    """
    main = types.ModuleType(name)
    main.__dict__.update({"__file__": file, _DIVISION: _divided})
    source = python3_source(Path(file))
    assert source is not None, "the caller has asked needs_python2"
    if name != "__main__":
        exec(_compiled(file, source), main.__dict__)
        return main.__dict__
    before, sys.modules["__main__"] = sys.modules["__main__"], main
    try:
        exec(_compiled(file, source), main.__dict__)
    finally:
        sys.modules["__main__"] = before
    return main.__dict__


def _compiled(file: str, source: str) -> types.CodeType:
    floors = (
        re.search(r"^from __future__ import .*\bdivision\b", Path(file).read_text(), re.MULTILINE) is None
    )
    tree = ast.fix_missing_locations(_Python2(floors).visit(ast.parse(source)))
    code: types.CodeType = compile(tree, file, "exec")
    return code


class _ModulesBeside(MetaPathFinder):
    """Finds the modules of Python 2 in the folder of a script and in packages there, and leaves all others alone.

    Args:
        all_of_them: whether every module there that Python 2 understands is its own, as those of a script of Python 2.
    """

    def __init__(self, folder: Path, *, all_of_them: bool) -> None:
        self._folder, self._all = folder, all_of_them

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        last = name.rpartition(".")[2]
        for folder in [self._folder] if path is None else [Path(each).resolve() for each in path]:
            if not folder.is_relative_to(self._folder):
                continue
            package, file = folder / last, folder / f"{last}.py"
            if (package / "__init__.py").is_file():
                if not self._is_python2(name, package / "__init__.py"):
                    return None
                return spec_from_file_location(
                    name, package / "__init__.py", loader=_Loader(), submodule_search_locations=[str(package)]
                )
            if file.is_file():
                is_python2 = self._is_python2(name, file)
                return spec_from_file_location(name, file, loader=_Loader()) if is_python2 else None
        return None

    def _is_python2(self, name: str, file: Path) -> bool:
        return needs_python2(file) or (self._all and _python3_module(name, file) is not None)


class _Loader(Loader):
    """Runs a module of Python 2."""

    def exec_module(self, module: types.ModuleType) -> None:
        assert module.__spec__ is not None
        assert module.__spec__.origin is not None
        file = module.__spec__.origin
        source = _python3_module(module.__name__, Path(file))
        assert source is not None, "its finder has translated it"
        module.__dict__[_DIVISION] = _divided
        exec(_compiled(file, source), module.__dict__)


def _divided(a: Any, b: Any) -> Any:
    return a // b if isinstance(a, int) and isinstance(b, int) else a / b


class _Python2(ast.NodeTransformer):
    """What the words do not show: the division of whole numbers, and the text of programs."""

    def __init__(self, floors: bool) -> None:
        self._floors = floors

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if not self._floors or not isinstance(node.op, ast.Div):
            return node
        return ast.Call(ast.Name(_DIVISION, ast.Load()), [node.left, node.right], [])

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        of_subprocess = isinstance(node.func, ast.Name) or (
            isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "subprocess"
        )
        given = {keyword.arg for keyword in node.keywords}
        if called in _PROGRAMS and of_subprocess and not given & {"text", "universal_newlines", "encoding"}:
            if isinstance(node.func, ast.Name) and called == "run":  # may be any function of the script
                return node
            node.keywords.append(ast.keyword("text", ast.Constant(value=True)))
        return node
