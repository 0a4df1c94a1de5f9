"""Tests that arguments are checked at the door, each refusal with its mend."""

import math
from dataclasses import dataclass
from inspect import signature

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import starmin
from starmin.cli.app import main
from starmin.inputs.option_groups import with_groups
from starmin.instances import NotSupportedError, TableError
from starmin.instances.arguments import Option

HOSPITAL = starmin.load_instance("hospital")
SOLVE = [
    ({"objective": "foo"}, ValueError, "stars, tuples or gcp, got 'foo'"),
    ({"objective": "star"}, ValueError, "nearest: 'stars'"),
    ({"recoding": "generalisation"}, ValueError, "nearest: 'generalization'"),
    ({"recoding": ["suppression"]}, ValueError, "Expected recoding"),
    ({"k": 2.5}, TypeError, "Expected k to be a whole number, got 2.5"),
    ({"k": 5.0}, TypeError, "Expected k to be a whole number, got 5.0"),
    ({"k": True}, TypeError, "got True"),
    ({"k": "2"}, TypeError, "got '2'"),
    ({"k": 1}, ValueError, "Expected k >= 2"),
    ({"l": 2.5}, TypeError, "Expected l to be a whole number"),
    ({"requirement": 5}, TypeError, "Expected requirement to be"),
    ({"time_limit": -1}, ValueError, "time_limit >= 0"),
    ({"time_limit": math.nan}, ValueError, "got nan"),
    ({"time_limit": "9"}, TypeError, "Expected time_limit to be a number"),
    ({"seed": -1}, ValueError, "Expected seed"),
    ({"seed": 0.5}, TypeError, "Expected seed to be a whole number"),
    ({"display": 1}, TypeError, "Expected display to be of type bool"),
    ({"initial": [0, 0]}, TypeError, "of type Partition or None"),
    ({"method": "mondrain"}, starmin.NotSupportedError, "nearest: 'mondrian'"),
    ({"method": None}, TypeError, "Expected method to be of type str"),
    ({"time_limt": 3}, TypeError, "'time_limt' .nearest: 'time_limit'"),
    ({"patince": 3}, TypeError, "nearest: 'patience'"),
    ({"options": [3]}, TypeError, "arguments of a method, by name"),
    (
        {"recoding": "suppression", "numeric": ["age"]},
        ValueError,
        "numeric age: is for",
    ),
    ({"numeric": "age"}, TypeError, r"write \['age'\]"),
    ({"hierarchy": ["age"]}, TypeError, "a hierarchy by column"),
    ({"recoding": "generalization", "numeric": ["ag"]}, ValueError, "nearest: 'age'"),
]


@pytest.mark.parametrize(("given", "error", "why"), SOLVE)
def test_solve_refuses(given, error, why):
    with pytest.raises(error, match=why):
        starmin.solve(HOSPITAL, **{"k": 2} | given)


@pytest.mark.parametrize(
    ("given", "error", "why"),
    [
        ({"stagnation": -3}, ValueError, "stagnation >= 0"),
        ({"stagnation": 2.0}, TypeError, "stagnation to be a whole number"),
        ({"workers": 0}, ValueError, "workers >= 1"),
        ({"stagnatin": 3}, starmin.NotSupportedError, "nearest: 'stagnation'"),
    ],
)
def test_options_of_a_method_are_checked_at_its_call(given, error, why):
    with pytest.raises(error, match=why):
        starmin.solve(HOSPITAL, k=2, method="large_neighbourhood", **given)


