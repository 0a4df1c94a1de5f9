"""What solve and bound say: one JSON object, or a few lines to read."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from starmin.inputs.loading import Origin
from starmin.instances import Problem, Result, Table
from starmin.instances.releases.coding import PERMUTATION
from starmin.instances.releases.ids import without_columns
from starmin.instances.releases.partial_partition import price_of
from starmin.instances.releases.release import deleted_rows, kept_of
from starmin.instances.requirements.deleted_rows import DeletedRows
from starmin.instances.requirements.requirement import of_kind
from starmin.instances.requirements.requirements import describe, shortly
from starmin.instances.requirements.within import Within
from starmin.instances.tables.names import counted
from starmin.outputs.claims import as_published, claim, proven, shown_bound
from starmin.outputs.last_lines import MUCH, advice, share_text, status_words
from starmin.outputs.recodings import Published, publish
from starmin.process import clock
from starmin.process.say import answer, is_verbose, number_text, show_lines
from starmin.verify.releases.disclosure import NOTHING, Disclosure
from starmin.verify.releases.range_ends import hidden_cells

WITHOUT = "bound and certificate are of the problem without pad and decoys"


def defence_lines(told: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return a label and a text for each defence, and what the bound is of.

    ``told`` says by defence what was done: ``Result.defences``.

    >>> told = {"classes": 3, "rows": 6, "rows_left": 0}
    >>> defence_lines({"pad": told | {"stars_before": 40, "stars_after": 46}})[0]
    ('pad', '6 rows in 3 classes were known in full: 46 stars instead of 40')
    """
    lines = dict[str, str]()
    if margin := told.get("margin"):
        promised, solved = margin["promised"], margin["solved"]
        lines["margin"] = (
            f"l = {promised} is promised, l = {solved} is solved: all that is said "
            f"here is of l = {solved}; keep the margin secret"
        )
    if decoys := told.get("decoys"):
        lines["decoys"] = (
            f"{counted(decoys['rows'], 'row')} of {decoys['types']:,} of "
            f"{counted(decoys['whole'], 'type')} published whole{_stars(decoys)} "
            "(experimental)"
        )
    if padded := told.get("pad"):
        left = padded["rows_left"]
        still = f"; {counted(left, 'row')} still" if left else ""
        lines["pad"] = (
            f"{counted(padded['rows'], 'row')} in "
            f"{counted(padded['classes'], 'class', 'classes')} were known in full"
            f"{still}{_stars(padded)}"
        )
    if told.keys() & {"pad", "decoys"}:
        lines["defences"] = WITHOUT
    return [*lines.items()]


def _stars(told: Mapping[str, Any]) -> str:
    return f": {told['stars_after']:,} stars instead of {told['stars_before']:,}"


_AS_WHAT = {
    "value": "a missing value counts as one more value",
    "any": "a missing value may be any value",
    "none": "a missing value counts for nobody",
}


