"""Tests that separators and encodings are recognised, and kept in the release."""

import json

import pytest

import starmin
from starmin.cli.app import main

ROWS = [("Zoë", "1,5", "a;b"), ("Zoë", "1,5", "a;b"), ("Žofie", "2", 'x "y"\n|')] * 2


def table():
    """A table whose cells hold what separates cells elsewhere."""
    return starmin.Table.from_rows(["name", "size;|", "note,\tß"], ROWS, qi=["name"])


ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]


@pytest.mark.parametrize("encoding", [*ENCODINGS, "utf-32-be", "windows-1252"])
@pytest.mark.parametrize("sep", [",", ";", "\t", "|"])
@pytest.mark.parametrize("ending", [".csv", ".txt", ".csv.gz"])
def test_what_is_written_is_recognised(tmp_path, sep, encoding, ending):
    path = tmp_path / f"a{ending}"
    starmin.write_table(table(), path, sep, encoding)
    back = starmin.read_table(path)
    assert (back.names, back.rows()) == (table().names, table().rows())


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a;b\n1,5;2,5\n2,5;3,5\n", ("a", "b")),
        ('a;b\n"1;5";2,5\n3;"x\n;;;y"\n', ("a", "b")),
        ("a,b;c\n1,2\n3,4;x\n", ("a", "b;c")),
        ("a;b,c\n1;2,x\n3;4\n5;6\n", ("a", "b,c")),
        ("note\na;b\nc|d\n", ("note",)),
        ("a;b\n", ("a", "b")),
        ("a|b\n" + "1|2\n" * 30000, ("a", "b")),
        ("a;b\n" + "1;2,\n" * 30000, ("a", "b")),
    ],
)
def test_the_separator_gives_rows_as_many_cells_as_the_header(tmp_path, text, names):
    path = tmp_path / "a.csv"
    path.write_text(text)
    try:
        assert starmin.read_table(path).names == names
    except starmin.TableError as error:
        assert text.count("\n") == 1 and "no rows" in str(error)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("a b c\n1 x y\n2 z z\n", "' ' would make 3 cells of each line"),
        ("a^b\n1^x\n2^y\n", "'^' would make 2 cells of each line"),
        ("a~b\n1~x\n2~y\n", "'~' would make 2 cells of each line"),
        ("a:b\n1:x\n2:y\n", "':' would make 2 cells of each line"),
        ("a\x1fb\n1\x1fx\n2\x1fy\n", "'\\x1f' would make 2 cells of each line"),
        ("a   b\n1   x\n22  y\n", "blanks align 2 cells in each line"),
        ("name\nAnn Smith\nBob Li\n", None),
        ("born\n2024/05/06\n2024/05/07\n", None),
        ("at\n12:30\n13:30\n", None),
    ],
)
def test_one_column_that_may_be_several_is_told(run, tmp_path, text, hint):
    """In the separator that is named it is read; a column of its own needs no word."""
    (tmp_path / "one.csv").write_text(text)
    for more in ("", "--stream "):
        _, _, err = run(f"bound one.csv {more}--k 2 --method own_pattern --quiet")
        lines = [line for line in err.splitlines() if "read as one column" in line]
        assert (hint is None) == (lines == []) and (hint or "") in "".join(lines)


def test_what_is_no_utf_16_keeps_its_nul(tmp_path):
    """A NUL among letters is one of the file, whatever the parity of its place."""
    for begin in ("", "x"):
        (tmp_path / "a.csv").write_bytes(f"a{begin},b\n1\0,2\n3,4\0\n".encode())
        with pytest.raises(starmin.TableError, match="a NUL byte; remove it"):
            starmin.read_table(tmp_path / "a.csv")


def test_bytes_that_even_windows_lacks_are_latin_1(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"a\n\x81\xe9\n")
    assert starmin.read_table(tmp_path / "a.csv").rows() == [("\x81é",)]


