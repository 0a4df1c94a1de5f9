"""Build taxonomies from values: by prefixes, by ranges, by dates, by what fits."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from itertools import accumulate
from typing import Any

from starmin.instances.errors import TableError
from starmin.instances.scales.missing import MISSING, split_missing
from starmin.instances.scales.numbers import NUMBER
from starmin.instances.scales.taxonomies.taxonomy import ROOT, Taxonomy
from starmin.instances.times.recognise import named, written_as
from starmin.instances.times.signs import full_year, parted, told_years, with_last_year

Text = str | None

_OF_MONTHS = ("%Y-%m", "%Y-Q%q", "%YQ%q")
_DIGITS = 100  # of numbers that are computed with exactly
_PERIODS: dict[str, Callable[[date], str]] = {
    "day": lambda d: f"{d.year:04}-{d.month:02}-{d.day:02}",
    "month": lambda d: f"{d.year:04}-{d.month:02}",
    "quarter": lambda d: f"{d.year:04}-Q{(d.month + 2) // 3}",
    "year": lambda d: f"{d.year:04}",
    "decade": lambda d: f"{d.year // 10:03}0s",
    "century": lambda d: f"{d.year // 100:02}xx",
}
PERIODS = tuple(_PERIODS)


def prefix_taxonomy(
    values: Iterable[Any],
    lengths: Sequence[int],
    missing: Iterable[Text] = MISSING,
    name: str = "taxonomy",
) -> Taxonomy:
    """Return the tree of codes that are joined by what they begin with.

    Errors call it ``name``. Raises TableError: lengths that do not descend, or a value
    that is written like a node.

    Parameters
    ----------
    values
        Codes, as postal codes, or a typed column of them; each becomes a leaf.
    lengths
        Of the prefixes, the longest first. A code that is not longer than a prefix,
        and that no other code begins with, stays as it is.
    missing
        Values that are leaves directly below the root.

    Examples
    --------
    >>> prefix_taxonomy(["12345", "12399", "?"], [3, 1]).paths
    [('12345', '123*', '1*', '*'), ('12399', '123*', '1*', '*'), ('?', '*', '*', '*')]
    """
    if not lengths or min(lengths) < 1 or list(lengths) != sorted(set(lengths))[::-1]:
        raise TableError(
            f"{name}: expected lengths of prefixes, the longest first, as 5,3,1; got "
            f"{','.join(map(str, lengths))}"
        )
    codes, unknown = split_missing(texts_of(values, name), missing)
    cut = {code[:length] for code in codes for length in lengths if len(code) > length}

    def node(code: str, length: int) -> str:
        prefix = code[:length]
        return f"{prefix}*" if len(prefix) == length and prefix in cut else code

    paths = [(code, *(node(code, length) for length in lengths)) for code in codes]
    paths.sort(key=lambda path: path[::-1])
    return tree_of(paths, unknown, name)


def joined_taxonomy(
    values: Iterable[Any],
    joined: Mapping[str, Sequence[str]],
    missing: Iterable[Text] = MISSING,
    name: str = "taxonomy",
) -> Taxonomy:
    """Return the tree of one level of values that are joined by hand, by their name.

    Values that are not joined stay as they are below the root. Raises TableError for a
    value that is not there, or is joined twice.

    >>> joined_taxonomy(["cat", "dog", "rat"], {"pet": ["dog", "cat"]}).paths
    [('cat', 'pet', '*'), ('dog', 'pet', '*'), ('rat', 'rat', '*')]
    """
    texts, unknown = split_missing(texts_of(values, name), missing)
    known, above = {*texts}, dict[str, str]()
    for node, members in joined.items():
        for text in members:
            if text not in known:
                raise TableError(f"{name}: no value {text!r} to join as {node!r}")
            if above.setdefault(text, node) != node:
                raise TableError(f"{name}: {text!r} is joined twice; name it once")
    paths = [(text, above.get(text, text)) for text in texts]
    paths.sort(key=lambda path: path[::-1])
    return tree_of(paths, unknown, name)


def date_taxonomy(
    values: Iterable[Any],
    periods: Sequence[str],
    form: str | None = None,
    missing: Iterable[Text] = MISSING,
    name: str = "taxonomy",
) -> Taxonomy:
    """Return the tree of dates that are joined by periods, as months and years.

    Errors call it ``name``. Raises TableError: a value that is no such date, or an
    unknown period, or another order.

    Parameters
    ----------
    values
        Dates, as text or typed, as a column of a frame.
    periods
        Some of day, month, quarter, year, decade, century, in this order.
    form
        How dates are written, in the signs of ``strptime``, as ``%d.%m.%Y``, or
        ``%d.%m.%y to 2026`` for years of two digits, with the last one; default: ISO
        8601, with or without a time of day, as typed values have it in any case.
    missing
        Values that are leaves directly below the root.

    Examples
    --------
    >>> date_taxonomy(["2024-05-31"], ["month", "year"]).paths
    [('2024-05-31', '2024-05', '2024', '*')]
    >>> date_taxonomy(["31.5.24", "1.5.65"], ["quarter"], "%d.%m.%y").paths
    [('1.5.65', '1965-Q2', '*'), ('31.5.24', '2024-Q2', '*')]
    >>> date_taxonomy([date(2024, 5, 31)], ["year"]).paths
    [('2024-05-31', '2024', '*')]
    """
    order = [PERIODS.index(period) if period in PERIODS else -1 for period in periods]
    if not order or min(order) < 0 or order != sorted(set(order)):
        raise TableError(
            f"{name}: expected some of {','.join(PERIODS)}, in this order; got "
            f"{','.join(periods)}"
        )
    texts, unknown = split_missing(texts_of(values, name), missing)
    line = None
    if form is not None and not any(_is_date(text, form) for text in texts):
        form = None if any(_is_date(text, None) for text in texts) else form
    if form is not None and "%y" in form:
        line = told_years(form, texts)
        form = with_last_year(form, texts)
    found = {text: _date(text, form, name) for text in texts}
    ordered = sorted(found.items(), key=lambda item: (item[1].isoformat(), item[0]))
    paths = [
        (text, *(_PERIODS[period](d) for period in periods)) for text, d in ordered
    ]
    tree = tree_of(paths, unknown, name)
    return replace(tree, told=(f"{name}: {line}",)) if line else tree


def _is_date(text: str, form: str | None) -> bool:
    try:
        _date(text, form, "")
    except TableError:
        return False
    return True


def _date(text: str, form: str | None, name: str) -> datetime:
    try:
        if form is None:
            return datetime.fromisoformat(text)
        signs, last = parted(form)
        found = datetime.strptime(text, signs)
        if last is None:
            return found
        return found.replace(year=full_year(found.year % 100, last))
    except ValueError:
        months = written_as(text) if form is None else None
        if months in _OF_MONTHS and (month := named(months).read(text)) is not None:
            return datetime(month // 12, month % 12 + 1, 1)
        expected = f"a date of the form {form}" if form else "a date as 2024-05-31"
        raise TableError(f"{name}: expected {expected}, got {text!r}") from None


def to_number(text: str, name: str) -> Decimal:
    """Return a number as it is written.

    Raises TableError where the text is no number, or a very long one.
    """
    if not re.fullmatch(NUMBER, text) or len(text) > _DIGITS // 2:
        raise TableError(f"{name}: expected a number as 42 or -1.5, got {text!r}")
    return Decimal(text)


def plain(number: Decimal) -> str:
    """Return a number without an exponent and without zeros at its end."""
    text = format(abs(number) if number == 0 else number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def tree_of(
    paths: Iterable[Sequence[str]], unknown: Sequence[Text], name: str
) -> Taxonomy:
    """Return the tree of paths of one length below a root, missing values beside."""
    below = [tuple(path) for path in paths]
    height = len(below[0]) if below else 1
    apart = {value or "": None for value in unknown}
    rows = [(*path, ROOT) for path in below]
    return Taxonomy([*rows, *((value, *[ROOT] * height) for value in apart)], name)


def texts_of(values: Iterable[Any], name: str) -> list[Text]:
    """Return the texts of values, which may be typed."""
    from starmin.instances.io.read import as_texts  # not before: it loads Arrow

    return as_texts(values, name)


# A taxonomy for a column of which nothing is known but its cells.

_MOST_HALVINGS = 6  # so that there are at most 64 ranges


def infer_taxonomy(
    counts: Mapping[Text, int],
    missing: Iterable[Text] = MISSING,
    name: str = "taxonomy",
) -> Taxonomy:
    """Return a tree that the values of a column suggest.

    Numbers are halved again and again, up to 64 ranges, so that either half has about
    as many rows. Codes, which are texts of one length without blanks, or digits with a
    zero in front, are joined by their prefixes of those lengths at which at least half
    of the nodes of the level below are gone. All others are joined by the root alone.

    ``counts`` tells for each value in how many rows it is; those that are ``missing``
    are leaves directly below the root. Errors call the tree ``name``.

    Examples
    --------
    >>> for path in infer_taxonomy({"1": 3, "2": 1, "5": 1, "9": 3}).paths:
    ...     print(path)
    ('1', '1-2', '*')
    ('2', '1-2', '*')
    ('5', '5-9', '*')
    ('9', '5-9', '*')
    >>> infer_taxonomy({"a1": 1, "a2": 1, "b1": 1, "b2": 1}).paths[0]
    ('a1', 'a*', '*')
    """
    texts, unknown = split_missing(counts, missing)
    if lengths := prefix_lengths(texts):
        return prefix_taxonomy(counts, lengths, missing, name)
    paths: list[tuple[str, ...]] = [(text,) for text in sorted(texts)]
    if texts and all(re.fullmatch(NUMBER, text) for text in texts):
        paths = _halved(texts, counts, name)
    return tree_of(paths, unknown, name)


def prefix_lengths(texts: Sequence[str], coded: bool = False) -> list[int]:
    """Find the lengths of prefixes that join codes, the longest first.

    Numbers count as codes where one begins with 0, or where they are known to be.

    >>> prefix_lengths(["021", "022", "101", "102"]), prefix_lengths(["7", "12"])
    ([2], [])
    """
    length = len(texts[0]) if texts else 0
    if any(len(text) != length or re.search(r"\s", text) for text in texts):
        return []
    numbers = all(re.fullmatch(NUMBER, text) for text in texts)
    if numbers and not coded and not any(re.match(r"0\d", text) for text in texts):
        return []
    lengths, nodes = [], len(texts)
    for at in range(length - 1, 0, -1):
        joined = len({text[:at] for text in texts})
        if 2 <= joined <= nodes / 2:
            lengths.append(at)
            nodes = joined
    return lengths


def _halved(
    texts: Sequence[str], counts: Mapping[Text, int], name: str
) -> list[tuple[str, ...]]:
    """Return paths, leaf first, without the root: ranges halved by their rows."""
    numbers = {text: to_number(text, name) for text in texts}
    values = sorted(set(numbers.values()))
    rows, texts_of = dict.fromkeys(values, 0), Counter(numbers.values())
    for text, number in numbers.items():
        rows[number] += counts[text]
    upto = [0, *accumulate(rows[value] for value in values)]
    signed = values[0] < 0

    def node(low: int, end: int) -> str:
        a, b = plain(values[low]), plain(values[end - 1])
        return f"[{a}, {b}]" if signed else f"{a}-{b}"

    # For each value its ranges, the widest first, which is all there is: no node.
    above: list[list[str]] = [[] for _ in values]
    waiting = [(0, len(values), _MOST_HALVINGS)]
    while waiting:
        low, end, halvings = waiting.pop()
        several = end - low > 1 or texts_of[values[low]] > 1
        if several and halvings < _MOST_HALVINGS:
            for at in range(low, end):
                above[at].append(node(low, end))
        if end - low > 2 and halvings:
            middle = (upto[low] + upto[end]) / 2
            cut = min(range(low + 1, end), key=lambda at: abs(upto[at] - middle))
            waiting += [(low, cut, halvings - 1), (cut, end, halvings - 1)]
    path_of = dict(zip(values, above, strict=True))
    most = max(map(len, above))
    ordered = sorted(texts, key=lambda text: (numbers[text], text))
    paths = [path_of[numbers[text]] for text in ordered]
    return [
        (text, *[text] * (most - len(path)), *reversed(path))
        for text, path in zip(ordered, paths, strict=True)
    ]
