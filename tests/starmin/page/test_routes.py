"""The routes of the page without a browser: attacks, uploads, versions, words."""

import json
import os
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("starlette")
pytestmark = pytest.mark.filterwarnings("ignore:Using `httpx`")

from starmin.page.commands import shown  # noqa: E402
from starmin.page.folder import Folder, PageError, safe_name  # noqa: E402
from starmin.page.server import Page  # noqa: E402
from starmin.page.steps import STEPS  # noqa: E402
from starmin.recipes.edit import Settings  # noqa: E402

BASE = "http://127.0.0.1:8000"
HOSTILE = 'x\' onmouseover="alert(1)" <script>\u202e'


class Client:
    """A browser that has the address."""

    def __init__(self, folder: Path) -> None:
        from starlette.testclient import TestClient

        self.page = Page(Folder(folder), 8000)
        self.page.session.folder.take()
        self.http = TestClient(self.page.app(), base_url=BASE, follow_redirects=False)

    def enter(self) -> "Client":
        assert self.http.get(self.page.address).status_code == 303
        return self

    def get(self, path: str, **more):
        return self.http.get(path, **more)

    def post(self, step: str, file=None, token=None, **fields):
        parts = [("token", (None, token or self.page.form_token))]
        for name, value in fields.items():
            values = value if isinstance(value, list) else [value]
            parts += [(name.replace("__", "."), (None, each)) for each in values]
        if file is not None:
            parts.append(("file", file))
        return self.http.post(f"/{step}", files=parts)

    def end(self) -> None:
        self.page.session.commands.end()
        self.page.session.folder.release_lock()


@pytest.fixture
def client(tmp_path):
    made = Client(tmp_path / "work").enter()
    yield made
    made.end()


def answering(client, monkeypatch, **answers):
    """Let commands answer at once; returns what was asked."""
    asked = []

    def ask(words, key=""):
        asked.append([*words])
        answer = answers[words[0]]
        return answer(words) if callable(answer) else answer

    monkeypatch.setattr(client.page.session.commands, "ask", ask)
    counted = {"alone": 3, "before": 4, "otherwise": {}}
    commands = client.page.session.commands
    monkeypatch.setattr(commands, "alone", lambda *of: counted)
    return asked


def column(name, role="quasi-identifier"):
    return {
        "name": name,
        "role": role,
        "kind": "text",
        "why": "",
        "distinct": 2,
        "missing": 0,
        "values": [["a", 2], ["b", 1]],
        "bins": [["1", "2", 3]],
    }


def proposing(names):
    """What `new` answers, and writes, for a table of these columns."""

    def new(words):
        if "--out" in words:
            Path(words[words.index("--out") + 1]).write_text(
                "[columns]\n"
                + "".join(
                    f'{json.dumps(n)} = {{ role = "quasi-identifier" }}\n'
                    for n in names
                )
                + "[requirement]\nk = 5\n"
            )
        return {
            "rows": 3,
            "told": [],
            "separator": ",",
            "encoding": "utf-8",
            "first": [["a"] * len(names)],
            "columns": [column(n) for n in names],
            "beside": {"rows": 3, "missing": [], "added": [], "columns": {}},
        }

    return new


def test_nobody_comes_in_but_by_the_address_and_once(tmp_path):
    client = Client(tmp_path / "work")
    address = client.page.address
    assert client.get("/table").status_code == 403
    assert client.get("/?token=guess").status_code == 403
    first = client.get(address)
    cookie = first.headers["set-cookie"]
    assert first.status_code == 303 and "token" not in first.headers["location"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie
    assert client.get("/table").status_code == 200
    client.http.cookies.clear()
    assert client.get(address).status_code == 403, "the token is good once"
    client.end()


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "127.0.0.1:8001"},
        {"host": "127.0.0.1:8000.evil.example"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "https://127.0.0.1:8000"},
    ],
)
def test_other_hosts_and_origins_are_refused(client, headers):
    for step in STEPS:
        assert client.get(f"/{step.name}", headers=headers).status_code == 403
    form = {"token": (None, client.page.form_token), "do": (None, "next")}
    answer = client.http.post("/close", files=form, headers=headers)
    assert answer.status_code == 403


def test_forms_need_their_token_before_a_file_is_written(client):
    uploads = client.page.session.folder.path / "uploads"
    answer = client.post("table", ("a.csv", b"a\n1\n"), token="guess", do="open")
    assert answer.status_code == 403 and not uploads.exists()
    for step in ("columns", "alone", "close"):
        assert client.post(step, token="guess").status_code == 403
    plain = client.http.post("/table", data={"token": client.page.form_token})
    assert plain.status_code == 403, "forms have one kind"
    site = {"sec-fetch-site": "cross-site"}
    form = {"token": (None, client.page.form_token)}
    assert client.http.post("/close", files=form, headers=site).status_code == 403


