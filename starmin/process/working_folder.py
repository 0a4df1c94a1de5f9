"""No file of the working folder is taken for a module of Python.

A command is called beside the data, and data come from others. But ``python -m`` looks
for modules in the working folder first, and so does each further Python that a process
starts: a file ``glob.py`` there would be run.
"""

import os
import sys

_HOME = os.path.realpath(f"{__file__}/../../..")
_SAFE, _PATHS = "PYTHONSAFEPATH", "PYTHONPATH"  # what Python reads when it starts


def leave_it_out() -> None:
    """Import nothing from the working folder, in this process and those it starts.

    That is for a process that is ours as a whole. A checkout that is not installed is
    still found where it stands.
    """
    os.environ[_SAFE] = "1"
    here = _working_folder()
    if here in ("", _HOME):
        return
    sys.path[:] = [entry for entry in sys.path if entry]
    if not (given := os.environ.get(_PATHS)):
        return
    named = given.split(os.pathsep)
    kept = [entry for entry in named if os.path.realpath(entry) != here]
    if len(kept) < len(named):
        os.environ[_PATHS] = os.pathsep.join(kept)
        sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry) != here]


def leave_out_that_of_a_module() -> None:
    """Leave it out of ``python -m starmin``, before more than its name is imported."""
    if sys.argv[:1] != ["-m"] or sys.flags.safe_path or _working_folder() == _HOME:
        return
    module = sys.orig_argv[-len(sys.argv)]  # before its arguments; or "-mstarmin"
    if module.partition(".")[0] in ("starmin", "-mstarmin"):
        del sys.path[0]


def _working_folder() -> str:
    """Return the folder; an empty text where it has been removed."""
    try:
        return os.path.realpath("")
    except OSError:
        return ""
