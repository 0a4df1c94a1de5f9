"""python -m starmin, and what the command ``starmin`` calls."""

import os
import signal
from types import FrameType
from typing import NoReturn

from starmin.process.exit_codes import INTERRUPTED
from starmin.process.working_folder import leave_it_out


def script() -> NoReturn:
    """Run the command; an interrupt while it is still imported ends it quietly."""
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