def test_answers_carry_the_policy_and_nothing_of_elsewhere(client, monkeypatch):
    answering(client, monkeypatch, new=proposing([HOSTILE, "age"]))
    client.post("table", ("people.csv", b"a\n1\n"), do="open")
    for step in STEPS:
        answer = client.get(f"/{step.name}")
        assert answer.status_code == 200, answer.text
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy
        assert answer.headers["cache-control"] == "no-store"
        assert f"<h1>{step.title}</h1>" in answer.text
        assert "<script>" not in answer.text and 'onmouseover="' not in answer.text
        assert "people" not in answer.text.split("<title>")[1].split("</title>")[0]
        assert "http://" not in answer.text.replace(BASE, "")
        assert 'id="command"' in answer.text


PATHS = """
/files/1/../../page.json /files/1/..%2f..%2fpage.json /files/1/page.json
/files/1/%2e%2e/%2e%2e/page.json /files/../page.json /static/../server.py
/static/base.html /files/1/version.json /files/9/release /files/0/x
/files/1/link.csv /part/none /etc/passwd //etc/passwd
"""


@pytest.mark.parametrize("path", PATHS.split())
def test_no_path_reaches_the_disk(client, path):
    folder = client.page.session.folder
    version = folder.new_version()
    (version / "release.csv").symlink_to("/etc/passwd")
    (version / "link.csv").symlink_to("/etc/passwd")
    folder.finish(version, {"saved": ["link.csv", "../../page.json"]})
    folder.remember(x=1)
    assert client.get(path).status_code in (403, 404)
    assert client.get("/files/1/release").status_code == 404, "a link is no file of it"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../a.csv", "a.csv"),
        ("..", "table"),
        ("a\r\nb.csv", "a__b.csv"),
        ("/etc/passwd", "passwd"),
        ("-rf.csv", "rf.csv"),
        ("\u202egpj.csv", "_gpj.csv"),
        ("ä" * 200 + ".csv", "ä" * 58 + ".csv"),
    ],
)
def test_names_of_uploads_are_names(given, kept):
    assert safe_name(given) == kept


def test_an_upload_lies_whole_in_the_folder_alone(client, monkeypatch, tmp_path):
    asked = answering(client, monkeypatch, new=proposing(["age"]))
    content = os.urandom(3_000_000)
    for number in (1, 2):
        client.post("table", ("x'\"<b>.csv", content), do="open")
        table = Path(asked[-1][1])
        assert table.read_bytes() == content and table.parent.name == "uploads"
        assert len([*table.parent.iterdir()]) == number, "none is written over"
    assert client.page.session.folder.path.stat().st_mode & 0o077 == 0
    client.page._receiving = True
    second = client.post("table", ("b.csv", content), do="open")
    assert second.status_code == 409 and "being received" in second.text


def test_a_spreadsheet_that_would_be_huge_is_refused(client, tmp_path):
    path = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b"0" * 300_000_000)
    answer = client.post("table", path=str(path), do="open")
    assert answer.status_code == 400 and "GB unpacked" in answer.text


def test_a_new_page_opens_where_the_old_one_was(tmp_path, monkeypatch):
    old = Client(tmp_path / "work").enter()
    answering(old, monkeypatch, new=proposing(["age", "sex"]))
    old.post("table", ("a.csv", b"age\n1\n"), do="open")
    old.get("/columns")
    folder = old.page.session.folder
    half = folder.new_version()
    (half / "release.csv").write_text("half")
    (folder.path / "uploads" / ".part-1").write_text("half")
    with pytest.raises(PageError, match="has this folder open"):
        Folder(tmp_path / "work").take()
    old.end()
    new = Client(tmp_path / "work").enter()
    answering(new, monkeypatch)
    assert not half.exists() and not (folder.path / "uploads" / ".part-1").exists()
    assert new.get("/").headers["location"] == "/columns"
    assert "Role of sex" in new.get("/columns").text
    new.end()


