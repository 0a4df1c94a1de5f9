"""The ten steps: what each shows, and what its form changes."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starmin.page.commands import shown
from starmin.page.folder import PageError, Version
from starmin.page.forms import Form
from starmin.page.session import Session
from starmin.recipes.edit import ROLES, Settings, offered, reading

Shown = dict[str, Any]
KEYS = {  # of settings files that a step has in its form, after its own
    "requirement": ("requirement", "defences"),
    "run": ("objective", "run"),
}
ENDINGS = ".csv", ".csv.gz", ".parquet", ".xlsx", ".tsv", ".dta", ".sav"


@dataclass(frozen=True)
class Step:
    """A step of the way: an address, and a template of the same name."""

    name: str
    title: str  # its heading
    show: Callable[[Session, Mapping[str, str]], Shown]
    # changes something by what was sent; returns an address to go to, or nothing: the
    # next step, where the button said so, or the same one
    take: Callable[[Session, Form], str | None]


def _table(session: Session, query: Mapping[str, str]) -> Shown:
    if not session.table:
        return {"command": shown(["new", "TABLE", "--out", "settings.toml"])}
    told, out = session.settings(), str(session.folder.settings)
    command = shown(["new", *session.words(), "--out", out])
    return {"command": command, "keys": offered("table"), "told": told}


def _take_table(session: Session, form: Form) -> str | None:
    if form.get("do") == "read":
        settings = session.settings()
        settings.fill(form, "table")
        session.reread(reading(settings.told))
        return None
    if form.get("do") == "open":
        given = form.files.get("file")
        session.open(str(given) if given else form.get("path", ""))
        return "/table"
    if not session.table:
        raise PageError("Open a table first.")
    return None


def _columns(session: Session, query: Mapping[str, str]) -> Shown:
    settings = session.settings()
    words = ["solve", session.table, "--recipe", str(session.folder.settings)]
    otherwise = session.alone_so_far().get("otherwise", {})
    found: Shown = {"told": settings, "roles": list(ROLES), "otherwise": otherwise}
    return found | {"command": shown(words)}


def fill_columns(session: Session, form: Form) -> Settings:
    """Return the settings with the roles of a form; nothing is saved."""
    settings, proposed = session.settings(), session.proposed
    chosen, at_once = form.chosen("select"), form.get("set_role", "")
    roles = {}
    for place, column in enumerate(session.columns):
        name, said = column["name"], form.get(f"role_{place}")
        if form.get("do") == "set" and str(place) in chosen and at_once:
            said = at_once
        if said is not None and said != settings.role(name):
            roles[name] = said
    # Roles that one column has are left before another one takes them.
    for column_name in roles:
        settings.set_roles({column_name: "not published"})
    settings.set_roles(roles)
    for place, column in enumerate(session.columns):
        name = column["name"]
        if f"role_{place}" in form and settings.role(name) == "known to others":
            settings.set_ranged(name, f"ranges_{place}" in form, proposed)
    return settings


def _take_columns(session: Session, form: Form) -> None:
    fill_columns(session, form).save()


def _stay(session: Session, form: Form) -> None:
    """Change nothing."""


def _broader(session: Session, query: Mapping[str, str]) -> Shown:
    settings = session.settings()
    known = [
        (place, column)
        for place, column in enumerate(session.columns)
        if settings.role(column["name"]) == "known to others"
    ]
    joins = {place: session.joins(place) for place, _ in known}
    hand = [p for p, j in joins.items() if j["groups"] or j["rare"]]
    words = ["risk", session.table, "--recipe", str(session.folder.settings)]
    return {
        "told": settings,
        "known": known,
        "joins": joins,
        "levels": session.folder.state.get("levels", {}),
        "commands": [shown(session.hierarchy_words(place)) for place in hand],
        "command": shown(session.hierarchy_words(hand[-1]) if hand else words),
    }


def fill_broader(session: Session, form: Form) -> Settings:
    """Return the settings with the steps of a form; nothing is saved."""
    settings = session.settings()
    for place, column in enumerate(session.columns):
        name = column["name"]
        for key in ("steps", "top", "bottom", "hierarchy", "min_level"):
            value = form.get(f"{key}_{place}")
            if value is None or value.strip() == settings.of(key, name):
                continue
            if key == "hierarchy" and not value.strip():
                settings.say("min_level", name, "")
            settings.say(key, name, value)
    return settings


def _take_broader(session: Session, form: Form) -> str | None:
    fill_broader(session, form).save()
    do, _, at = form.get("do", "").partition("_")
    if do not in ("join", "rare", "part", "file", "none") or not at.isdigit():
        return None
    place = int(at)
    if place >= len(session.columns):
        raise PageError("There is no such column.")
    joins = session.joins(place)
    name = session.columns[place]["name"]
    if do == "file":
        return _take_hierarchy(session, form, place)
    if do == "none":
        joins = {"groups": {}, "rare": 0, "rest": "other"}
    elif do == "join":
        called = form.get(f"name_{place}", "").strip()
        values = form.chosen(f"value_{place}")
        if not called or "=" in called:
            raise PageError("Give the joined values a name, without the sign =.")
        if len(values) < 2:
            raise PageError("Choose two values or more to join.")
        groups = {
            k: [v for v in vs if v not in values] for k, vs in joins["groups"].items()
        }
        groups[called] = [*groups.get(called, []), *values]
        joins["groups"] = {k: vs for k, vs in groups.items() if vs}
    elif do == "part":
        apart = form.get(f"apart_{place}", "")
        joins["groups"] = {k: v for k, v in joins["groups"].items() if k != apart}
    else:
        rare = form.get(f"rare_{place}", "0").strip() or "0"
        if not rare.isdigit():
            raise PageError(f"Rare: expected a whole number, got {rare!r}.")
        joins["rare"] = int(rare)
        joins["rest"] = form.get(f"rest_{place}", "").strip() or "other"
    found = session.join(place, joins)
    levels = session.folder.state.get("levels", {})
    session.folder.remember(levels={**levels, name: found.get("rows", [])})
    return f"/broader#column_{place}"


def _take_hierarchy(session: Session, form: Form, place: int) -> str:
    given = form.files.get(f"file_{place}")
    if given is None:
        raise PageError("Choose a file of ARX or sdcMicro first.")
    settings, name = session.settings(), session.columns[place]["name"]
    settings.set_ranged(name, False, {})
    settings.say("hierarchy", name, os.path.relpath(given))
    now = session.alone(settings)
    if "error" in now:
        given.unlink()
        raise PageError(now["error"])
    settings.save()
    return f"/broader#column_{place}"


def _requirement(session: Session, query: Mapping[str, str]) -> Shown:
    keys = {s: offered(s) for s in KEYS["requirement"]}
    command = shown(session.frontier_words())
    return {"told": session.settings(), "keys": keys, "command": command}


def _take_requirement(session: Session, form: Form) -> None:
    settings = session.settings()
    settings.fill(form, *KEYS["requirement"])
    if not {"k", "l", "rules", "combinations", "alpha", "t"} & settings.told.keys():
        raise PageError("Nothing is required: give k, l or another condition.")
    settings.save()


def _run(session: Session, query: Mapping[str, str]) -> Shown:
    search, last = session.commands.search, session.folder.version()
    coming = session.folder.path / "versions" / f"{last.number + 1 if last else 1:03}"
    words = search.words if search and session.commands.busy else None
    return {
        "told": session.settings(),
        "keys": {s: offered(s) for s in KEYS["run"]},
        "search": search,
        "busy": session.commands.busy,
        "last": last,
        "command": shown(words or session.solve_words(coming)),
    }


def _take_run(session: Session, form: Form) -> str | None:
    do, search = form.get("do", ""), session.commands.search
    if do == "stop":
        if search is not None:
            search.stop()
        return "/run"
    if "run.time-limit.there" in form and not session.commands.busy:
        settings = session.settings()
        settings.fill(form, *KEYS["run"])
        if settings.told.get("work_limit") is not None:
            settings.told.pop("time_limit", None)
        settings.save()
    if do in ("run", "go_on"):
        session.run(go_on=do == "go_on")
        return "/run"
    return None


def _result(session: Session, query: Mapping[str, str]) -> Shown:
    version = session.last(query)
    if version is None:
        return {"version": None, "command": "starmin verify RELEASE --original TABLE"}
    command = shown(session.verify_words(version))
    return {"version": version, "moved": _moved(version), "command": command}


def _moved(version: Version) -> tuple[float, float]:
    """Return when value or bound last moved, and how long the run took, in seconds."""
    last, seen = 0.0, (None, None)
    for point in version.about.get("points", []):
        now = point.get("value"), point.get("bound")
        if now != seen:
            last, seen = point.get("seconds", 0.0), now
    return last, version.result.get("runtime") or version.about.get("seconds") or 0


def _versions(session: Session, query: Mapping[str, str]) -> Shown:
    found = session.folder.versions()
    pair = [session.version(query, key) for key in "ab" if query.get(key)]
    pair = pair if len(pair) == 2 else []
    command = found[-1].about.get("command", "") if found else "starmin solve TABLE"
    return {"versions": found, "pair": pair, "command": command}


def _take_versions(session: Session, form: Form) -> str | None:
    do, _, at = form.get("do", "").partition("_")
    version = session.folder.version(int(at)) if at.isdigit() else None
    if do in ("name", "return") and version is None:
        raise PageError("There is no such version.")
    if version is not None and do == "name":
        name, note = form.get(f"name_{at}", "")[:200], form.get(f"note_{at}", "")[:2000]
        session.folder.retell(version, name=name.strip(), note=note.strip())
        return "/versions"
    if version is not None and do == "return":
        session.return_to(version)
        return "/columns"
    return None


def _save(session: Session, query: Mapping[str, str]) -> Shown:
    version = session.last(query)
    command = version.about.get("command", "") if version else "starmin solve TABLE"
    if version and query.get("name") in version.about.get("saved", ()):
        shuffled = ".shuffled" in query["name"]
        command = shown(session.publish_words(version, query["name"], shuffled))
    return {"version": version, "endings": ENDINGS, "command": command}


def _take_save(session: Session, form: Form) -> str | None:
    if form.get("do") != "publish":
        return None
    version = session.version(form)
    ending = form.get("ending", ".csv")
    if ending not in ENDINGS:
        raise PageError(f"{ending!r} is no format that is known here.")
    shuffle = "shuffle" in form
    words = session.publish(version, ending, shuffle)
    name = Path(words[words.index("--out") + 1]).name
    return f"/save?v={version.number}&name={name}"


def _next(session: Session, query: Mapping[str, str]) -> Shown:
    coming = session.folder.state.get("coming", "")
    words = ["new", coming or "NEXT", "--beside", session.table or "TABLE", "--json"]
    return {"coming": coming, "command": shown(words)}


def _take_next(session: Session, form: Form) -> str | None:
    if form.get("do") == "look":
        given = form.files.get("file")
        source = session.located(str(given) if given else form.get("path", ""))
        session.folder.remember(coming=source)
        return "/next"
    if form.get("do") == "take":
        coming = session.folder.state.get("coming", "")
        if not coming or form.get("path", coming).strip() != coming:
            raise PageError("Look first what changed in this file.")
        session.take_next(coming)
        session.folder.remember(coming="")
        return "/table"
    return None


STEPS = (
    Step("table", "Table", _table, _take_table),
    Step("columns", "Columns", _columns, _take_columns),
    Step("risk", "Risk before", lambda s, _: {"command": shown(s.risk_words())}, _stay),
    Step("broader", "Broader values", _broader, _take_broader),
    Step("requirement", "Requirement", _requirement, _take_requirement),
    Step("run", "Run", _run, _take_run),
    Step("result", "Result", _result, _stay),
    Step("versions", "Versions", _versions, _take_versions),
    Step("save", "Save", _save, _take_save),
    Step("next", "Next month", _next, _take_next),
)
BY_NAME = {step.name: step for step in STEPS}


def after(name: str) -> str:
    """Return the address of the next step."""
    names = [step.name for step in STEPS]
    return "/" + names[min(names.index(name) + 1, len(names) - 1)]