def test_a_character_that_cannot_be_written_is_one_line(tmp_path):
    with pytest.raises(starmin.TableError, match="'Ž' cannot be written in latin-1"):
        starmin.write_table(table(), tmp_path / "a.csv", encoding="latin-1")
    assert not list(tmp_path.iterdir())


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run a command in a folder of its own: exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)
    starmin.write_table(table(), "a.csv", ";", "windows-1252")

    def call(line):
        monkeypatch.setattr("sys.argv", ["starmin", *line.split()])
        return main(), *capsys.readouterr()

    return call


def test_a_release_is_written_as_its_table(run, tmp_path):
    ask = "--k 2 --json --method mondrian"
    code, out, err = run(f"solve a.csv --drop size;| {ask} --out r.csv")
    assert code == 0
    assert "a.csv: read as windows-1252, separated by semicolons" in err
    found = json.loads(out)
    assert (found["separator"], found["encoding"]) == (";", "windows-1252")
    release = (tmp_path / "r.csv").read_bytes()
    assert release.startswith('name;"note,\tß"\nZoë;'.encode("windows-1252"))
    assert run("verify r.csv --k 2 --original a.csv --drop size;|")[0] == 0
    assert run("verify r.csv --k 2 --sep ;")[0] == 0
    assert run("solve a.csv --k 2 --initial r.csv --drop size;| --json")[0] == 0
    assert "read as" not in run(f"solve a.csv {ask} --quiet")[2]


def test_what_is_named_is_obeyed_and_not_said(run, tmp_path):
    line = "solve a.csv --separator ; --encoding latin-1 --k 2 --json --out r.tsv"
    code, out, err = run(f"{line} --method mondrian")
    assert (code, "read as" in err) == (0, False)
    assert (tmp_path / "r.tsv").read_bytes().count(b"\xdf") == 1
    assert json.loads(out)["encoding"] == "latin-1"
    assert run(line.replace("latin-1", "utf-8"))[0] == 2


def test_a_usual_file_is_not_spoken_of(run, tmp_path):
    starmin.write_table(table(), tmp_path / "b.csv")
    code, out, err = run("solve b.csv --k 2 --json --out r.tsv --method mondrian")
    assert (code, "read as" in err) == (0, False)
    assert (json.loads(out)["separator"], json.loads(out)["encoding"]) == (",", "utf-8")
    assert b"\t" in (tmp_path / "r.tsv").read_bytes()


WEIGHTS = ["3,5", "3,50", "-0,25", "7", "7,125", "12", "NA", "NA"]


@pytest.mark.parametrize("rounding", ["", "--round weight=0.5"])
def test_decimal_commas_are_numbers_and_published_as_such(run, tmp_path, rounding):
    """Of the same numbers with points the release is the same but for the marks."""
    releases = []
    for name, mark in (("c", ","), ("p", ".")):
        lines = [text.replace(",", mark) + ";x" for text in WEIGHTS]
        (tmp_path / f"{name}.csv").write_text("\n".join(["weight;b", *lines, ""]))
        words = f"--recoding generalization --numeric weight --k 2 {rounding}"
        line = f"solve {name}.csv {words} --missing NA --out {name}.r.csv --json"
        code, out, err = run(line)
        assert code == 0, err
        check = f"verify {name}.r.csv {words} --missing NA --original {name}.csv"
        code, told, err = run(f"{check} --utility --json")
        assert code == 0, err
        assert json.loads(told)["gcp"] == json.loads(out)["gcp"] > 0
        releases.append((tmp_path / f"{name}.r.csv").read_text())
    assert "," in releases[0] and "." not in releases[0]
    assert releases[0].replace(",", ".") == releases[1]


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        (["1,234", "2.5"], "both '1,234' and '2.5'"),
        (["1,234", "56"], "may be 1234 or 1.234"),
        (["1,234.5", "56"], "expected a number"),
    ],
)
def test_commas_of_thousands_are_refused(cells, why):
    rows = [[cell] for cell in cells]
    mixed = starmin.Table.from_rows(["a"], rows, qi=["a"])
    with pytest.raises(starmin.TableError, match=why):
        starmin.Scales.of(mixed, ["a"])
