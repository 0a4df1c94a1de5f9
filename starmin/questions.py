"""What is asked of a table, as an object: solved, bounded, checked, and kept."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Unpack

from starmin.call_arguments import (
    AskedWords,
    BoundWords,
    FrameWords,
    Goal,
    SearchWords,
    given_of,
    written_out,
)
from starmin.face import bounded, checked
from starmin.frames.anonymization import Anonymization
from starmin.frames.anonymize import anonymized
from starmin.frames.frame_problem import Posed, pose
from starmin.frontiers.frontier_outcome import Frontier
from starmin.frontiers.trace import frontier_of, whole_numbers
from starmin.inputs.declared import DEFENCES
from starmin.instances import Objective, Problem, TableError, Taxonomy
from starmin.instances.releases.coding import (
    NONHOMOGENEOUS,
    PERMUTATION,
    SUPPRESSION,
    RecodingName,
)
from starmin.instances.requirements.deleted_rows import price_text
from starmin.instances.requirements.requirements import shortly
from starmin.instances.scales.missing import MISSING
from starmin.instances.tables.names import counted, join_names
from starmin.process.steps import write_file
from starmin.recipes.by_recipe import settings_text
from starmin.recipes.told import Key, Told, keys
from starmin.risks import risk
from starmin.solving import Solution
from starmin.verify.risk.table_risk import Risk

if TYPE_CHECKING:
    from starmin.verify.nonhomogeneous.check_nonhomogeneous import NonHomogeneousCheck
    from starmin.verify.releases.mask_check import MaskCheck
    from starmin.verify.releases.release_check import ReleaseCheck

_WAYS = {
    "suppression": "stars",
    "generalization": "ranges and nodes of hierarchies",
    "permutation": "sensitive values apart",
    "nonhomogeneous": "stars of its own for each row",
}
_LEAST = {"stars": "stars", "tuples": "rows with stars", "gcp": "loss"}


class _BoundWords(BoundWords, total=False):
    """How a bound is searched for."""

    method: str
    time_limit: float | None


class _FrontierWords(_BoundWords, total=False):
    """How several releases are searched for."""

    gap: float | None
    seed: int | None


class _SolveWords(_BoundWords, SearchWords, FrameWords, total=False):
    """How a release is searched for, and how its frame is written."""


class Question:
    """What is asked of a table or data frame; ``starmin.question`` makes one.

    Examples
    --------
    >>> import polars
    >>> frame = polars.DataFrame({"age": [30, 30, 41, 42], "sex": list("fmff")})
    >>> asked = question(frame, k=2)
    >>> asked
    Question: publish 4 rows with stars, as few stars as possible. By age and sex, \