@pytest.mark.parametrize(
    ("call", "error", "why"),
    [
        (lambda t: starmin.solve(t.rows(), k=2), TypeError, "pandas.DataFrame"),
        (lambda t: starmin.bound(t, k=2, objective="star"), ValueError, "'stars'"),
        (lambda t: starmin.verify(t, k=2.0), TypeError, "whole number"),
        (lambda t: starmin.verify(t, numeric=["ag"]), ValueError, "nearest: 'age'"),
        (lambda t: starmin.load_instance("hopsital"), ValueError, "'hospital'"),
        (lambda t: starmin.load_instance("uniform:seeed=1"), ValueError, "'seed'"),
        (lambda t: starmin.read_table(5), TypeError, "path to be of type str or Path"),
        (lambda t: starmin.from_frame({"a": [1]}, qi="a"), TypeError, r"\['a'\]"),
        (lambda t: starmin.to_frame(t, "polar"), ValueError, "nearest: 'polars'"),
        (lambda t: starmin.write_table(t, "x.csv", "--"), ValueError, "separator"),
        (lambda t: starmin.KAnonymity(2) & 5, TypeError, "of type Requirement"),
        (lambda t: starmin.EntropyDiversity(2.5), TypeError, "whole number"),
        (lambda t: starmin.RecursiveDiversity("a", 2), TypeError, "c to be a number"),
        (lambda t: starmin.MaxShare("x"), TypeError, "alpha to be a number"),
        (lambda t: starmin.TCloseness.of(t, 0.2, "orderd"), ValueError, "'ordered'"),
        (lambda t: starmin.PerRowK(5), TypeError, "column to be of type str"),
        (lambda t: starmin.Objective(weights={"a": 1.5}), TypeError, "weight of a"),
        (lambda t: starmin.Objective(keep="age"), TypeError, r"write \['age'\]"),
        (lambda t: starmin.Scales.of(t, "age"), TypeError, r"write \['age'\]"),
        (lambda t: starmin.Partition([0, 0]), TypeError, "groups to be of type"),
        (lambda t: starmin.Release(t, 3), TypeError, "partition to be of type"),
        (lambda t: t.with_roles(["agee"]), ValueError, "nearest: 'age'"),
        (lambda t: starmin.audit([]), ValueError, "a release or more, got none"),
        (lambda t: starmin.audit([[1, 2]]), TypeError, "type list; pandas.DataFrame"),
        *(
            (lambda t, name=name: Option(name, int, "."), ValueError, "small letters")
            for name in ("k-column", "", "1a", "a b", "class", "_x", None, 3)
        ),
    ],
)
def test_other_functions_refuse(call, error, why):
    with pytest.raises(error, match=why):
        call(HOSPITAL)


def published():
    """A release of a frame."""
    return starmin.anonymize(pd.DataFrame({"a": ["x", "x"]}), k=2)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_a_release_is_audited_as_such_as_its_table_and_as_frames(kind):
    frame = kind({"a": [*"xxyz"], "b": [31, 32, 47, 48], "s": [*"uvuv"]})
    how = {"sensitive": "s", "numeric": ["b"], "recoding": "generalization"}
    made = starmin.anonymize(frame, k=2, **how)
    mixed = starmin.anonymize(frame, k=2, shuffle=True, **how)
    plain = {"numeric": ["b"], "k": 2}
    by_table = starmin.audit(made.solution.published, original=made.made_of, **plain)
    by_frame = starmin.audit(
        made.frame, original=frame, qi=["a", "b"], sensitive="s", **plain
    )
    found = starmin.audit(made)
    for each in (by_table, by_frame, starmin.audit(mixed)):
        for name, inference in each.inferences.items():
            other = found.inferences[name]
            assert (other and other.narrowed) == (inference and inference.narrowed)
            assert (other and other.false) == (inference and inference.false)
    for each in (found, starmin.risk(frame, qi=["a", "b"])):
        assert len(repr(each)) < 1500 and "<table>" in each._repr_html_()
        assert each.plot()._repr_png_().startswith(b"\x89PNG")
    assert "closure" in repr(found) and "2 of 4 rows" not in repr(found)


def test_audit_refuses_what_it_does_not_read():
    swapped = pd.DataFrame({"a": [*"xxyy"], "s": [*"uvuv"]})
    made = starmin.anonymize(swapped, sensitive="s", l=2, recoding="permutation")
    with pytest.raises(NotSupportedError, match="by permutation"):
        starmin.audit(made)


