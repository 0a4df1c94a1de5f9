"""The arguments of ``starmin.solve`` and its sisters: their names, and their checks."""

import re
import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import wraps
from inspect import Parameter, Signature, cleandoc, signature
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar, cast, get_type_hints

from starmin.inputs.option_groups import in_python
from starmin.instances import Objective, Progress, Requirement
from starmin.instances.arguments import expect_kind, nearest, plain
from starmin.instances.releases.coding import RecodingName
from starmin.instances.releases.objective_kinds import ObjectiveName
from starmin.instances.requirements.office_rules import Semantics
from starmin.instances.requirements.requirements import options
from starmin.instances.scales.missing import MISSING
from starmin.instances.scales.node_losses import Loss
from starmin.instances.scales.range_notation import RangeStyle
from starmin.registry import METHODS

Goal: TypeAlias = Objective | ObjectiveName
OnProgress: TypeAlias = Callable[[Progress], object]
ByColumn: TypeAlias = Mapping[str, float | str]
Widths: TypeAlias = Mapping[str, tuple[float | None, float | None] | str]

# What functions take: one table, in groups, each name with its type and what it says.


class FirstWords(TypedDict, total=False):
    """What stands in front.

    k, l
        k-anonymity, l-diversity, or both.
    qi
        The quasi-identifiers; default: all columns that are neither sensitive nor
        dropped; a ``Table`` has its own.
    sensitive
        The sensitive column, or several; a ``Table`` has its own.
    recoding
        ``suppression`` (stars), ``generalization`` (ranges and nodes of hierarchies),
        ``permutation`` (sensitive values apart) or ``nonhomogeneous`` (stars for each
        row by itself). Default: generalization where ``numeric`` or ``hierarchy`` are
        given, else suppression.
    numeric
        Columns of numbers or times that are generalized to ranges; default: for
        generalization, those of such types in a frame that have no hierarchy.
    hierarchy
        By column a Taxonomy, a file in ARX's form, a rule as ``"prefix:3,1"``, a nested
        dict, a list of widths of ranges as ``[5, 10]``, or a frame of levels; or a
        folder of files.
    objective
        ``stars``, ``tuples``, ``gcp`` or an Objective. Default: ``gcp`` for
        generalization, else ``stars``.
    method
        A name of ``methods()``; ``auto`` takes what fits.
    time_limit
        Seconds; default: 300 for ``auto``, none for a named method. A method that takes
        none runs to its end, with a warning.
    """

    k: int | None
    l: int | None
    qi: Sequence[str] | None
    sensitive: str | Sequence[str] | None
    recoding: RecodingName | None
    numeric: Collection[str] | None
    hierarchy: Any
    objective: Goal | None
    method: str
    time_limit: float | None


class ColumnWords(TypedDict, total=False):
    """What columns are for, and how their cells are read.

    drop
        Columns that are left out of the release.
    unchanged, weight
        Columns that are published as they are on purpose, without a warning, and the
        one of sampling weights: no quasi-identifiers by default.
    missing
        What else than a missing cell stands for a missing value.
    date_format
        By column of text in ``numeric``: how its times are written, in the signs of
        ``strptime``; default: ISO 8601.
    sets
        By column of text whose cells hold several values: what separates them. Cells
        with the same values, in whatever order, are published alike.
    recipe
        A settings file, as ``starmin new`` proposes: what it tells holds where no
        argument says otherwise, column by column. What it says of files is left out.
    """

    drop: Collection[str]
    unchanged: Collection[str]
    weight: str | None
    missing: Collection[str | None]
    date_format: Mapping[str, str] | None
    sets: Mapping[str, str] | None
    recipe: Path | str | None


