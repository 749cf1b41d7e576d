"""What went wrong in a grader, for its author."""

import sys
import traceback

from refused import HINT, first
from scores import Fault

# Longest piece of an exception's own words.
MAX_WORDS = 1000
# Frames of a traceback that go to the log, from either end.
MAX_FRAMES = 20


def explain(error: BaseException, file: str) -> str:
    """One line that begins with the place in the task file; the whole traceback
    goes to the log."""
    place = f"{file}:{line}" if (line := line_in(error, file)) else file
    if isinstance(error, Fault):
        return f"{place}: the grader cannot be used: {error}"
    log(error)
    if first():
        return f"{place}: the grader cannot be used: {first()}"
    text = f"{place}: the grader failed: {words(error)}"
    if isinstance(error, ModuleNotFoundError):
        text += (
            "; graders have Python's standard library and PyYAML, and none of what needs "
            "programs, threads or the network (docs/python-graders.md)"
        )
    elif isinstance(error, SystemExit):
        text += "; expected it to return a dict"
    elif getattr(error, "errno", None) in (58, 138):
        text += f"; {HINT}"
    return text


def line_in(error: BaseException, file: str) -> int | None:
    """The line of the task file that was executed last, or does not parse."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return error.lineno
    line, step = None, error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == file:
            line = step.tb_lineno
        step = step.tb_next
    return line


def words(error: BaseException) -> str:
    """The last line of a traceback, cut where it is long."""
    name = type(error).__name__
    try:
        said = error.msg if isinstance(error, SyntaxError) else str(error)
        said = " ".join(str(said).split())
    except Exception:  # noqa: BLE001 - an exception that cannot say what it is
        said = ""
    if len(said) > MAX_WORDS:
        said = f"{said[:MAX_WORDS]}..."
    return f"{name}: {said}" if said else name


def log(error: BaseException) -> None:
    """Prints the traceback, without our own frames."""
    try:
        trace = traceback.TracebackException.from_exception(error, limit=-MAX_FRAMES)
        print("".join(trace.format()), file=sys.stderr)
    except Exception:  # noqa: BLE001, S110 - the log is a convenience
        pass