def test_widths_are_a_hierarchy_and_frames_alone_are_frames():
    frame = pd.DataFrame({"age": [31, 32, 47, 48], "sex": [*"ffmm"]})
    by_list, by_rule = (
        starmin.anonymize(frame, k=2, hierarchy={"age": each}).frame
        for each in ([5, 10], "ranges:5,10")
    )
    assert by_list.equals(by_rule)
    for given, why in (
        ([[1, 2]], "type list; pandas.DataFrame"),
        (np.ones((2, 2)), "type ndarray; pandas.DataFrame"),
        (frame.age, r"type Series; series.to_frame\(\) makes one"),
    ):
        with pytest.raises(TypeError, match=why):
            starmin.anonymize(given, k=2)
    with pytest.raises(TableError, match=r"columns.map\(str\)"):
        starmin.anonymize(frame.rename(columns={"age": 0}), k=2)


@pytest.mark.parametrize(
    "kind", ["datetime64[ns]", "timedelta64[ns]", "O", "f8", "bool"]
)
@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_frames_without_rows_are_one_line_whatever_their_columns(kind, library):
    frame = pd.DataFrame({"d": pd.Series([], dtype=kind), "s": ["x"][:0]})
    if library == "polars":
        frame = pl.from_pandas(frame)
    elif library == "arrow":
        frame = pa.Table.from_pandas(frame, preserve_index=False)
    for call in (
        lambda: starmin.anonymize(frame, qi=["d"], k=2),
        lambda: starmin.anonymize(frame, qi=["d"], numeric=["d"], k=2),
        lambda: starmin.risk(frame),
        lambda: starmin.verify(frame, k=2),
        lambda: starmin.frontier(frame, k=[2]),
        lambda: starmin.from_frame(frame),
    ):
        with pytest.raises(TableError, match="no rows; expected at least one"):
            call()


@dataclass(frozen=True)
class Seeded:
    """A group with an option that a command has, too."""

    seed: int = 0


def test_an_option_of_a_requirement_has_a_name_of_its_own():
    def command(*, seed: int = 0, columns: Seeded) -> int:
        return seed

    with pytest.raises(NotSupportedError, match="'seed', which a requirement declares"):
        with_groups(command)


def test_numbers_of_numpy_are_numbers():
    result = starmin.solve(HOSPITAL, k=np.int64(2), time_limit=np.float64(60))
    assert result.value == 2
    assert type(starmin.KAnonymity(np.int64(2)).as_json()["k"]) is int


@pytest.mark.parametrize("number", [np.int64, np.int8, np.uint16])
def test_weights_and_levels_may_be_numbers_of_numpy(number, tmp_path):
    """They stand in certificates, which checkers and files of JSON read."""
    tree = {"any": {"low": ["1", "2"], "high": ["3"]}}
    frame = pd.DataFrame({"a": ["1", "2", "3", "3"], "b": list("xyxy")})
    for more in (
        {"weights": {"a": number(3)}},
        {"hierarchy": {"a": tree}, "max_level": {"a": number(1)}},
        {"hierarchy": {"a": tree}, "min_level": {"a": number(1)}},
    ):
        one = starmin.anonymize(frame, k=number(2), **more)
        assert one.solution.certificate_checked
        one.certificate.write(tmp_path / "c.json")
        plain = {
            name: told if name == "hierarchy" else {"a": int(told["a"])}
            for name, told in more.items()
        }
        assert one.value == starmin.anonymize(frame, k=2, **plain).value


NAMES = [
    pd.Index(["a", "b"]),
    np.array(["a", "b"]),
    np.array(["a", "b"], object),
    pd.Series(["a", "b"]),
    pl.Series(["a", "b"]),
    pa.array(["a", "b"]),
    [np.str_("a"), np.str_("b")],
    {"a": 1, "b": 2}.keys(),
]


