# SPDX-License-Identifier: MIT
"""Running a user's file: a mistake in it is reported in one line that says where.

with user_code("my_topo.py", ExperimentError):
    runpy.run_path("my_topo.py")
"""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

from hybridnet.describe.values import nearest
from hybridnet.errors import HybridnetError, UsageError
from hybridnet.run.prompt.output import unread_outputs

__all__ = ["require_file", "user_code"]


def require_file(file: str) -> None:
    """Raise UsageError unless there is a file of that name."""
    path = Path(file)
    if path.is_dir():
        raise UsageError(f"{file}: it is a folder; name a file in it")
    if path.exists() and not path.is_file():
        raise UsageError(f"{file}: it is not a regular file; name one")
    if not path.exists():
        beside = [each.name for each in path.parent.iterdir()] if path.parent.is_dir() else []
        near = nearest(path.name, beside)
        cure = f"did you mean {path.parent / near}?" if near else "name one that is there"
        raise UsageError(f"{file}: there is no such file; {cure}")


@contextlib.contextmanager
def user_code(file: str, error: type[HybridnetError]) -> Iterator[None]:
    """Turn what the user's code raises into an `error` that names the line. Modules beside the file are found.

    Mistakes that hybridnet itself has found (UsageError) keep their class and text, and get the line in front.
    """
    folder = str(Path(file).resolve().parent)
    sys.path.insert(0, folder)
    try:
        yield
    except UsageError as problem:
        raise type(problem)(f"{_place(problem, file)}: {problem}") from problem
    except HybridnetError:
        raise
    except Exception as problem:  # the user's own code: report whatever it raises
        if isinstance(problem, BrokenPipeError) and unread_outputs():
            raise  # nobody reads what it prints; any other pipe is the code's own
        said = "".join(traceback.TracebackException.from_exception(problem).format_exception_only()).strip()
        if isinstance(problem, SyntaxError):
            said = said.rpartition("\n")[2]  # what precedes it shows the line
        if not file.endswith(".py") and (isinstance(problem, SyntaxError) or "null bytes" in said):
            from hybridnet.plan.files import READ  # only this error waits for it

            raise UsageError(
                f"{_place(problem, file)}: {said}: {file} is no script of Python; name one, or a topology's file, "
                f"which ends with {', '.join(READ[:-1])} or {READ[-1]}"
            ) from problem
        if meant := _meant(problem):
            said = said.partition(". Did you mean: ")[0] + meant  # Python 3.12 and newer guess, too
        told = " ".join(said.split())
        raise error(f"{_place(problem, file)}: {told}; HYBRIDNET_DEBUG=1 shows the whole trace") from problem
    finally:
        sys.path.remove(folder)


def _meant(problem: Exception) -> str:
    """What an attribute that an object does not have, or a name that hybridnet does not have, may have been meant to
    be, as words to add.
    """
    if isinstance(problem, ImportError):
        of_ours = problem.name == "hybridnet" or (
            isinstance(problem, ModuleNotFoundError) and str(problem.name).startswith("hybridnet.")
        )
        return "; scripts import from hybridnet itself: from hybridnet import Net, Topo" if of_ours else ""
    if not isinstance(problem, AttributeError) or problem.name is None or problem.obj is None:
        return ""
    from hybridnet.run.net.structure import Structure

    if isinstance(problem.obj, Structure) and problem.name in problem.obj:
        return f'; write ["{problem.name}"] instead of .{problem.name}'
    known = [name for name in dir(problem.obj) if not name.startswith("_")]
    near = nearest(problem.name, known)
    return f"; did you mean {near}?" if near else ""


def _place(problem: Exception, file: str) -> str:
    """The innermost line of the user's files: those beside `file` and below."""
    if isinstance(problem, SyntaxError) and problem.filename is not None:
        return f"{_shown(Path(problem.filename))}:{problem.lineno}"
    folder = Path(file).resolve().parent
    for frame in reversed(traceback.extract_tb(problem.__traceback__)):
        if frame.filename.startswith("<"):  # Python's own, such as <frozen runpy>
            continue
        path = Path(frame.filename).resolve()
        if path.is_relative_to(folder) and not path.is_relative_to(Path(__file__).resolve().parents[2]):
            return f"{_shown(path)}:{frame.lineno}"
    return file


def _shown(path: Path) -> str:
    """The shortest path to it from here."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative
