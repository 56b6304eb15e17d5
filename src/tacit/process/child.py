"""Processes of our own: a module of this package in a new interpreter, which ends when the one that started it does.

`python -m` looks for modules in the working directory first. That is where the data lie, and a file `json.py` beside
them would be run; `-P` has Python leave that place alone.
"""

from __future__ import annotations

import os
import sys


def command(module: str, *words: str) -> list[str]:
    """What starts a module of this package as a program, to be given to `subprocess`."""
    return [sys.executable, "-P", "-m", __name__, str(os.getpid()), module, *words]


def main() -> None:
    """Runs the module that is named. Little is imported before: from its first moment on it ends with its parent."""
    parent, module = int(sys.argv[1]), sys.argv[2]
    _end_with(parent)
    del sys.argv[1:3]
    from runpy import run_module

    from tacit.process.stack import with_room

    with_room(run_module)(module, run_name="__main__", alter_sys=True)


def _end_with(parent: int) -> None:
    """Where the system can do that, whatever kills the parent ends this process, too."""
    if sys.platform == "linux":
        import ctypes
        import signal

        on_death_of_parent = 1  # PR_SET_PDEATHSIG
        ctypes.CDLL(None).prctl(on_death_of_parent, signal.SIGKILL)
        if os.getppid() != parent:  # it was dead before it could be watched
            sys.exit(1)


if __name__ == "__main__":
    main()