@pytest.mark.parametrize("names", NAMES, ids=lambda names: type(names).__name__)
def test_names_may_stand_in_arrays_and_columns(names, tmp_path):
    """By every argument and function that takes several of them."""
    rows = [["1", "x", "u"], ["1", "x", "v"], ["2", "y", "u"], ["3", "y", "v"]] * 2
    frame = pd.DataFrame(rows, columns=["a", "b", "s"])
    frame.to_csv(tmp_path / "f.csv", index=False)
    both = ["a", "b"]
    asked = starmin.anonymize(frame, qi=names, k=2)
    assert asked.value == starmin.anonymize(frame, qi=both, k=2).value
    table = starmin.from_frame(frame, qi=names)
    assert table.qi == starmin.read_table(tmp_path / "f.csv", qi=names).qi == ("a", "b")
    assert {type(name) for name in table.qi} == {str}
    for role in ("sensitive", "drop", "unchanged", "keep"):
        more = {"qi": both} if role == "keep" else {}
        found, same = (
            starmin.anonymize(frame, k=2, **{role: given}, **more)
            for given in (names, both)
        )
        assert found.frame.equals(same.frame)
    by = {"combinations": 1, "k": 2}
    assert (
        starmin.anonymize(frame, qi=["s"], strata=names, **by).value
        == starmin.anonymize(frame, qi=["s"], strata=both, **by).value
    )
    assert starmin.anonymize(frame, qi=both, linked=names, **by).value is not None
    ranged = {"recoding": "generalization", "objective": "gcp", "k": 2}
    numbers = starmin.from_frame(frame.assign(b=frame.a), qi=both)
    found = starmin.solve(numbers, numeric=names, **ranged)
    assert found.value == starmin.solve(numbers, numeric=both, **ranged).value
    assert starmin.verify(found.published, k=2, numeric=names).holds
    assert starmin.frontier(frame, qi=names, k=np.array([2, 3])).points
    assert starmin.risk(frame, qi=names).qi == ("a", "b")
    assert starmin.audit(found.published, numeric=names) is not None
    keep = starmin.Objective(keep=names), starmin.Objective(keep=both)
    assert keep[0] == keep[1]
    assert starmin.Anonymizer(k=2, qi=names).fit_transform(frame).equals(asked.frame)


@pytest.mark.parametrize(
    "given",
    [
        *(pd.DataFrame({"a": [1]}), pl.DataFrame({"a": [1]}), pa.table({"a": [1]})),
        *(pd.Series([1.5]), pl.Series([1.5]), pa.array([1.5]), np.array([[1.5]])),
    ],
    ids=lambda given: f"{type(given).__module__}.{type(given).__name__}",
)
def test_a_frame_in_the_place_of_another_argument_is_refused_in_one_line(given):
    """It has no truth, and is many lines as a text."""
    frame = pd.DataFrame({"a": ["x", "x"]})
    for name in signature(starmin.anonymize).parameters:
        if name in ("frame", "hierarchy", "population", "within", "stars"):
            continue
        try:
            starmin.anonymize(frame, **{"k": 2, name: given})
        except (TypeError, ValueError) as refused:
            said = str(refused)
            assert "\n" not in said and "truth" not in said, (name, said)
        else:
            assert not hasattr(given, "columns"), name