class RequirementWords(TypedDict, total=False):
    """What is required of groups beside k and l.

    diversity, c
        The form of l-diversity; ``c`` is that of the recursive one.
    alpha
        No sensitive value in more than this share of the rows of a group.
    t, distance
        t-closeness, and the distance between sensitive values.
    k_column
        The column with the number of rows that each row asks for.
    person, household
        The column with the id of each row's person, or household: these are counted
        instead of rows. It is not published.
    pseudonym
        Publish the ids of persons numbered anew at random; then all rows of a person
        are published alike.
    alike
        Columns that all rows of a household are published alike in, as what they have
        in common where they differ. Default: what is constant in each household.
    combinations, rules, strata, linked, missing_hidden, semantics
        Rules of statistical offices, by which each row has stars of its own: every
        combination of so many columns at least k times (``3``, ``{1: 20, 2: 10}``);
        sets of columns with their k, or a file of them; columns within whose values
        rows are counted; sets of columns that are starred together; whether missing
        cells count as hidden already; and whether ``source``, ``shown`` or ``classes``
        count.
    population, population_count
        A frame or file of people: what a row shows of the columns of a rule fits at
        least k of them (k-map); and its column of how many people a row stands for.
    requirement
        A further one, joined to these.
    missing_sensitive
        What a missing sensitive value (a missing or empty cell, or ``?``) counts as:
        one more ``value``; ``any`` value, so that what is required holds whatever it
        is; or ``none``, for nobody. With other marks: a requirement ``MissingValues``.
    delete_rows
        Whether rows may be deleted: at the price of a row that shows nothing (True), or
        at a price of so many stars; for ``gcp`` times what such a row loses. For
        k-anonymity and diversity by frequency, published by suppression.
    within
        An earlier release of the same rows in the same order, or its frame: each class
        is a union of its classes, so that both together tell no more than it does.
    """

    diversity: Literal["frequency", "distinct", "entropy", "recursive"]
    c: float | None
    alpha: float | None
    t: float | None
    distance: Literal["equal", "ordered", "hierarchical"] | None
    k_column: str | None
    person: str | None
    household: str | None
    pseudonym: bool
    alike: Sequence[str] | None
    combinations: int | str | Mapping[int, int] | None
    rules: Sequence[tuple[Sequence[str], int]] | Path | str | None
    strata: Sequence[str] | None
    linked: Sequence[str | Sequence[str]] | None
    missing_hidden: bool
    semantics: Semantics | None
    population: Any
    population_count: str | None
    requirement: Requirement | None
    missing_sensitive: Literal["value", "any", "none"]
    delete_rows: bool | int | float | str | None
    within: Any


class RangeWords(TypedDict, total=False):
    """How far ranges and hierarchies go, and what a cell costs.

    round, max_level
        By column of numbers: ranges begin and end at multiples; of times: at those of
        a period, as ``month`` or ``15minute``. By column with a hierarchy: the highest
        level whose nodes are published.
    width
        By column of numbers: the least and the greatest length of ranges, each a
        number or None, or of times a text as ``7day..30day``. Shorter ranges are
        widened; for longer ones a star is published.
    min_level, top, bottom
        What is never published, whoever is in a group. By column with a hierarchy: the
        least level whose nodes are published. By column of numbers: from which on, or
        up to which, all are published alike, as ``90+`` or ``<=18``.
    star
        The symbol of a suppressed cell.
    loss
        For ``gcp`` what it counts of a node: ``ncp``, ``granularity``, ``stars``, or
        losses by column and node.
    weights, keep
        Cost of a star by column; columns that are not to be touched.
    """

    round: ByColumn | None
    width: Widths | None
    max_level: Mapping[str, int] | None
    min_level: Mapping[str, int] | None
    top: ByColumn | None
    bottom: ByColumn | None
    star: str
    loss: Loss | Mapping[str, Mapping[str, float]] | None
    weights: Mapping[str, int] | None
    keep: Collection[str]


class BoundWords(TypedDict, total=False):
    """How a search goes about its work, and what ends it.

    patience
        The search ends after so many seconds without a better value or bound.
    workers
        How many cores the search may use; default: all that there are.
    on_progress
        Called with a ``Progress`` at each improvement and at each new step, one call
        at a time. Where it returns a true value the search ends, and what was found is
        returned; what it raises ends the search and is raised.
    display
        Show the progress on stderr: a live line in a terminal or a notebook, else a
        line (time, value, bound, gap, what is running) at each improvement. Default:
        the live line alone, of a search that takes longer than two seconds.
    """

    patience: float | None
    workers: int | None
    on_progress: OnProgress | None
    display: bool | None


