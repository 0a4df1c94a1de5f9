"""``python -P -m starmin.page.child WORDS``: a command that ends with its page.

Stdin is a pipe that the page holds. When the page is gone, however it went, the command
is interrupted as by Ctrl-C, so that a search keeps the best that it has found.
"""

import os
import signal
import threading
import time

_SOON = 45.0  # seconds after which a command that goes on is ended


def _watch() -> None:
    while os.read(0, 1024):
        pass
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(_SOON)
    os._exit(130)


def main() -> None:
    """Watch the page, then be the command line."""
    threading.Thread(target=_watch, daemon=True).start()
    from starmin.cli.app import script

    script()


if __name__ == "__main__":
    main()
