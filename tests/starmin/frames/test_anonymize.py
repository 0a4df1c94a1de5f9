"""Tests that a data frame becomes a release with its proof, whatever is asked."""

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import starmin
from tests.support.report_pages import Page

ROWS = 24


def people(seed: int = 1) -> pd.DataFrame:
    """A small table of people, its index no range."""
    draw = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": draw.integers(20, 40, ROWS),
            "ill": draw.choice(["flu", "gout", "cold"], ROWS),
            "sex": draw.choice(["f", "m"], ROWS),
            "zip": draw.choice(["12345", "12399", "54321"], ROWS),
        },
        index=range(100, 100 + ROWS),
    )


ASKED = [
    {"k": 3},
    {"l": 2},
    {"k": 3, "l": 2},
    {"l": 2, "diversity": "distinct"},
    {"l": 2, "diversity": "entropy"},
    {"l": 2, "diversity": "recursive", "c": 2.0},
    {"alpha": 0.6},
    {"t": 0.5},
    {"k": 2, "requirement": starmin.DistinctDiversity(2)},
]


@pytest.mark.parametrize("asked", ASKED, ids=str)
@pytest.mark.parametrize("recoding", ["suppression", "generalization", "permutation"])
def test_every_requirement_and_recoding_of_groups(asked, recoding):
    if recoding == "permutation" and asked == {"k": 3}:
        asked = {"k": 3, "l": 2}
    frame = people()
    release = starmin.anonymize(
        frame, sensitive="ill", recoding=recoding, method="mondrian", **asked
    )
    check = release.verify()
    assert check.holds and check.consistent
    assert len(release.frame) == len(release.groups) == ROWS
    assert release.frame.index.equals(frame.index)
    groups = len(np.unique(release.groups))  # several may look alike in the release
    assert groups == release.as_json()["groups"] >= check.groups


@pytest.mark.parametrize("recoding", ["suppression", "generalization"])
def test_non_homogeneous_releases_by_stars_and_by_ranges(recoding):
    numeric = ["age"] if recoding == "generalization" else []
    frame = people()[["age", "sex"]]
    told = {"recoding": "nonhomogeneous", "numeric": numeric, "method": "ring"}
    if numeric:
        told["method"] = "freeform"
    release = starmin.anonymize(frame, k=3, **told)
    assert release.verify().holds and release.groups is None


def test_a_bound_by_generalization_is_a_share_that_its_certificate_proves():
    frame = people()
    trees = {"zip": {"123": ["12345", "12399"], "54321": None}}
    release = starmin.anonymize(
        frame, sensitive="ill", k=3, hierarchy=trees, time_limit=20
    )
    assert 0 < release.certified_bound <= release.lower_bound <= release.value <= 1
    check = release.certificate.check(frame)
    assert check.accepted and check.share == release.certified_bound
    assert release.verify().gcp == pytest.approx(release.value)
    assert not release.certificate.check(frame.assign(zip="54321")).accepted


def test_rounding_levels_and_losses_of_nodes():
    frame = people().head(16)
    trees = {"zip": {"12": {"123": ["12345", "12399"]}, "54": ["54321"]}}
    release = starmin.anonymize(
        frame[["age", "zip"]],
        k=4,
        hierarchy=trees,
        round={"age": 5},
        max_level={"zip": 1},
        loss={"zip": {"123": 0.25, "12": 0.5, "*": 1, "54": 0}},
        time_limit=20,
    )
    assert release.verify().holds and release.verify().consistent
    assert release.certificate.check(frame).accepted
    assert not {"12", "*"} & {*release.frame["zip"]}
    ends = release.frame["age"].str.extract(r"\[(\d+)-(\d+)\]").dropna().astype(int)
    assert len(ends) and not (ends % 5).any(axis=None)


def test_the_search_is_told_of_and_may_be_stopped():
    told = []
    release = starmin.anonymize(
        people(), sensitive="ill", k=3, on_progress=told.append, time_limit=2
    )
    assert tuple(told) == release.history and told[-1].value >= release.value
    titles = [axes.get_title(loc="left") for axes in release.plot().axes]
    assert titles == ["Value and bound", "Cells that are not published as they were"]
    value, bound = release.plot().axes[0].get_lines()
    for line in (value, bound):
        assert sorted(line.get_xdata()) == list(line.get_xdata())
    assert value.get_ydata()[-1] == release.value == min(value.get_ydata())
    assert bound.get_ydata()[-1] == release.lower_bound == max(bound.get_ydata())
    with pytest.raises(TypeError, match="on_progress"):
        starmin.anonymize(people(), k=3, on_progress=5)