class SearchWords(BoundWords, total=False):
    """How a release is searched for, and what is hidden after the search.

    gap
        The search ends where the gap is no larger: 0.01 for one per cent. Default: 0,
        and 1e-6 for losses.
    seed
        Of whatever is random; default: 0. A method without randomness warns of one.
    work_limit
        Units of work instead of seconds: the same table, arguments and version then
        give the same release. A million take about a second of one core.
    initial
        A release to start from; it may be an earlier result of the same table.
    pad, margin, decoys
        Defences against who knows how releases are made
        (``docs/explanation/attacks.md``): hide more of classes that closure tells in
        full; solve l + ``margin`` for a promise of l; hide a row of so large a share of
        the distinct rows that could be published whole, drawn in secret. The value
        counts what they hide; bound and certificate are of the problem without ``pad``
        and ``decoys``. ``defences`` of the result says what was done.
    options
        Further arguments of the method, by name.
    """

    gap: float | None
    seed: int | None
    work_limit: int | None
    initial: Any
    pad: bool
    margin: int
    decoys: float
    options: Mapping[str, Any] | None


class FrameWords(TypedDict, total=False):
    """How the frame of a release is written.

    stars
        ``"missing"`` makes a suppressed cell a missing one.
    intervals
        Ranges of numbers as values instead of text.
    shuffle
        Publish the rows in a random order, numbered anew.
    """

    stars: Literal["text", "missing"]
    intervals: bool
    shuffle: bool


class ReleaseWords(TypedDict, total=False):
    """How a release that is read was made, and of what.

    original
        The table or frame it was made of: compared cell by cell, if given.
    range_style
        How ranges of numbers are written: as ``ours`` (``[35-45]``), ``arx``
        (``[15, 20[``, ``>=90``), ``pandas`` (``(19.9, 29.0]``), ``sdcmicro``
        (``(15,20]``, ``20-29``), or ``auto``: any of them.
    """

    original: Any
    range_style: RangeStyle


GROUPS = (
    *(FirstWords, ColumnWords, RequirementWords, RangeWords, BoundWords),
    *(SearchWords, FrameWords, ReleaseWords),
)


class AskedWords(ColumnWords, RequirementWords, RangeWords, total=False):
    """What may be asked of a table."""


class BoundingWords(AskedWords, BoundWords, total=False):
    """What ``bound`` takes."""


class SolveWords(AskedWords, SearchWords, total=False):
    """What ``solve`` takes."""


class AnonymizeWords(SolveWords, FrameWords, total=False):
    """What ``anonymize`` takes."""


class VerifyWords(AskedWords, ReleaseWords, total=False):
    """What ``verify`` takes."""


# What holds where nothing is said, if it is not None.
USUAL: dict[str, Any] = {
    "method": "auto",
    "drop": (),
    "unchanged": (),
    "keep": (),
    "missing": MISSING,
    "star": "*",
    "diversity": "frequency",
    "missing_sensitive": "value",
    "pseudonym": False,
    "missing_hidden": False,
    "pad": False,
    "margin": 0,
    "decoys": 0.0,
    "stars": "text",
    "intervals": False,
    "shuffle": False,
    "range_style": "auto",
}
_FORMER = {"rounding": "round", "hierarchies": "hierarchy", "taxonomies": "hierarchy"}

Call = TypeVar("Call", bound=Callable[..., Any])


def written_out(words: Any, *without: str) -> Callable[[Call], Call]:
    """Have ``help`` and editors show the arguments of a call one by one, described.

    ``words`` are those that it takes beside its own, but for some.

    >>> @written_out(BoundWords, "workers")
    ... def ask(k=None, **words):
    ...     '''Ask.
    ...
    ...     words
    ...         All that follow.
    ...     '''
    >>> print(*signature(ask).parameters)
    k patience on_progress display
    >>> ask.__doc__.splitlines()[2]
    'k'
    """

    def declare(call: Call) -> Call:
        own = signature(call)
        first = [p for p in own.parameters.values() if p.kind is not p.VAR_KEYWORD]
        taken = {each.name for each in first}
        more = [
            Parameter(n, Parameter.KEYWORD_ONLY, default=USUAL.get(n), annotation=kind)
            for n, kind in get_type_hints(words).items()
            if n not in taken and n not in without
        ]
        shown = Signature([*first, *more], return_annotation=own.return_annotation)
        vars(call)["__signature__"] = shown
        said = cleandoc(call.__doc__ or "") + "\n"
        own_words = {n for line in _entries(said) for n in line.split(", ")}
        told = [
            f"{', '.join(names)}\n{text}"
            for group in GROUPS
            for line, text in _entries(cleandoc(group.__doc__ or "") + "\n").items()
            if (names := [n for n in line.split(", ") if n in shown.parameters])
            and not own_words & {*names}
        ]
        call.__doc__ = re.sub(r"words\n( {4}.*\n)+", lambda _: "".join(told), said)
        return call

    return declare


