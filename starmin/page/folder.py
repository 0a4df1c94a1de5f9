"""The folder of a page: private to its user, with all that is kept, and a lock."""

import json
import os
import re
import secrets
import shutil
import time
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import IO, Any

fcntl: Any = None
with suppress(ImportError):  # not on Windows
    fcntl = import_module("fcntl")

_WAIT = 60.0  # seconds for which a search of a page that was killed may still write
_LONGEST = 120  # bytes of the name of a file
# What can be fetched of a version, by the word of its address.
FILES = {
    "release": "release.csv",
    "certificate": "certificate.json",
    "settings": "settings.toml",
    "report": "report.html",
    "public": "public.html",
    "groups": "groups.csv",
}
_OF_A_RUN = "result.json", "release.csv"


class PageError(Exception):
    """What the page says to its user in one sentence."""


@dataclass(frozen=True)
class Version:
    """A run that is done, with its files."""

    number: int
    folder: Path
    about: dict[str, Any] = field(repr=False)  # name, note, when and how it was made
    result: dict[str, Any] = field(repr=False)  # what ``solve --json`` said

    @property
    def name(self) -> str:
        """What its user calls it."""
        return self.about.get("name") or f"Version {self.number}"

    @property
    def release(self) -> Path:
        """The release, which need not be there: nothing may be feasible."""
        return self.folder / FILES["release"]

    def file(self, what: str) -> Path | None:
        """Return a file of it that is there, by the word of its address."""
        found = self.folder / FILES.get(what, "-")
        if what in self.about.get("saved", ()) and safe_name(what) == what:
            found = self.folder / what
        return found if found.is_file() and not found.is_symlink() else None


class Folder:
    """A folder that one page has at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        if self.path.is_symlink() or (self.path.exists() and not self.path.is_dir()):
            raise PageError(f"{path}: is no folder; name another one by --folder")
        try:
            self.path.mkdir(mode=0o700, exist_ok=True)
            self.path.chmod(0o700)
        except OSError as error:
            raise PageError(f"{path}: cannot be made: {error.strerror}") from None
        self.state: dict[str, Any] = {}
        self.lock: IO[str] | None = None

    def take(self, said: Any = print) -> None:
        """Take the lock, which a search has too: one that is left over ends first."""
        lock = (self.path / ".lock").open("a+")
        os.set_inheritable(lock.fileno(), False)
        end, told = time.monotonic() + _WAIT, False
        while fcntl is not None:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                lock.seek(0)
                owner = lock.read().strip()
                if _alive(owner) or time.monotonic() > end:
                    lock.close()
                    raise PageError(
                        f"{self.path}: another page has this folder open"
                        + (f" (process {owner})" if _alive(owner) else "")
                        + "; close it, or name another one by --folder"
                    ) from None
                if not told:
                    said("a search of the page that was open here ends first")
                told = True
                time.sleep(0.2)
        lock.seek(0)
        lock.truncate()
        lock.write(str(os.getpid()))
        lock.flush()
        self.lock = lock
        self._reopen()

    def _reopen(self) -> None:
        """Take up what a page left here; what is half written never shows."""
        self.state = read_json(self.path / "page.json")
        for left in self.path.glob("**/.part-*"):
            left.unlink()
        for folder in self.path.glob("versions/*"):
            if (folder / "version.json").is_file():
                continue
            if all(
                (folder / name).is_file() for name in _OF_A_RUN
            ):  # a search wrote it whose page was killed
                self.finish(folder, {"stopped": True, "note": "The page was ended."})
            else:
                shutil.rmtree(folder, ignore_errors=True)

    def release_lock(self) -> None:
        """Leave the folder to the next page."""
        if self.lock is not None:
            self.lock.close()
            self.lock = None

    def remember(self, **state: Any) -> None:
        """Keep what is shown, so that it is so when the page opens again."""
        self.state |= state
        write(self.path / "page.json", json.dumps(self.state, indent=1))

    @property
    def settings(self) -> Path:
        """The settings file that the page shows."""
        return self.path / "settings.toml"

    def versions(self) -> list[Version]:
        """Return all runs that are done, the first one first."""
        found = []
        for folder in sorted(self.path.glob("versions/[0-9]*")):
            if about := read_json(folder / "version.json"):
                result = read_json(folder / "result.json") or about.get("result") or {}
                found.append(Version(int(folder.name), folder, about, result))
        return found

    def version(self, number: int | None = None) -> Version | None:
        """Return a version, or the last one."""
        found = self.versions()
        if number is None:
            return found[-1] if found else None
        return next((each for each in found if each.number == number), None)

    def new_version(self) -> Path:
        """Make the folder of the next version; it is none before ``finish``."""
        above = self.path / "versions"
        above.mkdir(mode=0o700, exist_ok=True)
        numbers = [int(p.name) for p in above.iterdir() if p.name.isdigit()]
        folder = above / f"{max(numbers, default=0) + 1:03}"
        folder.mkdir(mode=0o700)
        return folder

    def finish(self, folder: Path, about: dict[str, Any]) -> None:
        """Say that a version is whole."""
        made = {"made": time.strftime("%Y-%m-%d %H:%M")}
        write(folder / "version.json", json.dumps(made | about, indent=1))

    def retell(self, version: Version, **about: Any) -> None:
        """Change what is said of a version."""
        write(version.folder / "version.json", json.dumps(version.about | about))

    @contextmanager
    def receiving(self, name: str) -> Iterator[tuple[IO[bytes], Path]]:
        """Yield a file to write an upload to, and where it lies when it is whole."""
        above = self.path / "uploads"
        above.mkdir(mode=0o700, exist_ok=True)
        part = above / f".part-{secrets.token_hex(8)}"
        target = _free(above, safe_name(name))
        try:
            with part.open("xb") as file:
                yield file, target
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)


def _alive(owner: str) -> bool:
    if not owner.isdigit():
        return False
    try:
        os.kill(int(owner), 0)
    except OSError as error:
        return not isinstance(error, ProcessLookupError)
    return True


def _free(folder: Path, name: str) -> Path:
    """Return a path of about this name at which nothing lies."""
    stem, dot, ending = name.partition(".")
    found, number = folder / name, 1
    while found.exists() or found.is_symlink():
        number += 1
        found = folder / f"{stem}-{number}{dot}{ending}"
    return found


def safe_name(name: str) -> str:
    r"""Return the name of a file without folders, line breaks and what hides it.

    >>> safe_name("../../etc/pass\nwd.csv"), safe_name(".."), safe_name("C:\\a\\b.csv")
    ('pass_wd.csv', 'table', 'b.csv')
    """
    name = unicodedata.normalize("NFC", re.split(r"[/\\]", name)[-1])
    name = "".join("_" if unicodedata.category(c)[0] == "C" else c for c in name)
    name = name.strip().lstrip(".-") or "table"
    while len(name.encode()) > _LONGEST:
        stem, dot, ending = name.partition(".")
        name = stem[:-1] + dot + ending if stem else name[-20:]
    return name


def read_json(path: Path) -> dict[str, Any]:
    """Read an object; an empty one where the file has none."""
    with suppress(OSError, ValueError):
        found = json.loads(path.read_text("utf-8"))
        return found if isinstance(found, dict) else {}
    return {}


def write(path: Path, text: str) -> None:
    """Write a text whole or not at all, private to the user."""
    part = path.with_name(f".part-{secrets.token_hex(8)}")
    part.touch(0o600)
    part.write_text(text, encoding="utf-8", newline="")
    part.replace(path)
