"""What the page has open: a table, its settings, and what commands said of them."""

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from starmin.page.commands import Commands, Search, shown, words_of
from starmin.page.folder import Folder, PageError, Version, write
from starmin.recipes.edit import Settings, join_names, proposed_by, reading

_INSTANCE = "instance:"
_SHORT = "--k 2,3,5,10 --time-limit 20"  # what is asked of a short frontier
_WRITTEN = {  # what a run writes, by option
    "out": "release.csv",
    "certificate": "certificate.json",
    "result": "result.json",
    "report": "report.html",
    "report-public": "public.html",
    "groups": "groups.csv",
}
_ATTACKER = "--model optimal --time-limit 20"
_BY_RULES = {"combinations", "rules"}


class Session:
    """One folder with a table and settings; all that the ten steps ask and change."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self.commands = Commands()
        self.profile: dict[str, Any] = {}
        self._now: tuple[str, dict[str, Any]] = "", {}
        with suppress(OSError, ValueError):
            kept = folder.path / "profile.json"
            self.profile = json.loads(kept.read_text("utf-8"))

    @property
    def table(self) -> str:
        """The table as commands name it; empty: none is open."""
        return str(self.folder.state.get("table", ""))

    @property
    def name(self) -> str:
        """What the table is called."""
        return self.table if self.table.startswith(_INSTANCE) else Path(self.table).name

    @property
    def columns(self) -> list[dict[str, Any]]:
        """What is known of each column."""
        found: list[dict[str, Any]] = self.profile.get("columns", [])
        return found

    def settings(self) -> Settings:
        """Return the settings as they are in the folder."""
        if not self.folder.settings.is_file():
            raise PageError("No table is open yet: choose one on the step Table.")
        why = {c["name"]: c["why"] for c in self.columns}
        return Settings(self.folder.settings, why)

    @property
    def proposed(self) -> dict[str, Any]:
        """What was proposed for the table, by parameter."""
        return proposed_by(self.folder.path / "proposal.toml")

    def open(self, source: str, options: Mapping[str, Any] | None = None) -> None:
        """Open a table, or a settings file for the next one; settings are proposed."""
        self._expect_quiet()
        source = self.located(source)
        if source.endswith(".toml"):
            self.open_settings(Path(source))
            return
        kept = self.folder.state.get("kept") and self.folder.settings.is_file()
        told = dict(options or {})
        if kept and options is None:
            told = reading(self.settings().told)
        found = self._read(source, told)
        proposal = self.folder.path / "proposal.toml"
        if not kept:
            shutil.copyfile(proposal, self.folder.settings)
        self._show(source, found)
        self.folder.remember(kept=False, options=told, joins={})

    def reread(self, options: Mapping[str, Any]) -> None:
        """Read the same file otherwise: roles stay where columns do."""
        self._expect_quiet()
        found = self._read(self.table, options)
        names = [c["name"] for c in found["columns"]]
        if names == [c["name"] for c in self.columns]:
            settings = self.settings()
            for name in ("sep", "encoding", "sheet", "missing"):
                settings.told.pop(name, None)
            told = proposed_by(self.folder.path / "proposal.toml")
            settings.told |= reading(told)
            if "missing" in told:
                settings.told["missing"] = told["missing"]
            settings.save()
        else:
            shutil.copyfile(self.folder.path / "proposal.toml", self.folder.settings)
        self._show(self.table, found)
        self.folder.remember(options=dict(options))

    def _read(self, source: str, options: Mapping[str, Any]) -> dict[str, Any]:
        self.commands.unfollow()
        out = self.folder.path / "proposal.toml"
        words = ["new", source, *words_of(options), "--out", str(out)]
        return self.commands.ask(words)

    def _show(self, source: str, found: Mapping[str, Any]) -> None:
        self.profile = dict(found)
        write(self.folder.path / "profile.json", json.dumps(found))
        self.folder.remember(table=source)

    def located(self, source: str) -> str:
        """Return a table as commands name it, wherever they run; it is there."""
        source = source.strip()
        if not source:
            raise PageError("Name a file, or choose one.")
        if source.startswith(_INSTANCE):
            return source
        path = Path(source).expanduser().absolute()
        if not path.exists():
            raise PageError(f"There is no file {source!r}.")
        return str(path)

    def open_settings(self, path: Path) -> None:
        """Take a settings file, with the files of hierarchies that it names."""
        self._expect_quiet()
        settings = Settings(path)
        settings.path = self.folder.settings  # files are named as from here
        settings.save()
        self.folder.remember(kept=True, joins={})

    def take_settings(self, version: Version) -> None:
        """Return to the settings of a version."""
        self._expect_quiet()
        settings = Settings(version.folder / "settings.toml")
        settings.path = self.folder.settings
        settings.save()
        table = version.about.get("table", "")
        if table and table != self.table:
            self.folder.remember(kept=True)
            self.open(table)

    def _expect_quiet(self) -> None:
        if self.commands.busy:
            raise PageError("A search runs: wait for it, or stop it on the step Run.")

    def words(self) -> list[str]:
        """Return the table with how it is read, as words of a command line."""
        told = reading(self.settings().told)
        return [self.table, *words_of(told)]

    @property
    def seen(self) -> str:
        """A word for the settings as they are, by which an older page is known."""
        file = self.folder.settings
        return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else ""

    @property
    def key(self) -> str:
        """What answers of commands on table and settings depend on."""
        parts = [self.folder.settings.read_bytes()]
        with suppress(OSError):
            about = Path(self.table).stat()
            parts.append(f"{about.st_mtime_ns} {about.st_size}".encode())
        hierarchies = sorted(self.folder.path.glob("hierarchies/*"))
        parts += [file.read_bytes() for file in hierarchies]
        return hashlib.sha256(b"\0".join(parts)).hexdigest()

    def alone(self, settings: Settings | None = None) -> dict[str, Any]:
        """Return how many people stand alone, by settings that need not be saved."""
        if settings is None:
            found = self.commands.alone(self.words(), self.folder.settings)
            self._now = self.key, found
            return found
        now = self.folder.path / ".now.toml"
        return self.commands.alone(self.words(), now, settings.text())

    def alone_so_far(self) -> dict[str, Any]:
        """Return it where it is known already: counting may have to read the table."""
        key, found = self._now
        return found if self.table and key == self.key else {}

    def risk_words(self) -> list[str]:
        """Return the command of the step Risk before."""
        report = str(self.folder.path / "risk.html")
        return ["risk", self.table, *_recipe(self.folder.path), "--report", report]

    def risk(self) -> dict[str, Any]:
        """Return the risk before anything is hidden."""
        return self.commands.ask(self.risk_words(), self.key)

    def frontier_words(self) -> list[str]:
        """Return the command that says what each k would cost."""
        return ["frontier", self.table, *_recipe(self.folder.path), *_SHORT.split()]

    def frontier(self) -> dict[str, Any]:
        """Return what each k would cost."""
        self._expect_quiet()
        return self.commands.ask(self.frontier_words(), self.key)

    def hierarchy_words(self, place: int) -> list[str]:
        """Return the command that makes the hierarchy of a column joined by hand."""
        column = self.columns[place]["name"]
        joins = self.joins(place)
        words = ["hierarchy"]
        for name, values in joins["groups"].items():
            words += ["--join", f"{name}={join_names(values)}"]
        if joins["rare"]:
            words += ["--rare", str(joins["rare"]), "--rest", joins["rest"]]
        told = words_of(reading(self.settings().told))
        words += [*told, "--out", str(self.hierarchy_file(place))]
        return [*words, "--", self.table, column]  # which may begin with a hyphen

    def joins(self, place: int) -> dict[str, Any]:
        """Return which values of a column are joined by hand."""
        every = self.folder.state.get("joins", {})
        found = every.get(str(place), {})
        return {"groups": {}, "rare": 0, "rest": "other", **found}

    def hierarchy_file(self, place: int) -> Path:
        """Return where the hierarchy of a column lies."""
        name = self.columns[place]["name"]
        plain = "".join(c if c.isascii() and c.isalnum() else "_" for c in name)[:40]
        return self.folder.path / "hierarchies" / f"{place + 1}_{plain}.csv"

    def join(self, place: int, joins: Mapping[str, Any]) -> dict[str, Any]:
        """Join values of a column by hand; the settings name the file."""
        settings, name = self.settings(), self.columns[place]["name"]
        file = self.hierarchy_file(place)
        file.parent.mkdir(mode=0o700, exist_ok=True)
        before = self.folder.state.get("joins", {})
        self.folder.remember(joins={**before, str(place): dict(joins)})
        if not joins["groups"] and not joins["rare"]:
            settings.say("hierarchy", name, "")
            settings.say("min_level", name, "")
            settings.save()
            return {}
        try:
            found = self.commands.ask(self.hierarchy_words(place))
        except PageError:
            self.folder.remember(joins=before)
            raise
        settings.set_ranged(name, False, {})
        settings.say("hierarchy", name, os.path.relpath(file))
        settings.say("min_level", name, "1")
        settings.save()
        return found

    def version(self, query: Mapping[str, str], key: str = "v") -> Version:
        """Return the version that an address or a form names."""
        number = query.get(key, "")
        found = self.folder.version(int(number) if number.isdigit() else None)
        if found is None:
            raise PageError("There is no such version.")
        return found

    def last(self, query: Mapping[str, str]) -> Version | None:
        """Return it, or the last one; None where there is none yet."""
        return self.version(query) if self.folder.versions() else None

    def solve_words(self, folder: Path, start: Version | None = None) -> list[str]:
        """Return the command of a run that writes into a folder."""
        words = ["solve", self.table, *_recipe(folder)]
        for option, name in _WRITTEN.items():
            words += [f"--{option}", str(folder / name)]
        told = self.settings().told
        if told.get("recoding") == "nonhomogeneous" or told.keys() & _BY_RULES:
            del words[-2:]  # it has no groups
        if start is not None:
            words += ["--initial", str(start.release)]
        return words

    def run(self, go_on: bool = False) -> None:
        """Start a run; ``go_on``: from the last release."""
        self._expect_quiet()
        settings = self.settings()
        start = None
        if go_on:
            start = self.folder.version()
            if start is None or not start.release.is_file():
                raise PageError("There is no release yet from which to go on.")
        folder = self.folder.new_version()
        # Files of hierarchies are copied: a version stays what it was.
        trees = dict(settings.told.get("hierarchy", {}))
        for column, named in trees.items():
            if column and Path(named).is_file():
                copied = shutil.copyfile(named, folder / Path(named).name)
                trees[column] = os.path.relpath(copied)
        settings.told |= {"hierarchy": trees} if trees else {}
        settings.path = folder / "settings.toml"
        if settings.told == self.settings().told:
            shutil.copyfile(self.folder.settings, settings.path)
        else:
            settings.save()
        words, lock = self.solve_words(folder, start), self.folder.lock
        held = None if lock is None else lock.fileno()
        self.commands.start(
            words, folder, held, lambda search: self._ended(search, folder)
        )

    def _ended(self, search: Search, folder: Path) -> None:
        """Keep what a run has written as a version, or nothing."""
        made = (folder / "release.csv").is_file()
        about = {
            "table": self.table,
            "command": shown(search.words),
            "seconds": round(search.seconds, 1),
            "stopped": search.stopped,
            "code": search.code,
            "said": [line for line in search.said if line.startswith("warning")][:20],
            "points": search.points[-400:],
        }
        if made or search.code == 1:
            self.folder.finish(folder, about | {"result": search.result})
        else:
            shutil.rmtree(folder, ignore_errors=True)

    def differences(self, version: Version) -> dict[str, Any]:
        """Return how a release differs from its table, by column, and first rows."""
        kept = version.folder / "beside.json"
        with suppress(OSError, ValueError):
            known = json.loads(kept.read_text("utf-8"))
            if isinstance(known, dict):
                return known
        told = reading(Settings(version.folder / "settings.toml").told)
        table = version.about.get("table", self.table)
        words = ["new", str(version.release), "--beside", table]
        found = self.commands.ask([*words, *words_of(told)])
        write(kept, json.dumps(found))
        return found

    def _checked(self, command: str, version: Version) -> list[str]:
        words = [command, str(version.release), *_recipe(version.folder)]
        return [*words, "--original", version.about.get("table", self.table)]

    def audit_words(self, version: Version) -> list[str]:
        """Return the command that says what an attacker infers."""
        return [*self._checked("audit", version), *_ATTACKER.split()]

    def verify_words(self, version: Version) -> list[str]:
        """Return the command that checks a release."""
        proof = version.file("certificate")
        words = self._checked("verify", version)
        return words + (["--certificate", str(proof)] if proof else [])

    def publish_words(self, version: Version, name: str, shuffle: bool) -> list[str]:
        """Return the command that writes a release once more, in another form."""
        groups = version.file("groups")
        if groups is None:
            raise PageError("This kind of release is written in its first form alone.")
        words = ["solve", version.about.get("table", self.table)]
        words += [*_recipe(version.folder), "--replay", str(groups), "--overwrite"]
        words += ["--out", str(version.folder / name)]
        return [*words, "--shuffle"] if shuffle else words

    def publish(self, version: Version, ending: str, shuffle: bool) -> list[str]:
        """Write a release in another form, or in secret order; return the command."""
        self._expect_quiet()
        name = f"release{'.shuffled' if shuffle else ''}{ending}"
        words = self.publish_words(version, name, shuffle)
        self.commands.ask(words)
        saved = [each for each in version.about.get("saved", ()) if each != name]
        self.folder.retell(version, saved=[*saved, name])
        return words

    def changes(self, source: str) -> dict[str, Any]:
        """Return what changed in a new file since the one that is open."""
        told = words_of(reading(self.settings().told))
        words = ["new", source, "--beside", self.table, *told]
        return self.commands.ask(words)

    def take_next(self, source: str) -> None:
        """Open a new file with the settings as they are."""
        self.folder.remember(kept=True)
        self.open(source)


def _recipe(folder: Path) -> list[str]:
    return ["--recipe", str(folder / "settings.toml")]