def test_a_certificate_is_checked_from_its_file(tmp_path):
    frame = people()
    release = starmin.anonymize(frame, sensitive="ill", k=3, time_limit=20)
    release.certificate.write(tmp_path / "proof.json")
    check = starmin.check_certificate(tmp_path / "proof.json", frame)
    assert check.accepted and check.bound >= release.certified_bound > 0
    assert not starmin.check_certificate(
        tmp_path / "proof.json", frame.assign(age=30)
    ).accepted


def test_columns_have_the_roles_that_are_told():
    frame = people().rename_axis("person")
    with pytest.warns(
        UserWarning, match="as they are: sex; 0 of 24 .*; the index 'person'"
    ):
        release = starmin.anonymize(
            frame, qi=["zip"], sensitive=["ill"], k=3, drop=["age"]
        )
    assert list(release.frame) == ["ill", "sex", "zip"]
    with pytest.warns(UserWarning, match="as they are: the index without a name"):
        named = people().set_axis([f"person {i}" for i in range(ROWS)])
        starmin.anonymize(named, sensitive="ill", k=3, method="forest")
    assert release.frame["sex"].equals(frame["sex"])
    kept = starmin.anonymize(people(), sensitive="ill", k=2, keep=["sex"])
    assert kept.frame["sex"].equals(people()["sex"])
    weighed = starmin.anonymize(
        people(), sensitive="ill", k=2, weights={"age": 0, "sex": 5}, method="forest"
    )
    assert weighed.as_json()["value"] == weighed.value
    per_row = people().assign(k=2)
    release = starmin.anonymize(per_row, sensitive="ill", k_column="k", alpha=0.9)
    assert release.frame["k"].tolist() == [2] * ROWS and release.verify().k >= 2


def test_a_shuffled_release_tells_nothing_of_the_order():
    frame = people()
    release = starmin.anonymize(
        frame, sensitive="ill", k=3, shuffle=True, time_limit=20
    )
    assert release.frame.index.tolist() == list(range(ROWS))
    assert sorted(release.order) == list(range(ROWS))
    check = release.verify()
    assert check.holds and check.consistent
    sizes = pd.Series(release.groups).groupby(release.groups).size()
    assert sizes.min() >= 3 and len(release.groups) == ROWS


def test_a_permutation_has_a_second_frame_of_the_types_that_came_in():
    frame = pl.DataFrame({"a": [1, 2, 3, 4], "s": [1.5, 2.5, 1.5, 2.5]})
    release = starmin.anonymize(frame, sensitive="s", l=2, recoding="permutation")
    assert release.frame["a"].to_list() == [1, 2, 3, 4]
    values = release.sensitive_values
    assert dict(values.schema) == {
        "group": pl.Int64,
        "s": pl.Float64,
        "count": pl.Int64,
    }
    assert {*values["s"]} == {1.5, 2.5} and values["count"].sum() == 4
    assert release.verify().holds


def test_an_infeasible_frame_has_a_reason_and_no_release():
    release = starmin.anonymize(people(), sensitive="ill", k=ROWS + 1)
    assert release.status == "infeasible" and release.frame is None
    assert release.value is None and "fewer than k" in release.reason
    assert "infeasible" in repr(release) and "infeasible" in release._repr_html_()
    with pytest.raises(ValueError, match="There is no release: 24 rows"):
        release.verify()


def test_it_starts_from_an_earlier_release():
    frame = people()
    five = starmin.anonymize(frame, sensitive="ill", k=5, method="mondrian")
    three = starmin.anonymize(
        frame, sensitive="ill", k=3, method="local_search", initial=five
    )
    assert three.value <= five.value


def test_summary_report_and_picture(tmp_path):
    frame = people()
    release = starmin.anonymize(frame, sensitive="ill", k=3, l=2, time_limit=2)
    assert "asked     k = 3, l = 2" in release.summary()
    release.report(tmp_path / "page.html")
    codes = "\n".join(Page((tmp_path / "page.html").read_text()).codes)
    asked = "sensitive='ill', k=3, l=2, time_limit=2"
    assert f"starmin.anonymize(frame, {asked})" in codes
    assert "release.certificate.check(frame)" in codes
    axes = release.plot().axes
    assert [text.get_text() for text in axes[-1].get_yticklabels()] == [
        "age",
        "sex",
        "zip",
    ]
    shown = release._repr_html_()
    assert shown.count("<tr>") >= 5 and "24 rows" in shown
    assert repr(release).startswith(
        "Anonymization(24 rows, k = 3, l = 2 by age, sex and zip: "
    )


def test_the_first_line_names_columns_that_are_text_now():
    ways = [
        ({}, True),
        ({"stars": "missing"}, False),
        ({"recoding": "generalization"}, True),
        ({"recoding": "generalization", "intervals": True}, False),
    ]
    typed = people()
    frames = [typed, pl.from_pandas(typed), pa.Table.from_pandas(typed)]
    for frame, (way, told) in product(frames, ways):
        release = starmin.anonymize(frame, sensitive="ill", k=3, work_limit=1, **way)
        assert ("; text now: age" in repr(release)) == told, way


