"""starmin check: re-prove a bound with nothing but Python's own library."""

from itertools import zip_longest
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Annotated

from starmin.inputs.declared import argument, of_output, of_table, pairs_of
from starmin.instances.errors import TableError
from starmin.instances.io.atomic import check_writable
from starmin.instances.scales.taxonomies.column_hierarchy import is_rule
from starmin.process.faults import NO, UNKNOWN
from starmin.process.say import answer, show_lines
from starmin.process.steps import write_file
from starmin.verify import checker
from starmin.verify.checker.join import joined

EXAMPLES = (
    "starmin check proof.json --original people.csv",
    "starmin check proof.json --original people.csv --hierarchy zip=zip.csv",
    "starmin check proof.json --original sample.csv --population town.csv",
    "starmin check --as-file certificate_checker.py",
)


def check(
    certificate: Annotated[
        str | None, argument("[CERTIFICATE]", "A file of --certificate.")
    ] = None,
    *,
    original: Annotated[
        str | None,
        of_table("TABLE", "The table that it is of: a file .csv or .csv.gz in UTF-8."),
    ] = None,
    hierarchy: Annotated[
        list[str] | None,
        of_table(
            "--hierarchy COLUMN=FILE",
            "The hierarchy of a column, where it has one; once for each. A rule as "
            "`ranges:5,10` is written to a file first.",
        ),
    ] = None,
    population: Annotated[
        list[str] | None,
        of_table(
            "--population TABLE",
            "The people whom rules count, a file like the table; once for each "
            "population, in the order of the rules.",
        ),
    ] = None,
    population_count: Annotated[
        list[str] | None,
        of_table(
            "--population-count COLUMN",
            "The column of --population that says how many people a line stands for; "
            "'' where there is none.",
        ),
    ] = None,
    as_file: Annotated[
        Path | None,
        of_output(
            "FILE",
            "Check nothing: write the checker as one file that needs nothing but "
            "Python.",
        ),
    ] = None,
    quiet: Annotated[bool, of_output("--quiet", "No progress on stderr.")] = False,
) -> int:
    """Check the certificate of a bound by one file without numpy and solvers.

    --as-file writes the file, which an auditor may read, copy, and run alone. It
    repeats the proof in whole numbers. Exit code 0: proven; 1: refused, as the proof
    is false; 2: a file is broken, or a hierarchy is not named; 3: its kind cannot be
    checked there, which says nothing for or against it (`starmin verify --certificate`
    checks all kinds, and releases).
    """
    if as_file is not None:
        if certificate or original or hierarchy or population or population_count:
            raise TableError(
                "--as-file: it checks nothing; call `check` again for that"
            )
        check_writable(as_file)
        write_file(as_file, joined().encode())
        show_lines([("wrote", str(as_file))])
        return 0
    if certificate is None or original is None:
        raise TableError("check: name CERTIFICATE and --original, or --as-file alone")
    from starmin.inputs.hierarchy_options import column_and_tree

    named = pairs_of(hierarchy or (), "--hierarchy", "COLUMN=FILE", column_and_tree)
    people, counts = population or [], population_count or []
    if len(counts) > len(people):
        raise TableError("--population-count: expected a --population for each")
    pairs = [(path, n or None) for path, n in zip_longest(people, counts, fillvalue="")]
    try:
        with TemporaryDirectory() as folder:
            files = [_as_file(*e, original, Path(folder)) for e in named.items()]
            accepted, said = checker.check(
                original, certificate, *files, populations=pairs
            )
    except checker.InputError as error:
        raise TableError(str(error)) from None
    answer(said)
    return UNKNOWN if accepted is None else 0 if accepted else NO


def _as_file(column: str, tree: str, original: str, folder: Path) -> str:
    """Return COLUMN=FILE, the file written where a rule stands for it."""
    file = folder / f"{len(list(folder.iterdir()))}.csv"
    if not (is_rule(tree) or tree.startswith("{")):
        if "=" not in tree:
            return f"{column}={tree}"
        copied = file.with_suffix(Path(tree).suffix)
        copyfile(tree, copied)  # the checker parts at the last sign
        return f"{column}={copied}"
    from starmin.inputs.hierarchy_options import read_trees
    from starmin.inputs.loading import coded_table
    from starmin.inputs.roles import Roles
    from starmin.instances.scales.missing import MISSING

    named = [f"{column}={tree}"]
    trees, _ = read_trees(
        named, (), "*", MISSING, lambda: coded_table(original, Roles())
    )
    trees[column].write(file)
    return f"{column}={file}"
