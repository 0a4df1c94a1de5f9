"""How the times of a column are written, found from its texts."""

import re
from collections import Counter
from collections.abc import Sequence

from starmin.instances.times.calendar_format import FORMS, CalendarFormat, Duration
from starmin.instances.times.signs import ZONE, Notation, with_last_year

_ISO = re.compile(
    r"(?P<Y>[0-9]{4})-(?:(?P<q>Q[1-4])|(?P<m>[0-9]{2})(?:-(?P<d>[0-9]{2})"
    r"(?:(?P<T>[T ])(?P<H>[0-9]{2}):[0-9]{2}(?P<S>:[0-9]{2}(?:\.[0-9]{1,9})?)?"
    rf"(?P<z>{ZONE})?)?)?)",
    re.ASCII,
)
_QUARTER = re.compile(r"[0-9]{4}Q[1-4]", re.ASCII)  # as pandas writes it
_CLOCK = re.compile(
    r"(?:[01][0-9]|2[0-3]):[0-9]{2}(?P<S>:[0-9]{2}(?:\.[0-9]{1,9})?)?"
    rf"(?P<z>{ZONE})?",
    re.ASCII,
)
# Orders of day, month and year that people write, none of them ISO 8601.
_OTHERS = tuple(
    form.replace("-", mark)
    for mark in "./-"
    for form in ("%d-%m-%Y", "%m-%d-%Y", "%Y-%m-%d", "%d-%m-%y", "%m-%d-%y")
)
_OTHERS += tuple(f"{form} {c}" for form in _OTHERS for c in ("%H:%M", "%H:%M:%S"))
_OTHERS += ("%d %b %Y", "%d-%b-%Y", "%d%b%Y", "%b %d, %Y", "%d %B %Y", "%B %d, %Y")
_OTHERS += ("%d-%b-%y", "%I:%M %p", "%I:%M:%S %p", "%m/%Y", "%m.%Y", "%b %Y", "%B %Y")


def written_as(text: str) -> str | None:
    """Return the name of the notation of one text; None if it is no such time.

    >>> written_as("2024-05-31T07:00Z"), written_as("2024-Q2"), written_as("25:00")
    ('%Y-%m-%dT%H:%M%z', '%Y-Q%q', 'duration:clock')
    >>> written_as("31.05.2024")
    """
    if found := _ISO.fullmatch(text):
        if found["q"]:
            return "%Y-Q%q"
        if not found["d"]:
            return "%Y-%m"
        clock = f"{found['T']}%H:%M" if found["T"] else ""
        return "%Y-%m-%d" + clock + _seconds(found)
    if _QUARTER.fullmatch(text):
        return "%YQ%q"
    if found := _CLOCK.fullmatch(text):
        return "%H:%M" + _seconds(found)
    for name, form in FORMS.items():
        if form.fullmatch(text):
            return f"duration:{name}"
    return None


def _seconds(found: re.Match[str]) -> str:
    return (":%S.%f" if found["S"] else "") + ("%z" if found["z"] else "")


def form_for(texts: Sequence[str], declared: str | None) -> str | None:
    """Return the form of times that was declared, where it is that of the texts.

    Where no text is written so, but some are as ISO 8601 has times, as those of typed
    columns are, it is left out. Two digits of years get the last one.

    >>> form_for(["2024-05-31"], "%d.%m.%Y"), form_for(["31.05.24"], "%d.%m.%y")
    (None, '%d.%m.%y to 2073')
    """
    if declared is None or declared.startswith("duration"):
        return declared
    fits = CalendarFormat(declared).read
    if any(fits(text) is not None for text in texts) or not any(map(written_as, texts)):
        return with_last_year(declared, texts)
    return None


def notation_of(
    texts: Sequence[str], declared: str | None = None
) -> tuple[Notation | None, int]:
    """Return how most texts are written, and the place of the first one that is not.

    ``texts`` are those of a column, without missing values; ``declared`` is the signs,
    or the name, of a notation, which is taken, and None where it is to be found out.
    The notation is None, and the place 0, where they are no times; the place is -1
    where all are written so. Raises TableError where what is declared makes no times.

    >>> notation_of(["2024-05-31", "2024-06-01"])
    (CalendarFormat(text='%Y-%m-%d', digits=0, zone=''), -1)
    >>> notation_of(["31.5.2024", "May"], "%d.%m.%Y")[1]
    1
    """
    declared = form_for(texts, declared)
    if declared is None:
        names = Counter(map(written_as, texts))
        if names["duration:clock"] and not names["duration:days"]:
            # 23:59 may be a length, too, beside one of 24 hours and more.
            times = [n for n in names if n and not n.endswith("%z") and n[:3] == "%H:"]
            for name in times:
                names["duration:clock"] += names.pop(name)
        del names[None]
        if not names:
            return None, 0
        declared = str(names.most_common(1)[0][0])
    notation = named(declared).fitted(list(texts))
    for place, text in enumerate(texts):
        if notation.read(text) is None:
            return notation, place
    return notation, -1


def named(text: str) -> Notation:
    """Return the notation of a name.

    Raises TableError where there is none.
    """
    if text.partition(":")[0] == "duration" and text.partition(":")[2] in FORMS:
        return Duration(text)
    return CalendarFormat(text)


def likely_forms(texts: Sequence[str]) -> list[str]:
    """Return formats in which all texts may be meant.

    >>> likely_forms(["3.4.2024", "31.5.2024"]), likely_forms(["3/4/2024"])
    (['%d.%m.%Y'], ['%d/%m/%Y', '%m/%d/%Y'])
    """
    if not texts:
        return []
    found = []
    for form in _OTHERS:
        notation = CalendarFormat(form)
        if all(notation.read(text) is not None for text in texts):
            found.append(form)
    return found