def test_hierarchies_in_every_form(tmp_path):
    frame = people()
    tree = starmin.prefix_taxonomy(frame["zip"], [3])
    tree.write(tmp_path / "zip.csv")
    levels = pd.DataFrame(tree.levels)
    levels.columns = ["zip", "area", "all"]
    nested = {"123*": ["12345", "12399"], "543*": ["54321"]}
    forms = [tree, str(tmp_path / "zip.csv"), tmp_path / "zip.csv", levels, nested]
    given = [{"zip": form} for form in forms] + [tmp_path]
    found = {
        starmin.anonymize(
            frame, qi=["zip"], drop=["ill", "age", "sex"], k=9, hierarchy=each
        )
        .frame["zip"]
        .value_counts()
        .to_json()
        for each in given
    }
    assert len(found) == 1 and "123*" in found.pop()


@pytest.mark.parametrize(
    ("given", "error", "why"),
    [
        ({"sensitve": "ill"}, TypeError, "nearest: 'sensitive'"),
        ({"sensitive": "il"}, starmin.TableError, "nearest: 'ill'"),
        ({"qi": ["agee"]}, starmin.TableError, "nearest: 'age'"),
        ({"qi": "age"}, TypeError, r"write \['age'\]"),
        ({"k": None}, ValueError, "nothing is required"),
        ({"k": 2.5}, TypeError, "whole number"),
        ({"l": 2}, starmin.TableError, "name it by sensitive"),
        ({"c": 2.0}, starmin.TableError, "c and diversity='recursive' need each"),
        ({"distance": "ordered"}, starmin.TableError, "distance='ordered' needs t"),
        ({"stars": "nan"}, ValueError, "text or missing, got 'nan'"),
        ({"recoding": "supression"}, ValueError, "nearest: 'suppression'"),
        ({"method": "mondrain"}, starmin.NotSupportedError, "nearest: 'mondrian'"),
        (
            {"hierarchy": {"zip": 5}},
            TypeError,
            "a nested dict, a list of widths or a frame",
        ),
        ({"hierarchy": Path("zip.csv")}, starmin.TableError, "{column: file}"),
        ({"hierarchy": {"zi": {"a": None}}}, starmin.TableError, "nearest: 'zip'"),
        ({"numeric": ["zip", "x"]}, starmin.TableError, "'x'"),
        ({"star": "f"}, starmin.TableError, "holds the star symbol"),
        ({"loss": "ncp"}, ValueError, "loss ncp: is for objective gcp"),
    ],
)
def test_bad_arguments_are_refused_with_the_mend(given, error, why):
    with pytest.raises(error, match=why):
        starmin.anonymize(people(), **{"k": 2} | given)


@pytest.mark.parametrize("frame", ["people.csv", 5])
def test_what_is_no_frame_is_refused(frame):
    with pytest.raises((TypeError, starmin.TableError), match="rame"):
        starmin.anonymize(frame, k=2)


def test_the_lower_face_publishes_every_recoding():
    table = starmin.from_frame(people(), sensitive=["ill"])
    for recoding in ("suppression", "generalization", "permutation", "nonhomogeneous"):
        asked = {"k": 2} if recoding == "nonhomogeneous" else {"l": 2}
        found = starmin.solve(table, **asked, recoding=recoding, time_limit=2)
        assert isinstance(found, starmin.Solution) and found.published.n == ROWS
        assert len(found.release.tables()) == 1 + (recoding == "permutation")
        assert len(repr(found)) < 120 and f"value={found.value}" in repr(found)


def test_tables_and_releases_are_shown_in_a_line():
    table = starmin.from_frame(people(), sensitive=["ill"])
    assert (
        repr(table)
        == "Table(frame: 24 rows; quasi-identifiers age, sex, zip; sensitive ill)"
    )


def test_a_transformer_in_the_form_of_scikit_learn():
    steps = starmin.Anonymizer(k=2, sensitive="ill", method="forest")
    assert steps.get_params() == {"k": 2, "sensitive": "ill", "method": "forest"}
    again = type(steps)(**steps.get_params()).set_params(k=3)
    assert again.get_params()["k"] == 3 and "k=3" in repr(again)
    frame = again.fit_transform(people())
    assert again.release_.frame.equals(frame) and again.release_.verify().k >= 3
    out = again.set_output(transform="polars").fit_transform(people())
    assert isinstance(out, pl.DataFrame) and out.columns == list(people())
    with pytest.raises(TypeError, match="nearest: 'sensitive'"):
        again.set_params(sensitve="ill")
    with pytest.raises(ValueError, match="There is no release"):
        again.set_params(k=ROWS + 1).fit_transform(people())


def test_versions_agree():
    from importlib.metadata import version

    assert starmin.__version__ == version("starmin")
