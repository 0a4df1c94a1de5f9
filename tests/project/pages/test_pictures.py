"""Tests that pictures are drawn from kept data, shown with it, and can be read."""

import re
import runpy
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

import starmin
from tests.support.places import HOME

DOCS = HOME / "docs"
SCRIPTS = DOCS / "site" / "pictures"
# Script, data, picture, pages.
PICTURES = (
    (
        "before_after",
        "data/before_after.json",
        "before_after.svg",
        ("../README.md", "index.md"),
    ),
    ("group", "data/group.json", "group.svg", ("explanation/what_is_promised.md",)),
    (
        "hierarchy_cut",
        "data/hierarchy_cut.json",
        "hierarchy_cut.svg",
        ("explanation/generalization.md",),
    ),
    (
        "value_and_bound",
        "value_and_bound.csv",
        "value_and_bound.svg",
        ("explanation/gap.md",),
    ),
    ("report", "data/report.json", "report.svg", ("how_to/read_the_report.md",)),
    ("frontier", "data/frontier.csv", "frontier.svg", ("how_to/choose_k.md",)),
    (
        "architecture",
        "data/architecture.json",
        "architecture.svg",
        ("explanation/design.md",),
    ),
    (
        "three_phase",
        "data/three_phase.csv",
        "three_phase.svg",
        ("results/three_phase.md",),
    ),
    (
        "hilbert_framework",
        "data/hilbert_framework.csv",
        "hilbert_framework.svg",
        ("results/hilbert_framework.md",),
    ),
    (
        "nonhomogeneous",
        "data/nonhomogeneous.csv",
        "nonhomogeneous.svg",
        ("results/nonhomogeneous.md",),
    ),
    ("corpus", "data/corpus.csv", "corpus.svg", ("results/corpus.md",)),
    ("shapes", "data/shapes.csv", "shapes.svg", ("results/shapes.md",)),
)
NAMES = [each[0] for each in PICTURES]
TOOLS = {"canvas", "axes", "curves", "keeping", "page_pictures"}
SHOWN, READABLE = 380, 13  # pixels: of a picture on a telephone, of its smallest text
PAGES = ("#ffffff", "#0d1117")  # light and dark
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(autouse=True)
def tools_are_found(monkeypatch):
    monkeypatch.syspath_prepend(SCRIPTS)


def script(name):
    return runpy.run_path(str(SCRIPTS / f"{name}.py"))


def test_all_pictures_are_listed():
    assert {each.stem for each in SCRIPTS.glob("*.py")} == {*NAMES} | TOOLS
    read = {Path(data).stem for _, data, _, _ in PICTURES}
    assert read == {*NAMES}


@pytest.mark.parametrize(("name", "data", "picture", "pages"), PICTURES, ids=NAMES)
def test_a_picture_is_that_of_its_data_and_has_their_caption(
    name, data, picture, pages
):
    assert (DOCS / data).is_file()
    made = script(name)
    kept = made["kept"]()
    assert made["drawn"](kept).encode() == (DOCS / picture).read_bytes()
    for page in pages:
        up = "docs/" if page.startswith("..") else "../" * page.count("/")
        shown = f"![{made['caption'](kept)}]({up}{picture})"
        assert shown in (DOCS / page).read_text("utf-8"), page


@pytest.mark.parametrize("picture", [each[2] for each in PICTURES], ids=NAMES)
def test_a_picture_can_be_read_on_light_and_dark_pages(picture):
    root = ElementTree.fromstring((DOCS / picture).read_bytes())
    left, top, width, height = map(float, root.get("viewBox").split())
    assert (left, top) == (0, 0)
    style = root.find(f"{SVG}style").text
    light, _, dark = style.partition("@media (prefers-color-scheme: dark)")
    rules = [dict(re.findall(r"\.([\w-]+)\{(.*?)\}", each)) for each in (light, dark)]
    used = set()
    for shape in root:
        used |= set(shape.get("class", "").split())
        assert not str(shape.get("fill", "")).startswith("#"), shape.attrib
        assert shape.get("stroke") is None and shape.get("style") is None
        if shape.tag == f"{SVG}text":
            pixels = float(shape.get("font-size")) * SHOWN / width
            assert pixels >= READABLE, shape.text
        elif shape.tag == f"{SVG}rect" and "fill" in shape.get("class"):
            size = float(shape.get("width")), float(shape.get("height"))
            assert size[0] < width / 2 or size[1] < height / 2, "no background"
    assert used == rules[0].keys() == rules[1].keys()
    assert all(rules[0][name] != rules[1][name] for name in used)


def luminance(colour):
    """Of a colour on a screen, as the guidelines for accessible pages define it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4
        for each in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    least, most = sorted(map(luminance, (one, other)))
    return (most + 0.05) / (least + 0.05)


def test_text_stands_out_from_what_is_behind_it():
    canvas = script("canvas")
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    behind = {name: ["paper", *canvas["BANDS"]] for name in ("ink",)}
    behind |= {name: [None] for name in ("value", "bound")}
    behind |= {"faint": [None, "paper"], "on_mark": ["mark"]}
    behind |= {"on_hidden": ["hidden", "bound"]}
    for at, page in enumerate(PAGES):
        colours = {name: pair[at] for name, pair in canvas["COLOURS"].items()}
        for text, backs in behind.items():
            for back in backs:
                other = colours[back] if back else page
                assert contrast(colours[text], other) >= 4.5, (text, back, page)


def test_text_that_would_be_too_small_is_refused():
    canvas = script("canvas")["Canvas"](100, "A picture")
    with pytest.raises(ValueError, match="too small"):
        canvas.text((0, 10), "words", size=14)


def test_the_class_that_is_drawn_has_the_k_and_l_that_are_said():
    kept = script("group")["kept"]()
    columns = kept["columns"]
    table = starmin.Table.from_rows(
        columns, kept["rows"], qi=columns[:3], sensitive=columns[3:]
    )
    assert starmin.verify(table, k=6, l=2).holds
    assert not starmin.verify(table, k=7).holds
    assert not starmin.verify(table, k=2, l=3).holds
    kept["rows"][0][0] = "40-49"
    with pytest.raises(ValueError, match="2 classes"):
        script("group")["caption"](kept)


def test_what_is_no_cut_is_refused():
    made = script("hierarchy_cut")
    kept = made["kept"]()
    for cut in (["nurse", "office"], ["health", "nurse", "office"], ["office"]):
        with pytest.raises(ValueError, match="A cut has"):
            made["caption"](kept | {"cut": cut})


def test_the_floors_that_are_drawn_are_those_of_the_contract():
    lint = tomllib.loads((HOME / "pyproject.toml").read_text())["tool"]["importlinter"]
    _, *floors = lint["contracts"][0]["layers"]  # those in starmin/
    names = [name for floor in floors for name in floor.split(" | ")]
    drawn = [name for name, *_ in script("architecture")["kept"]()["floors"]]
    assert sorted(drawn) == sorted(["starmin", *names])


def test_the_parts_of_the_report_are_those_of_its_page():
    template = HOME / "starmin" / "report" / "templates"
    told = (template / "release.html").read_text() + (
        template / "macros.html"
    ).read_text()
    headings = script("report")["kept"]()["headings"]
    page = (DOCS / "how_to" / "read_the_report.md").read_text("utf-8")
    for number, heading in enumerate(headings, 2):
        assert re.search(rf'<h2 id="[\w-]+">{heading}</h2>', told), heading
        assert re.search(rf"^{number}\. \*\*{heading}\W", page, re.M), heading
    assert re.search(r"^1\. \*\*", page, re.M)
