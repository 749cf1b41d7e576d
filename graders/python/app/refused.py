"""What a grader cannot do: start programs and threads, and open connections.

A grader may well catch the exception and give a zero. That zero would be about
the room that the grader runs in and not about the agent, so every refusal is
remembered, and the grade is then none.
"""

import errno
import os
import socket
import subprocess
import sys
import threading

HINT = (
    "graders run no programs and reach no network; let a probe of the task do it and read its "
    "output from /evidence/probes.json (docs/python-graders.md)"
)

_refused: list[str] = []
_missing: list[str] = []


def begin() -> None:
    """Forgets what happened until now."""
    _refused.clear()
    _missing.clear()


def first() -> str | None:
    """The first thing that was refused, in words."""
    return _refused[0] if _refused else None


def missing_modules() -> list[str]:
    """Notes about modules that were asked for and that the grader did without."""
    return [f"The grader asked for the module `{name}`, which is not there." for name in _missing]


def install() -> None:
    """Puts refusals where programs, connections and threads would begin."""
    subprocess.Popen.__init__ = _refusal("subprocess", "it wants to run a program")
    # The destructor looks at what the constructor would have set.
    subprocess.Popen.__del__ = lambda self, *arguments, **named: None
    for name in (
        "system", "popen", "fork", "forkpty", "posix_spawn", "posix_spawnp",
        "execl", "execle", "execlp", "execlpe", "execv", "execve", "execvp", "execvpe",
        "spawnl", "spawnle", "spawnlp", "spawnlpe", "spawnv", "spawnve", "spawnvp", "spawnvpe",
    ):
        setattr(os, name, _refusal(f"os.{name}", "it wants to run a program"))
    socket.socket.__init__ = _refusal("socket", "it wants to open a connection")
    for name in ("getaddrinfo", "gethostbyname", "gethostbyname_ex", "gethostbyaddr",
                 "create_connection", "create_server", "socketpair"):
        setattr(socket, name, _refusal(f"socket.{name}", "it wants to open a connection"))
    threading.Thread.start = _refusal("threading", "it wants to start a thread")
    sys.meta_path.append(_Missing())


def _refusal(name: str, what: str):
    def refuse(*arguments, **named):
        _refused.append(f"{what} (`{name}`): {HINT}")
        raise OSError(errno.ENOTSUP, f"{name} is not possible in a grader")

    return refuse


class _Missing:
    """Comes last among the finders, and so sees what nobody found."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        """Remembers the name."""
        top = name.split(".")[0]
        ours = top.startswith("_") or top in sys.modules
        if not ours and top not in _missing:
            _missing.append(top)
        return None