def _entries(said: str) -> dict[str, str]:
    """Return the names that a docstring describes, with what it says of them."""
    found = re.findall(r"^([a-z_, ]+)\n((?: {4}.*\n)+)", said, re.M)
    return dict(found)


def renamed(call: Call) -> Call:
    """Let a call take the former names of arguments, with a warning."""

    @wraps(call)
    def called(*given: Any, **words: Any) -> Any:
        return call(*given, **{now_called(n): value for n, value in words.items()})

    return cast(Call, called)


def now_called(name: str) -> str:
    """Return what an argument is called now, and warn of a former name."""
    now = _FORMER.get(name, name)
    if now != name:
        warn([f"{name} is called {now} now"], DeprecationWarning)
    return now


def given_of(
    call: Callable[..., Any], arguments: Mapping[str, Any], *without: str
) -> dict[str, Any]:
    """Return the arguments of a call that are no defaults, by name.

    ``arguments`` are its local names, with ``words`` for those that are in groups;
    those in ``without`` are left out. Former names become those of now, with a warning.
    Where a call takes ``options``, further arguments of a method stand among these.
    Raises TypeError for a name that is none, or is nearly one, of an argument.

    >>> @written_out(BoundWords)
    ... def asked(table, k=2, l=None, options=None, **words): ...
    >>> given_of(asked, {"table": 0, "k": 3, "l": None, "words": {"n": 1}}, "table")
    {'k': 3, 'options': {'n': 1}}
    """
    known: dict[str, Parameter | None] = {**signature(call).parameters}
    if "diversity" in known:  # requirements of other packages are asked as well
        known |= {o.name: None for o in options() if o.name not in known}
    given = {**arguments, **arguments["words"]}
    told, further = dict[str, Any](), dict[str, Any]()
    for name, value in given.items():
        if name in without or name == "words":
            continue
        now = now_called(name)
        if now != name and now in told:
            raise TypeError(f"Expected {now} or {name}, its former name, got both.")
        if now not in known:
            # Names that the method takes are none of a call's.
            method = given.get("method") if "options" in known else None
            chosen = METHODS.get(str(method))
            is_its = chosen is not None and name in chosen.options()
            if not is_its and (close := nearest(name, known)):
                raise TypeError(f"{call.__name__} has no argument {name!r}{close}.")
            if "options" not in known:
                taken = {*FirstWords.__annotations__, *SolveWords.__annotations__}
                where = "; solve takes it" if name in taken else ""
                raise TypeError(f"{call.__name__} has no argument {name!r}{where}.")
            further[name] = value
            continue
        usual = known[now]
        if usual is None or value is not usual.default:
            told[now] = plain(value)
            takes_frame = usual is not None and "Any" in str(usual.annotation)
            is_frame = hasattr(value, "columns") and hasattr(value, "shape")
            if is_frame and not takes_frame:
                kind = type(value).__name__
                raise TypeError(f"Expected {now} to be no frame, got a {kind}.")
    more = told.pop("options", {})
    expect_kind("options", more, Mapping, " (arguments of a method, by name)")
    further |= more
    return told | ({"options": further} if further else {})


def warn(lines: Iterable[str], kind: type[Warning] = UserWarning) -> None:
    """Warn whoever called starmin, however many calls above, in words of Python."""
    caller, level = sys._getframe(), 1
    while caller.f_back and str(caller.f_globals.get("__name__")).startswith("starmin"):
        caller, level = caller.f_back, level + 1
    for line in lines:
        warnings.warn(in_python(line), kind, level)
