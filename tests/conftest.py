"""What all tests rely on."""

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="session")
def interrupts_are_heard() -> Iterator[None]:
    """Take SIGINT as a job in the foreground does, and so do the commands started.

    A job in the background of a shell begins with SIGINT ignored, and what it starts
    inherits that.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