nobody in this table can be told apart from fewer than one other.
    >>> asked.solve().value, asked.bound().lower_bound, asked.risk().classes.uniques
    (4, 4, 4)
    >>> [point.result.value for point in asked.frontier([2, 3]).points]
    [4, 8]
    >>> asked.verify(asked.solve()).holds
    True
    """

    def __init__(self, frame: Any, told: Mapping[str, Any]) -> None:
        self._frame = frame
        self._asked = pose(frame, told)

    @property
    def problem(self) -> Problem:
        """The table, what its release has to satisfy, and what that may cost."""
        return self._asked.problem

    def __repr__(self) -> str:
        problem, recoding = self.problem, self.problem.coding.recoding or SUPPRESSION
        kind = problem.objective.kind
        few = "little" if kind == "gcp" else "few"
        return (
            f"Question: publish {counted(self._asked.table.n, 'row')} with "
            f"{_WAYS[recoding]}, as {few} {_LEAST[kind]} as possible. "
            f"{problem.requirement.sentence(problem.table, recoding)}"
        )

    @written_out(_SolveWords)
    def solve(self, **words: Unpack[_SolveWords]) -> Anonymization[Any]:
        """Find the release at the least cost.

        That of a ``Table`` is a frame of Arrow; ``solution.published`` is a table.

        Parameters
        ----------
        words
            Those that ``help`` lists.
        """
        return anonymized(self._searched(Question.solve, words), self._frame)

    @written_out(_BoundWords)
    def bound(self, **words: Unpack[_BoundWords]) -> Solution:
        """Bound the cost of every release from below, with a certificate.

        Parameters
        ----------
        words
            Those that ``help`` lists.
        """
        return bounded(self._searched(Question.bound, words))

    @written_out(_FrontierWords, "on_progress", "display")
    def frontier(
        self,
        k: Sequence[int] = (),
        l: Sequence[int] = (),
        **words: Unpack[_FrontierWords],
    ) -> Frontier:
        """Find what other values of k or l would cost, in one search.

        That of the two which has no other values stays what it is.

        Parameters
        ----------
        k, l
            Values of k and of l; each k is combined with each l.
        words
            Those that ``help`` lists.
        """
        told = {**self._searched(Question.frontier, words).told}
        same_k, same_l = ([told.pop(n)] if n in told else [] for n in ("k", "l"))
        ks, ls = whole_numbers("k", k), whole_numbers("l", l)
        if ks or ls:
            ks, ls = ks or same_k, ls or same_l
        return frontier_of(self._frame, told, ks, ls)

    def risk(self, population: Any = None, most: int = 3) -> Risk:
        """Measure how well people are found before anything is hidden."""
        told, table = self._asked.told, self._asked.table
        roles = {name: told[name] for name in ("drop", "weight") if name in told}
        missing = told.get("missing", MISSING)
        more: dict[str, Any] = {"population": population, "most": most, **roles}
        secret = table.sensitive
        return risk(self._frame, qi=table.qi, sensitive=secret, missing=missing, **more)

    def verify(self, release: Any) -> "ReleaseCheck | NonHomogeneousCheck | MaskCheck":
        """Check a release, whoever made it, against this table and what is asked.

        Parameters
        ----------
        release
            A table, a data frame, or what ``solve`` returned.
        """
        coding, table = self.problem.coding, self._asked.table
        if isinstance(release, Anonymization):
            if coding.recoding in (PERMUTATION, NONHOMOGENEOUS):
                return release.verify()
            release = release.reread()
        known = {*AskedWords.__annotations__, "k", "l", "hierarchy"}
        known -= {"loss", "unchanged", "weight"}
        told = {n: value for n, value in self._asked.told.items() if n in known}
        if coding.recoding in (PERMUTATION, NONHOMOGENEOUS):
            told["recoding"] = coding.recoding
        told |= {"qi": table.qi, "sensitive": table.sensitive}
        told |= {"numeric": coding.numeric, "original": self._frame}
        if self.problem.requirement.may_delete:
            kind = self.problem.objective.kind
            told["objective"] = self._asked.told.get("objective", kind)
        return checked(release, told)

    def save(self, path: Path | str) -> None:
        """Write what is asked as a settings file, for the next table.

        Trees that are no text are written beside it. Raises TableError where something
        is asked that no settings file can say.

        Parameters
        ----------
        path
            Of the file, as ``settings.toml``.
        """
        path = Path(path)
        told, trees = _settings(self._asked, path)
        text = settings_text(told, self._asked.table, "a table", path.parent)
        for file, tree in trees.items():
            tree.write(file)
        write_file(path, text.encode())

    def _searched(self, call: Any, words: Mapping[str, Any]) -> Posed:
        """Return what is asked, to be searched for as words say."""
        told = {**self._asked.told, **given_of(call, {"words": words})}
        if any(option.name in words for option in DEFENCES):  # they ask for more
            return pose(self._frame, told)
        return replace(self._asked, told=told)


@written_out(AskedWords)
def question(
    frame: Any,
    table: Any = None,
    *,
    k: int | None = None,
    l: int | None = None,
    qi: Sequence[str] | None = None,
    sensitive: str | Sequence[str] | None = None,
    recoding: RecodingName | None = None,
    numeric: Collection[str] | None = None,
    hierarchy: Any = None,
    objective: Goal | None = None,
    **words: Unpack[AskedWords],
) -> Question:
    """Ask something of a table, to be solved, bounded, checked and kept.

    Parameters
    ----------
    frame
        A data frame or ``Table``; or a settings file, and the table after it.
    table
        The data frame or ``Table`` that the settings file is for.
    words
        Those that ``help`` lists.

    Returns
    -------
    Question
        It says itself in a sentence. ``solve()``, ``bound()``, ``frontier([2, 3, 5])``,
        ``risk()``, ``verify(release)`` answer it; ``save("settings.toml")`` keeps it.

    Examples
    --------
    >>> asked = question({"age": [30, 30, 41], "sex": ["f", "f", "f"]}, k=3)
    >>> asked.solve().value
    3
    """
    told = given_of(question, locals(), "frame", "table")
    if isinstance(frame, str | Path):
        if table is None:
            raise TypeError("Expected a table behind the settings file.")
        return Question(table, {**told, "recipe": frame})
    if table is not None:
        raise TypeError("Expected a settings file before the table, got a frame.")
    return Question(frame, told)


# What is asked in the form of a settings file.


def _settings(asked: Posed, path: Path) -> tuple[Told, dict[Path, Taxonomy]]:
    """Return what a question tells, and the trees that are files beside ``path``."""
    coding, given = asked.problem.coding, {**asked.told}
    given |= {"recoding": coding.recoding, "numeric": coding.numeric}
    given |= {"qi": asked.table.qi, "sensitive": asked.table.sensitive}
    if (further := given.pop("requirement", None)) is not None:
        for name, value in further.as_json().items():
            if name in ("within", "missing"):
                _refuse("requirement", f"which has a {name} of its own")
            if given.setdefault(name, value) != value:
                _refuse("requirement", f"which asks for another {name}")
    if isinstance(goal := given.get("objective"), Objective):
        if goal.scales is not None:
            _refuse("objective", "which has scales of its own")
        given |= {"objective": goal.kind, "weights": goal.weights, "keep": goal.keep}
    given |= {"round": coding.steps, "width": coding.widths}
    given |= {"top": coding.floors.top, "bottom": coding.floors.bottom}
    missing = given.get("missing", MISSING)
    if not {*MISSING} - {None} <= {*missing}:
        _refuse("missing", "which leaves out what always stands for a missing value")
    given["missing"] = [text for text in missing if text not in (None, *MISSING)]
    trees: dict[Path, Taxonomy] = {}
    if isinstance(told := given.get("hierarchy"), Mapping):
        given["hierarchy"] = rules = dict[str, str]()
        for column, rule in told.items():
            if isinstance(rule, str | Path):
                rules[column] = str(rule)
            else:
                place = path.with_name(f"{path.stem}.{len(trees) + 1}.csv")
                trees[place], rules[column] = coding.trees[column], str(place)
    found: Told = {}
    for name, value in given.items():
        if value is None or value is False:
            continue
        if (key := keys().get("steps" if name == "round" else name)) is None:
            _refuse(name, "which it has no key for")
        if (written := _written(key, value)) not in (key.default, {}, ()):
            found[key.name] = written
    return found, trees


def _written(key: Key, value: Any) -> Any:
    """Return a value as it is read from a settings file."""
    if key.name == "delete_rows":
        return price_text(value)
    if key.name == "linked" and not isinstance(value, str):
        parts = [value] if all(isinstance(part, str) for part in value) else value
        each = [[part] if isinstance(part, str) else part for part in parts]
        return ";".join(map(join_names, each))
    if key.name == "combinations":
        return shortly(value)
    if key.by is not None and not key.by.listed:
        if not isinstance(value, Mapping):
            return {"": (str(value),)}  # a folder of hierarchies
        return {column: str(each) for column, each in value.items()}
    if key.listed or key.by_list:
        return (value,) if isinstance(value, str) else tuple(value)
    if not isinstance(value, str | int | float | Path):
        _refuse(key.name, "which is neither a text, a number nor a file")
    return value


def _refuse(name: str, why: str) -> NoReturn:
    raise TableError(f"a settings file cannot say {name}, {why}")
