"""What the fuzz tests share: how long they try, and commands as users call them."""

import contextlib
import io
import os
import sys
from collections.abc import Sequence

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from starmin.cli.app import main

# FUZZ=5000 tries that many: minutes instead of seconds.
TRIES = int(os.environ.get("FUZZ", "0"))


def tries(count: int) -> settings:
    """Settings for about ``count`` examples in the suite, the same each time."""
    return settings(
        max_examples=TRIES or count,
        derandomize=not TRIES,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


def starmin(*words: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr; bad input is told in one line, never a traceback.

    Whatever a command raises fails the test, as a traceback would.
    """
    out, err = io.StringIO(), io.StringIO()
    before, sys.argv = sys.argv, ["starmin", *words]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main()
    finally:
        sys.argv = before
    said = err.getvalue()
    assert code in (0, 1, 2, 3), (code, said)
    if code == 2:
        assert said.startswith("starmin: ") and said.count("\n") == 1, said
        assert not out.getvalue()
    return code, out.getvalue(), said


def damaged(content: bytes) -> st.SearchStrategy[bytes]:
    """A file with a few bytes or stretches changed, dropped, doubled or put in."""
    place = st.integers(0, len(content))
    junk = st.one_of(
        st.binary(max_size=4),
        st.sampled_from([b'"', b"\n", b"\r", b",", b";", b"\0", b"*", b"\xff", b"[0-"]),
    )
    edit = st.tuples(place, st.integers(0, 6), junk)
    return st.lists(edit, min_size=1, max_size=4).map(lambda e: _edited(content, e))


def _edited(content: bytes, edits: Sequence[tuple[int, int, bytes]]) -> bytes:
    for at, dropped, junk in edits:
        content = content[:at] + junk + content[at + dropped :]
    return content
