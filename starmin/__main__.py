"""python -m starmin, and what the command ``starmin`` calls."""

import gc
import os
import signal
from types import FrameType
from typing import NoReturn

from starmin.process.faults import INTERRUPTED
from starmin.process.working_folder import leave_it_out

# Objects to make before Python looks for those that refer to each other in a circle.
# Modules make half a million and leave none behind: by 700, Python's own number, an
# eighth of a short command went into looking.
_BETWEEN_COLLECTIONS = 50_000


def script() -> NoReturn:
    """Run the command; an interrupt while it is still imported ends it quietly."""
    # Products of matrices have threads of their own, which --workers would not count.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(_BETWEEN_COLLECTIONS, *gc.get_threshold()[1:])
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _leave)
    leave_it_out()
    from starmin.cli.app import script as run

    run()


def _leave(number: int, frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)


if __name__ == "__main__":  # processes that are started anew read this file, too
    script()
