# SPDX-License-Identifier: MIT
"""Terminals in which a command runs: a window of xterm where there is a display, else one of tmux.

In a tmux session of the user's, a terminal is a new window there. Without one, a run has a tmux server of its own, and
`Terminal.how` says how to attach to it.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hybridnet.errors import EnvironmentLackError, MachineError
from hybridnet.system.journal import RUN_VARIABLE

__all__ = ["Terminal", "open_terminal"]


@dataclass(frozen=True)
class Terminal:
    """A terminal that is open.

    Args:
        how: what the user does to see it; empty for a window of a display.
        program: xterm; None for a window of tmux.
        window: tmux's name of the window, after the words that reach its server.
    """

    how: str = ""
    program: subprocess.Popen[bytes] | None = None
    window: tuple[str, ...] = ()

    def close(self) -> None:
        """Close it, with what runs in it. A second call does nothing."""
        if self.program is not None:
            self.program.terminate()
            self.program.wait()
        else:
            *server, name = self.window
            subprocess.run([*server, "kill-window", "-t", name], capture_output=True, check=False)

    terminate = kill = close  # as programs are ended


def open_terminal(
    title: str, command: Sequence[str], environment: Mapping[str, str], directory: Path
) -> Terminal:
    """Open a terminal.

    Args:
        title: what the window is called; in tmux, its last word.
        command: what runs in it; the terminal closes when that ends.
        environment: of the command, with the run's name, by which `hybridnet clean` finds it.
        directory: the run's own; the socket of its tmux server is there, and goes with it.

    Raises:
        EnvironmentLackError: there is no display with an xterm, and no tmux.
        MachineError: it did not open; the message quotes why.
    """
    if environment.get("DISPLAY") and (xterm := shutil.which("xterm", path=environment.get("PATH"))):
        argv = [xterm, "-title", title, "-e", *command]
        return Terminal(program=subprocess.Popen(argv, env=dict(environment), stdin=subprocess.DEVNULL))
    tmux = shutil.which("tmux", path=environment.get("PATH"))
    if tmux is None:
        raise EnvironmentLackError(
            f"terminal {title}: there is neither a display with xterm nor tmux; apt-get install tmux"
        )
    run = environment[RUN_VARIABLE]
    own = [tmux, "-S", str(directory / "tmux")]
    marks = [
        "-e",
        f"{RUN_VARIABLE}={run}",
        "-n",
        title.split()[-1],
        "-P",
        "-F",
        "#{window_id}",
        shlex.join(command),
    ]
    server = [tmux] if environment.get("TMUX") else own
    if environment.get("TMUX") or _has_session(own, environment):
        argv = [*server, "new-window", "-d", *marks]
    else:
        argv = [*server, "new-session", "-d", "-s", "hybridnet", *marks]
    done = subprocess.run(argv, env=dict(environment), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise MachineError(f"terminal {title}: tmux opened no window: {done.stderr.strip()}")
    how = "" if environment.get("TMUX") else f"tmux -S {directory / 'tmux'} attach"
    return Terminal(how, window=(*server, done.stdout.strip()))


def _has_session(server: list[str], environment: Mapping[str, str]) -> bool:
    done = subprocess.run([*server, "has-session"], env=dict(environment), capture_output=True, check=False)
    return done.returncode == 0