@dataclass(frozen=True)
class Summary:
    """A result with what it is the result of."""

    problem: Problem  # the table and what was asked
    origin: Origin  # where the table came from
    result: Result[Any]  # what was found
    release: Published | None  # what is published, or None
    runtime: float  # seconds of the whole command
    out: Path | None  # where the release was written, or None

    @classmethod
    def of(
        cls,
        problem: Problem,
        origin: Origin,
        result: Result[Any],
        out: Path | None = None,
        shuffle_seed: int | None = None,
    ) -> "Summary":
        """Summarise a result that is about to be published, or a bound.

        Its cost is that of what is published, whatever the search counted. ``out`` is
        where the release is written. ``shuffle_seed`` is of the order of the rows, for
        tests alone.
        """
        result = as_published(problem, result)
        if result.best is None:
            return cls(problem, origin, result, None, clock.elapsed(), None)
        release = publish(problem.public, result.best, problem.coding, shuffle_seed)
        return cls(problem, origin, result, release, clock.elapsed(), out)

    def of_result(self, result: Result[Any]) -> "Summary":
        """Return it with more that was proven of the same release."""
        result = as_published(self.problem, result)
        later = replace(self, result=result, runtime=clock.elapsed())
        counted = ("classes", "disclosure", "published")  # once, as it takes a moment
        vars(later).update({k: v for k, v in vars(self).items() if k in counted})
        return later

    def as_json(self) -> dict[str, Any]:
        """Return the keys of the contract, all of them, null where not applicable."""
        problem, result, release = self.problem, self.result, self.release
        table, form, levels = problem.table, self.origin.form, None
        if (told := result.stats.get("levels")) is not None and release is not None:
            each = map(int, str(told).replace(",", " ").split())
            levels = dict(zip(table.qi, each, strict=False))
        return {
            "table": self.origin.source,
            "n": table.n,
            "d": table.d,
            "qi": list(table.qi),
            "sensitive": list(table.sensitive) or None,
            "requirement": describe(problem.requirement),
            "missing_sensitive": problem.missing_sensitive,
            "recoding": problem.coding.recoding,
            "objective": problem.objective.kind,
            "method": self.method,
            "status": result.status.value,
            "claim": self.claim,
            "limit": result.limit and result.limit.value,
            "value": problem.shown(result.value),
            "stars": release and release.stars,
            "suppressed_tuples": release and release.suppressed_tuples,
            "deleted": release and self.deleted,
            "levels": levels,  # of a full-domain recoding, by column
            "groups": self.groups,
            "classes": self.classes,
            **self.disclosure.as_json(),
            "gcp": release and release.gcp,
            "lower_bound": problem.shown(result.lower_bound),
            "certified_bound": problem.shown(result.certified_bound),
            "certificate_checked": result.certificate_checked,
            "gap": result.gap,
            "tolerance": result.tolerance,
            "bound_method": result.bound_method,
            "runtime": round(self.runtime, 3),
            "reason": result.reason,
            "defences": {**result.defences} or None,
            "separator": form and form.sep,
            "encoding": form and form.encoding,
            "out": self.out and str(self.out),
        }

    @property
    def deleted(self) -> int:
        """How many rows are deleted."""
        return deleted_rows(self.result.best)

    @cached_property
    def kept(self) -> "Summary":
        """That of the rows that are not deleted, as if there had been no others.

        Its value and bound are those of all rows.
        """
        asked = of_kind(self.problem.requirement, DeletedRows)
        if asked is None:
            return self
        problem = self.problem
        table, best = kept_of(problem.table, self.result.best)
        source = kept_of(problem.original, self.result.best)[0]
        problem = replace(problem, table=table, requirement=asked.inner, source=source)
        return replace(self, problem=problem, result=replace(self.result, best=best))

    @property
    def claim(self) -> str:
        """The status, and whose word it is where no certificate proves it."""
        return claim(self.result, self.shown_bound)

    @property
    def groups(self) -> int | None:
        """How many groups there are."""
        if self.release is None or self.release.groups is None:
            return None
        return int(self.release.groups.max()) + 1

    @cached_property
    def classes(self) -> int | None:
        """How many classes there are: groups that are published alike are one.

        None where there are no groups, or the table is read in batches.
        """
        release = self.release
        if self._in_batches or release is None or release.groups is None:
            return None
        published = self.published
        if published.qi != self.problem.table.qi:
            return self.groups  # which are published by their number
        first = np.empty(self.groups or 0, np.int64)
        first[release.groups] = np.arange(len(release.groups))
        return published.take(first).grouped(published.qi).size

    @cached_property
    def disclosure(self) -> Disclosure:
        """What is published beside the quasi-identifiers, and what that tells."""
        if self.release is None or self._in_batches:
            return NOTHING
        problem = self.kept.problem
        both, asked = (problem.original, self.published), problem.requirement
        if asked.columns:
            both = without_columns(both[0], asked), without_columns(both[1], asked)
        return Disclosure.of(*both, problem.coding)

    @property
    def _in_batches(self) -> bool:
        return self.problem.table.counts is not None

    @cached_property
    def published(self) -> Table:
        """The released table, rows in the order of the original."""
        assert self.release is not None
        return self.release.tables()[""]

    @property
    def _in_groups(self) -> str:
        groups, classes = self.groups, self.classes
        if groups is None:
            return ""
        told = counted(groups, "group")
        if classes is not None and classes != groups:
            told += f", {classes:,} once those alike are joined"
        return told

    @property
    def method(self) -> str:
        """The method that was run."""
        return str(self.result.stats["method"])

    def show(self, written: Sequence[tuple[str, Path]], as_json: bool) -> None:
        """Print to stdout: JSON, or lines to read with the files that were written."""
        if as_json:
            answer(json.dumps(self.as_json()))
            return
        lines = [("wrote", f"{what}: {path}") for what, path in written]
        proofs = [path for what, path in written if what == "certificate"]
        why = "as the original: the proof is of all its cells"
        show_lines(
            self.lines() + lines + [("keep", f"{path} {why}") for path in proofs]
        )

    def lines(self) -> list[tuple[str, str]]:
        """Label and text, to be read by people."""
        table = self.problem.table
        stated = self.problem.requirement.as_told()
        asked = {k: v for k, v in stated.items() if v is not None}
        columns = ", ".join(table.qi)
        files = self.problem.coding.files
        told = f"{counted(table.n, 'row')}, {counted(table.d, 'quasi-identifier')}"
        lines = [
            ("table", f"{self.origin.source}: {told} ({columns})"),
            *[("tree", f"{column}: {path}") for column, path in files.items()],
            ("asked", ", ".join(f"{k} = {shortly(v)}" for k, v in asked.items())),
        ]
        # What mu-Argus calls the k of rules, which may be taken from there.
        parts = stated.get("all_of", [stated])
        ks = sorted({rule["k"] for part in parts for rule in part.get("rules", ())})
        if ks:
            each = ", ".join(f"{k - 1} for k = {k}" for k in ks)
            lines.append(("mu-Argus", f"its threshold is k - 1: {each}"))
        if lost := self.problem.without_value:
            rows = ", ".join(f"{column} {many:,}" for column, many in lost.items())
            as_what = _AS_WHAT[self.problem.missing_sensitive or "value"]
            lines.append(("missing", f"{rows}: {as_what} (--missing-sensitive)"))
        defences = self.result.defences
        hidden = defence_lines(defences) if defences else []
        if self.result.reason is not None:
            reason = ("status", "infeasible"), ("reason", self.result.reason)
            return [*lines, *hidden, *reason]
        return [*lines, *self._value_lines(), *hidden, *self._bound_lines()]

    def _value_lines(self) -> list[tuple[str, str]]:
        release = self.release
        if release is None:
            return []
        lines = [("release", "; ".join(each for each in self._costs(release) if each))]
        if self.problem.requirement.may_delete:
            lines.append(("deleted", f"{self.told_deleted}"))
        if self.problem.objective.weights:
            value = number_text(self.problem.shown(self.result.value))
            lines.append(("cost", f"{value} by the weights"))
        return [*lines, *self.disclosure.lines()]

    @property
    def told_deleted(self) -> str:
        """Say how many rows are deleted, and what that counts."""
        problem, many = self.problem, self.deleted
        asked = of_kind(problem.requirement, DeletedRows)
        if asked is None or not many:
            return "no row"
        each = price_of(asked, problem.table, problem.objective)
        told = f"{many:,} of {counted(problem.table.n, 'row')}"
        if problem.objective.by_node:
            share = problem.shown(each * many)
            lost = share_text(float(share or 0))
            return f"{told}, which count as a loss of {lost} of the information"
        return f"{told}, each counted as {counted(each, 'star')}"

    def _costs(self, release: Published) -> tuple[str, str, str]:
        """Say what is hidden, in how many groups, and what is lost beyond stars."""
        table, stars = self.kept.problem.table, release.stars
        cells = table.n * table.d
        hidden, of_all = "no cell hidden", f" of {counted(cells, 'cell')}"
        if stars:
            where = f"{release.suppressed_tuples:,} of {counted(table.n, 'row')}"
            hidden, of_all = f"{stars:,}{of_all} hidden, in {where}", ""
        if self._broadened:
            hidden += f", {self._broadened:,}{of_all} broadened"
        lost = f"{release.gcp:.2%} of the information lost" if release.gcp else ""
        if not release.gcp and self.problem.coding.recoding != PERMUTATION:
            lost = "nothing lost"
        return hidden, self._in_groups, lost

    @property
    def _compared(self) -> tuple[Table, Table] | None:
        """The table and the release, row by row; None where they have no such cells."""
        apart = self.problem.coding.recoding == PERMUTATION
        if self.release is None or self._in_batches or apart:
            return None
        return self.kept.problem.original, self.published

    @cached_property
    def _broadened(self) -> int:
        """How many cells are published as a range or as a node, not as a star."""
        assert self.release is not None
        both = self._compared
        if both is None or not self.problem.coding.told:
            return 0
        columns = [c for c in both[0].qi if c in both[1].names]
        changed = sum(int(hidden_cells(*both, c).sum()) for c in columns)
        return max(0, changed - self.release.stars)

    def _bound_lines(self) -> list[tuple[str, str]]:
        result = self.result
        lines = []
        if result.lower_bound is not None:
            proof = proven(result, self.shown_bound, is_verbose())
            least = self._least(result.lower_bound)
            lines.append(("bound", f"{least}; {proof}" if proof else least))
        status = status_words(result, self.problem.published_as_counted)
        by = f"{self.method}, " if is_verbose() else ""
        lines.append(("status", f"{status} ({by}{self.runtime:.1f} s)"))
        both = self._compared  # the column that costs most, where much is lost
        if both is not None and self.release is not None and self.release.gcp >= MUCH:
            told = advice(self.problem, *both)
            lines += [] if told is None else [("advice", told)]
        return lines

    def _least(self, bound: int) -> str:
        """Say what no release gets below."""
        goal, shown = self.problem.objective, self.shown_bound(bound)
        by = "" if self.problem.published_as_counted else " by suppression"
        if of_kind(self.problem.requirement, Within) is not None:
            by += " within the earlier one"
        if self.problem.requirement.may_delete:
            by += ", deleted rows counted,"
        if goal.weights:
            return f"no release{by} costs less than {shown}"
        if goal.by_node:
            return f"no release{by} loses less than {shown} of the information"
        if goal.kind == "tuples":
            return f"no release{by} hides cells of fewer than {counted(bound, 'row')}"
        return f"no release{by} hides fewer than {counted(bound, 'cell')}"

    def shown_bound(self, bound: int) -> str:
        """Write a bound."""
        return shown_bound(self.problem, bound)