def test_roles_and_ranges_are_the_settings_file(client, monkeypatch):
    answering(client, monkeypatch, new=proposing(["age", "sex", "ill", "id"]))
    client.post("table", ("a.csv", b"age\n1\n"), do="open")
    settings = client.page.session.folder.settings
    said = "known to others", "known to others", "sensitive", "person"
    roles = {f"role_{place}": role for place, role in enumerate(said)}
    answer = client.post("columns", do="next", ranges_0="yes", **roles)
    assert answer.headers["location"] == "/risk"
    told = Settings(settings).told
    assert (told["qi"], told["numeric"]) == (("age", "sex"), ("age",))
    assert (told["sensitive"], told["person"]) == (("ill",), "id")
    assert told["recoding"] == "generalization"
    before = settings.read_bytes()
    roles["role_2"] = "person"
    answer = client.post("columns", do="next", **roles)
    assert answer.status_code == 400 and "Only one column" in answer.text
    assert settings.read_bytes() == before, "a refusal changes nothing"
    answer = client.post(
        "requirement", do="next", requirement__k="x", **{"requirement__k__there": "1"}
    )
    assert answer.status_code == 400 and "whole number" in answer.text
    roles |= {"set_role": "not published", "role_2": "sensitive"}
    client.post("columns", do="set", select=["0", "1"], **roles)
    assert Settings(settings).told["drop"] == ("age", "sex")
    assert "numeric" not in Settings(settings).told


def test_a_choice_is_not_lost_by_an_older_page_in_another_tab(client, monkeypatch):
    answering(client, monkeypatch, new=proposing(["age", "sex"]))
    client.post("table", ("a.csv", b"age\n1\n"), do="open")
    session = client.page.session
    shown = session.seen
    assert f'name="seen" value="{shown}"' in client.get("/columns").text
    client.post("columns", seen=shown, do="next", role_0="sensitive")
    kept = session.folder.settings.read_bytes()
    for step in ("columns", "broader", "requirement", "run", "table"):
        answer = client.post(step, seen=shown, do="next", role_0="person")
        assert answer.status_code == 400 and "in another tab" in answer.text, step
        assert f'value="{session.seen}"' in answer.text, "as it is now"
    assert session.folder.settings.read_bytes() == kept
    assert client.post("columns", seen=session.seen, do="next").status_code == 303
    session.folder.remember(coming="july.csv")
    answer = client.post("next", do="take", path="august.csv")
    assert answer.status_code == 400 and "Look first" in answer.text


def test_labels_of_a_file_stand_beside_its_codes(client, monkeypatch):
    answer = proposing(["sex", "age"])
    labels = {"label": "Sex of <person>", "labels": {"a": "male & <b>", "1": "one"}}

    def new(words):
        told = answer(words)
        told["columns"][0].update(labels)
        return told

    answering(client, monkeypatch, new=new)
    client.post("table", ("a.sav", b"1"), do="open")
    for step in ("table", "columns", "broader"):
        text = client.get(f"/{step}").text
        assert "Sex of &lt;person&gt;" in text and "male &amp; &lt;b&gt;" in text, step
    assert "sex: 1 (one) to 2" in text and "1 (one) to 2: 3 rows" in text


def test_each_form_has_the_number_of_its_own_roles_however_quick_they_follow(client):
    client.post("table", path="instance:hospital", do="open")
    session = client.page.session

    class Reading:
        def answer(self, file):
            time.sleep(0.001)
            return {"read": file.read_text()}

        def end(self):
            pass

    session.commands.unfollow()
    session.commands._follower = tuple(session.words()), Reading()

    def ask(number):
        return session.alone(SimpleNamespace(text=lambda: f"{number}"))["read"]

    with ThreadPoolExecutor(8) as threads:
        assert [*threads.map(ask, range(80))] == [*map(str, range(80))]


def test_one_search_at_a_time_and_its_best_is_kept(client, tmp_path):
    """A real one: a second is refused, it is stopped, and goes on from its release."""
    client.post("table", path="instance:cases:n=3000", do="open")
    client.post("run", do="run", run__time_limit="1000")
    client.post("run", do="next", **{"run__time-limit__there": "1"})
    search = client.page.session.commands.search
    assert search is not None
    end = time.monotonic() + 120
    while not search.points and time.monotonic() < end:
        time.sleep(0.1)
    again = client.post("run", do="run")
    assert again.status_code == 400 and "A search runs" in again.text
    assert client.post("table", path="instance:hospital", do="open").status_code == 400
    client.post("run", do="stop")
    search.wait(120)
    version = client.page.session.folder.version()
    assert version is not None and version.about["stopped"]
    assert version.file("release") and version.file("report") is not None
    assert version.about["command"] == shown(search.words)
    told = [
        json.loads(line)
        for line in (version.folder / "progress.jsonl").read_text().splitlines()
        if line.startswith("{")
    ]
    assert {"seconds", "value", "bound", "gap", "method"} == {*told[-1]}
    values = [p["value"] for p in told if p["value"] is not None]
    assert values == sorted(values, reverse=True)
    client.post("run", do="go_on")
    search = client.page.session.commands.search
    assert search is not None and "--initial" in search.words
    search.stop()
    search.wait(120)
