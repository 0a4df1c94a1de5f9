"""Commands of the command line, run by the page as processes of their own."""

import json
import os
import queue
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from starmin.inputs.declared import option_words
from starmin.page.folder import PageError, write

_CHILD = "starmin.page.child"
_PATIENCE = 60.0  # seconds in which a search that is stopped writes what it has
_LOOK = 0.1  # seconds between two looks at what a search tells
_ANSWER = 120.0  # seconds in which a process that follows answers


def words_of(options: Mapping[str, Any]) -> list[str]:
    """Return options, by name of parameter, as words of a command line."""
    return [word for pair in options.items() for word in option_words(*pair)]


def shown(words: Iterable[str]) -> str:
    """Return the line that does the same in a terminal."""
    return shlex.join(["starmin", *words])


def _open(words: Sequence[str], module: str, **more: Any) -> "subprocess.Popen[str]":
    env = {**os.environ, "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"}
    return subprocess.Popen(
        [sys.executable, "-P", "-m", module, *words],
        stdin=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        env=env,
        start_new_session=True,  # Ctrl-C in the terminal is for the page
        **({"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | more),
    )


class Commands:
    """What runs for a page: short commands, of which answers are kept, and a search."""

    def __init__(self) -> None:
        self.search: Search | None = None
        self._kept: dict[str, Any] = {}
        self._running: set[subprocess.Popen[str]] = set()
        self._one, self._two = threading.Lock(), threading.RLock()
        self._follower: tuple[tuple[str, ...], Follower] | None = None

    def ask(self, words: Sequence[str], key: str = "") -> dict[str, Any]:
        """Return the JSON that a command answers; raise PageError with what it says.

        ``key`` says what the answer depends on beside the words: it is kept.
        """
        known = json.dumps([*words, key])
        with self._one:
            if key and known in self._kept:
                return dict(self._kept[known])
            # Before the two hyphens, after which a column's name may be anything.
            at = words.index("--") if "--" in words else len(words)
            found = self._asked([*words[:at], "--json", *words[at:]])
            if key:
                self._kept[known] = found
        return found

    def _asked(self, words: Sequence[str]) -> dict[str, Any]:
        process = _open(words, _CHILD)
        self._running.add(process)
        try:
            out, err = _communicate(process)
        finally:
            self._running.discard(process)
        if (found := _last_object(out)) is not None:
            return found
        raise PageError(_said(err) or f"The command ended with {process.returncode}.")

    def alone(self, table: Sequence[str], file: Path, text: str = "") -> dict[str, Any]:
        """Return how many people stand alone by a settings file, of a text if told."""
        known = tuple(table)
        with self._two:
            if text:  # by one request after the other
                write(file, text)
            if self._follower is None or self._follower[0] != known:
                self.unfollow()
                self._follower = known, Follower(known)
            return self._follower[1].answer(file)

    def unfollow(self) -> None:
        """End the process that counts people, as when its table is another one."""
        with self._two:
            if self._follower is not None:
                self._follower[1].end()
                self._follower = None

    @property
    def busy(self) -> bool:
        """Whether a search runs."""
        return self.search is not None and self.search.running

    def end(self) -> None:
        """End whatever runs; a search keeps the best that it has."""
        self.unfollow()
        for process in list(self._running):
            process.kill()
        if self.search is not None:
            self.search.stop()
            self.search.wait(_PATIENCE)


def _communicate(process: "subprocess.Popen[str]") -> tuple[str, str]:
    """Return what a command says; its stdin stays open, by which it knows the page."""
    said: list[str] = []
    assert process.stderr is not None and process.stdout is not None
    errors = process.stderr
    reader = threading.Thread(target=lambda: said.append(errors.read()))
    reader.start()
    out = process.stdout.read()
    reader.join()
    process.wait()
    _close(process)
    return out, "".join(said)


def _last_object(out: str) -> dict[str, Any] | None:
    """Return the JSON object that the last line is, if it is one."""
    with suppress(ValueError):
        found = json.loads((out.strip().splitlines() or [""])[-1])
        return found if isinstance(found, dict) else None
    return None


def _close(process: "subprocess.Popen[str]") -> None:
    for stream in (process.stdin, process.stdout, process.stderr):
        with suppress(OSError):
            if stream is not None:
                stream.close()


def _said(err: str) -> str:
    """Return what a command says went wrong, without the name of the program."""
    lines = (line.removeprefix("starmin: ") for line in err.strip().splitlines())
    return _last([line for line in lines if not line.startswith("{")])


def _last(said: Sequence[str]) -> str:
    """Return the last line but those on what is compiled; nothing without one."""
    told = [line for line in said if line and not line.startswith("compiles")]
    return told[-1] if told else ""


class Follower:
    """``starmin risk --follow``: answers for one settings file after the other."""

    def __init__(self, table: Sequence[str]) -> None:
        self._process = _open(
            # It reads stdin itself, and so ends with the page.
            ["risk", *table, "--follow"],
            "starmin",
            stderr=subprocess.DEVNULL,
        )
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self._answer()  # how many rows there are

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put("")

    def _answer(self) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=_ANSWER)
        except queue.Empty:
            line = ""
        if not line:
            self.end()
            return {"error": "The count of people is not to be had of this table."}
        found = json.loads(line)
        assert isinstance(found, dict)
        return found

    def answer(self, settings: Path) -> dict[str, Any]:
        """Return how many people stand alone."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{settings}\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            return {"error": "The count of people ended; open the table again."}
        return self._answer()

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        _close(self._process)


class Search:
    """A search that runs, or ran: what it tells of its progress, and its end."""

    def __init__(
        self,
        words: Sequence[str],
        folder: Path,
        lock: int | None,
        ended: Callable[["Search"], None],
    ) -> None:
        self.words, self.folder = [*words], folder
        self.points: list[dict[str, Any]] = []
        self.said: list[str] = []
        self.result: dict[str, Any] = {}
        self.code: int | None = None
        self.stopped = False
        self.started = time.monotonic()
        self.seconds = 0.0
        self._ended = ended
        held = () if lock is None else (lock,)
        # Files, not pipes: a page that is killed breaks nothing of what is written.
        self._told, self._answer = folder / "progress.jsonl", folder / "answer.json"
        words = [*words, "--json", "--progress", "json"]
        with self._told.open("wb") as told, self._answer.open("wb") as out:
            streams = {"stdout": out, "stderr": told}
            self._process = _open(words, _CHILD, pass_fds=held, **streams)
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether it has not come to its end."""
        return self._thread.is_alive()

    def _follow(self) -> None:
        rest, code = b"", None
        with self._told.open("rb") as told:
            while code is None:
                code = self._process.poll()
                *lines, rest = (rest + told.read()).split(b"\n")
                for line in lines:
                    self._hear(line.decode("utf-8", "replace").strip())
                time.sleep(_LOOK)
        self.seconds = time.monotonic() - self.started
        with suppress(OSError, UnicodeError):
            self.result = _last_object(self._answer.read_text("utf-8")) or {}
        _close(self._process)
        self.code = code
        self._ended(self)

    def _hear(self, line: str) -> None:
        if not line.startswith("{"):
            self.said.append(line.removeprefix("starmin: "))
            return
        with suppress(ValueError):
            point = json.loads(line)
            if point.get("value") is not None or point.get("bound") is not None:
                self.points.append(point)

    def stop(self) -> None:
        """Interrupt it: what it has found by now is kept."""
        if self.running and not self.stopped:
            self.stopped = True
            with suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGINT)

    def wait(self, seconds: float) -> None:
        """Wait for its end; kill it where it does not come."""
        self._thread.join(seconds)
        if self.running:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    @property
    def why(self) -> str:
        """What it said last, where there is no result."""
        return _last(self.said) or f"It ended with {self.code}."