def test_whole_numbers_beyond_64_bits_are_numbers(tmp_path):
    """As quasi-identifiers, ranges, sensitive or unchanged; columns that keep them."""
    large = [2**70, 2**70, 2**64, None]
    frame = pd.DataFrame({"a": pd.Series(large, dtype=object), "b": list("xxyy")})
    for roles in (
        {"qi": ["a"]},
        {"qi": ["b"], "unchanged": ["a"]},
        {"qi": ["b"], "sensitive": "a"},
        {"qi": ["a"], "numeric": ["a"]},
        {"qi": ["a"], "numeric": ["a"], "intervals": True},
    ):
        made = starmin.anonymize(frame, k=2, **roles)
        assert made.verify().holds and made.verify().consistent
        if roles["qi"] == ["b"]:
            assert made.frame["a"].tolist() == large
        else:
            shown = str(made.frame["a"][0]).replace(".", "")
            assert "11805916207174113" in shown
    assert starmin.from_frame({"a": large}).cells("a") == [
        *["1180591620717411303424"] * 2,
        "18446744073709551616",
        None,
    ]
    assert starmin.range_taxonomy([2**70, 5], ["10"]).paths[0] == ("5", "0-9", "*")
    for wrong in ([2**70, 1.5], [2**70, "x"], [2**70, True]):
        mixed = pd.DataFrame({"a": pd.Series(wrong, dtype=object)})
        for given in (mixed, {"a": wrong}):
            with pytest.raises(starmin.TableError, match="plain cells"):
                starmin.from_frame(given)


def test_every_recoding_is_solved_as_it_is_published():
    table = starmin.Table.from_rows(
        ["age", "ill"],
        [["20", "a"], ["21", "b"], ["60", "a"], ["61", "b"]],
        qi=["age"],
        sensitive=["ill"],
    )
    result = starmin.solve(table, k=2, recoding="generalization", numeric=["age"])
    scales = starmin.Scales.of(table, ["age"])
    release = starmin.GeneralizedRelease(table, result.best, scales)
    assert {row[0] for row in release.published.rows()} == {"[20-21]", "[60-61]"}
    assert result.units.value == release.partition.value(
        table, starmin.Objective("gcp", scales=scales)
    )
    permuted = starmin.solve(table, l=2, recoding="permutation")
    assert starmin.PermutedRelease(table, permuted.best).partition.size >= 1
    with pytest.raises(starmin.TableError, match="sensitive"):
        starmin.solve(table.with_roles(["age"]), k=2, recoding="permutation")


@pytest.mark.parametrize(
    ("line", "near"),
    [
        ("solve instance:hospital --k 2 --method mondrain", "'mondrian'"),
        ("solve instance:hospital --k 2 --qi agee", "'age'"),
        ("solve instance:hospital --k 2 --drop agee", "'age'"),
        ("solve instance:hospital --k 2 --keep agee", "'age'"),
        ("solve instance:hopsital --k 2", "'hospital'"),
    ],
)
def test_the_command_line_names_the_nearest(line, near, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["starmin", *line.split()])
    assert main() == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1 and f"nearest: {near}" in said[0]


def test_a_certificate_that_cannot_be_written_is_told_of(tmp_path, monkeypatch, capsys):
    line = "solve instance:hospital --l 2 --diversity entropy --missing-sensitive none"
    proof = tmp_path / "proof.json"
    line = [*line.split(), "--method", "mondrian", "--certificate", str(proof)]
    monkeypatch.setattr("sys.argv", ["starmin", *line])
    assert main() == 0
    assert "proof.json is not written" in capsys.readouterr().err
    assert not proof.exists()


def test_what_is_wrong_of_a_hierarchy_or_a_step_names_its_column():
    frame = pd.DataFrame({"age": [30, 31, 41, 42], "sex": list("ffmm")})
    for words, why in (
        (
            {"hierarchy": {"age": "range:5"}},
            "hierarchy: age: 'range:5' is neither a file nor a rule (nearest: "
            "'ranges'); rules are prefix, ranges, cuts, dates, rare, as ranges:5,10",
        ),
        (
            {"hierarchy": {"foo": "ranges:5"}},
            "hierarchy: no quasi-identifier or sensitive column 'foo'; these are: "
            "age, sex",
        ),
        (
            {"numeric": ["age"], "round": {"age": "monthly"}},
            "age: expected a step of rounding above 0",
        ),
    ):
        with pytest.raises(TableError) as raised:
            starmin.anonymize(frame, k=2, **words)
        assert why in str(raised.value), raised.value
