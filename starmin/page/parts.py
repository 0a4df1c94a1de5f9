"""Parts of steps for which a command runs, and the numbers that stand beside all."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from starmin.page.commands import shown, words_of
from starmin.page.folder import PageError
from starmin.page.session import Session
from starmin.recipes.edit import reading
from starmin.report.page import NONE, in_percent

_WIDTH, _HEIGHT = 240, 48  # of a small histogram
_PICTURE = Markup(
    '<svg class="bins" role="img" aria-label="{}" viewBox="0 0 {} {}">{}</svg>'
)
_BAR = Markup(
    '<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}">'
    "<title>{}</title></rect>"
)


def coded(column: Mapping[str, Any], value: Any) -> str:
    """Write a value of a column, with its label where the file has one."""
    label = column.get("labels", {}).get(value)
    return f"{value} ({label})" if label else str(value)


def picture(column: Mapping[str, Any]) -> Markup:
    """Draw a histogram; a screen reader hears from where to where it goes."""
    bins: Sequence[Sequence[Any]] | None = column.get("bins")
    if not bins:
        return Markup("")
    most = max(each[2] for each in bins)
    step = _WIDTH / len(bins)
    ends = coded(column, bins[0][0]), coded(column, bins[-1][1])
    said = f"{column['name']}: {' to '.join(ends)}"
    parts = []
    for place, (first, last, rows) in enumerate(bins):
        high = max(1.0, rows / most * _HEIGHT)
        ends = coded(column, first), coded(column, last)
        what = f"{' to '.join(dict.fromkeys(ends))}: {rows:,} rows"
        bar = place * step, _HEIGHT - high, max(1.0, step - 1), high
        parts.append(_BAR.format(*bar, what))
    return _PICTURE.format(said, _WIDTH, _HEIGHT, Markup("").join(parts))


def beside_of(session: Session) -> dict[str, Any]:
    """Return the numbers that stand beside every step."""
    found: dict[str, Any] = {"rows": session.profile.get("rows"), "waits": False}
    if session.table and session.folder.settings.is_file():
        told = session.alone_so_far()
        found |= {key: told.get(key) for key in ("before", "alone", "within")}
        found["waits"] = not told
    if (last := session.folder.version()) is not None:
        told = {"hidden": "stars", "loss": "gcp", "least": "lower_bound"}
        told |= {"value": "value", "gap": "gap"}
        found |= {key: last.result.get(name) for key, name in told.items()}
        found["version"] = last.name
    return found


def _risk(session: Session, query: Mapping[str, str]) -> dict[str, Any]:
    found = session.commands.ask(session.risk_words(), session.key)
    columns = found.get("columns", [])
    known = [c for c in columns if c["name"] in found.get("qi", ())]
    return {"risk": found, "columns": columns, "known": known}


def _frontier(session: Session, query: Mapping[str, str]) -> dict[str, Any]:
    session.expect_quiet()
    found = session.commands.ask(session.frontier_words(), session.key)
    return {"points": found["points"]}


def _result(session: Session, query: Mapping[str, str]) -> dict[str, Any]:
    version = session.version(query)
    if not version.release.is_file():
        raise PageError(version.result.get("reason") or "There is no release.")
    found = session.differences(version)
    return {
        "found": found,
        "before": {c["name"]: c for c in session.columns},
        "first": session.profile.get("first", []),
        "names": [c["name"] for c in session.columns],
        "released": [c["name"] for c in found["columns"]],
        "same": version.about.get("table") == session.table,
    }


def _audit(session: Session, query: Mapping[str, str]) -> dict[str, Any]:
    version = session.version(query)
    words = session.audit_words(version)
    found = session.commands.ask(words, version.about.get("made", "-"))
    kinds = {k: v for k, v in found.items() if isinstance(v, dict)}
    return {"kinds": kinds, "command": shown(words)}


def _compare(session: Session, query: Mapping[str, str]) -> dict[str, Any]:
    pair = [session.version(query, key) for key in "ab"]
    found = [session.differences(each)["beside"]["columns"] for each in pair]
    names = list(dict.fromkeys([*found[0], *found[1]]))
    return {"pair": pair, "columns": found, "names": names}


def _changes(session: Session, query: Mapping[str, str]) -> dict[str, Any]:
    coming = session.folder.state.get("coming", "")
    if not coming:
        raise PageError("Choose the new file first.")
    settings = session.settings()
    words = ["new", coming, "--beside", session.table]
    found = session.commands.ask([*words, *words_of(reading(settings.told))])
    missing = found["beside"]["missing"]
    return {
        "found": found,
        "needed": [c for c in missing if settings.role(c) != "not published"],
        "told": settings,
    }


_ALL = _risk, _frontier, _result, _audit, _compare, _changes
PARTS: dict[str, Callable[[Session, Mapping[str, str]], dict[str, Any]]]
PARTS = {part.__name__.removeprefix("_"): part for part in _ALL}


def number(value: float | None) -> str:
    """Write a whole number, or a share of 1 in percent.

    >>> number(12345), number(0.1234), number(0.00001), number(None) == NONE
    ('12,345', '12.34 %', '< 0.01 %', True)
    """
    if value is None:
        return NONE
    return f"{value:,}" if isinstance(value, int) else in_percent(value)


def share(part: float | None, whole: float | None = 1) -> str:
    """Write a part of a whole in percent.

    >>> share(1, 8), share(0, 8), share(3, 0)
    ('12.50 %', '0 %', '0 %')
    """
    if part is None or whole is None:
        return NONE
    return number(part / whole if whole else 0.0)


FILTERS = {"number": number, "gap": share, "share": share}
