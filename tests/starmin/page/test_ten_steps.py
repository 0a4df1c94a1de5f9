"""The ten steps in a real browser: each ends in a file that its command writes, too.

axe-core (``axe.min.js``, 4.10.2, MPL-2.0, ``axe.LICENSE``) looks at each screen.
"""

import csv
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from starmin.cli.app import main
from starmin.recipes.recipe import Recipe
from tests.support.chromium import NEEDED, chromium

pytest.importorskip("starlette")
pytestmark = NEEDED
AXE = (Path(__file__).parent / "axe.min.js").read_text("utf-8")
LONG = 120.0  # seconds: nothing here takes so long but on a machine that is busy
NONE = "\N{EN DASH}"
NASTY = "o'\"<script>alert(1)</script>\u200f"
STEPS = (
    *("Table", "Columns", "Risk before", "Broader values", "Requirement", "Run"),
    *("Result", "Versions", "Save", "Next month"),
)


@pytest.fixture
def browser(tmp_path):
    """A browser with an empty profile that writes down what it asks for."""
    with chromium(tmp_path / "profile", browser="ALL", performance="ALL") as driver:
        driver.set_page_load_timeout(LONG)
        driver.set_script_timeout(LONG)
        yield driver


class Server:
    """``starmin page``, as a user starts it."""

    def __init__(self, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "starmin", "page", "--no-browser", *words],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()

    def end(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait(LONG)


def people(path: Path, rows: int, town: str = "") -> Path:
    """A table of people; the last of them live in a further town."""
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["name", "age", NASTY, "ill"])
        for i in range(rows):
            place = town if town and i > rows - 3 else ("<b>a", "b", "c", "d")[i % 4]
            ill = ("flu", "cold", "none")[i % 3]
            out.writerow([f"n{i}", 20 + (i * 7) % 15, place, ill])
    return path


def run(words: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "argv", words)
    return main()


class Walker:
    """Whoever goes through the page, by Tab, arrows, Space and Enter alone."""

    def __init__(self, browser) -> None:
        self.browser = browser

    def wait(self, found, what: str = ""):
        end = time.monotonic() + LONG
        while time.monotonic() < end:
            try:
                if (seen := found()) not in (None, False, ""):
                    return seen
            except Exception as error:  # a page that is replaced as it is looked at
                what = f"{what} {error}"
            time.sleep(0.1)
        raise AssertionError(f"{what}: {self.text('main')}")

    def one(self, way: str):
        return self.browser.find_element("css selector", way)

    def text(self, way: str) -> str:
        return self.one(way).text

    def keys(self, *keys: str) -> None:
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.browser).send_keys(*keys).perform()

    def reach(self, name: str):
        """Go to a control by its accessible name; it is seen where the focus is."""
        for _ in range(200):
            at = self.browser.switch_to.active_element
            if at.tag_name != "h1" and at.accessible_name == name:
                line = "return getComputedStyle(arguments[0]).outlineStyle"
                assert self.browser.execute_script(line, at) != "none", name
                return at
            self.keys("\ue004")  # Tab
        raise AssertionError(f"no control {name!r}")

    def press(self, name: str) -> None:
        before = self.one("html").id
        self.reach(name).send_keys("\ue007")  # Enter
        self.wait(lambda: self.one("html").id != before, f"after {name}")

    def tick(self, name: str) -> None:
        self.reach(name).send_keys(" ")

    def fill(self, name: str, text: str) -> None:
        self.reach(name).send_keys("\ue009a\ue000", text)  # over all that is there

    def choose(self, name: str, option: str) -> None:
        from selenium.webdriver.support.select import Select

        select = Select(self.reach(name))
        options = [each.text for each in select.options]
        steps = options.index(option) - options.index(select.first_selected_option.text)
        self.keys(("\ue015" if steps > 0 else "\ue013") * abs(steps))  # down or up
        assert select.first_selected_option.text == option

    def settled(self) -> None:
        """Wait until no part of the step is waited for."""
        busy = "return document.querySelectorAll('div[aria-busy=true]').length"
        self.wait(lambda: self.browser.execute_script(busy) == 0, "parts")

    def arrive(self, heading: str) -> None:
        self.wait(lambda: self.text("h1") == heading, heading)
        self.wait(lambda: self.browser.switch_to.active_element.tag_name == "h1")
        self.settled()
        self.look(heading)

    def look(self, heading: str) -> None:
        """The screen is in order: for axe, dark and light, narrow and wide."""
        for width, scheme in ((420, "dark"), (1200, "light")):
            self.browser.execute_cdp_cmd(
                "Emulation.setDeviceMetricsOverride",
                {
                    "width": width,
                    "height": 900,
                    "deviceScaleFactor": 1,
                    "mobile": False,
                },
            )
            features = [{"name": "prefers-color-scheme", "value": scheme}]
            self.browser.execute_cdp_cmd(
                "Emulation.setEmulatedMedia", {"features": features}
            )
            wide = self.browser.execute_script(
                "return document.documentElement.scrollWidth"
            )
            assert wide <= width, (heading, width)
            if not self.browser.execute_script("return 'axe' in window"):
                self.browser.execute_script(AXE)
            found = self.browser.execute_async_script(
                "axe.run().then((r) => arguments[0](r.violations.map((v) => [v.id, "
                "v.nodes.map((n) => n.html.slice(0, 200))])))"
            )
            assert found == [], (heading, scheme, found)
            if folder := os.environ.get("PICTURES"):
                name = f"{heading.replace(' ', '_')}_{width}_{scheme}.png"
                self.browser.save_screenshot(str(Path(folder, name)))

    def command(self) -> list[str]:
        shown = self.one("#command").get_attribute("textContent")
        return shlex.split(shown)


def with_(words: list[str], **options: Path) -> list[str]:
    """The words of a command with other files."""
    for option, value in options.items():
        words[words.index(f"--{option}") + 1] = str(value)
    return words


def test_ten_steps_end_in_what_commands_write(browser, tmp_path, monkeypatch, capsys):
    table, folder = people(tmp_path / "june.csv", 24), tmp_path / "work"
    server, walk, mine = (
        Server("--folder", str(folder)),
        Walker(browser),
        tmp_path / "my",
    )
    mine.mkdir()
    try:
        browser.get(server.address)
        walk.arrive("Table")
        walk.fill("File or path", str(table))
        walk.press("Open")
        assert run(with_(walk.command(), out=mine / "new.toml"), monkeypatch) == 0
        settings = folder / "settings.toml"
        assert settings.read_bytes() == (mine / "new.toml").read_bytes()
        assert walk.text("tbody tr td:nth-child(3)") == "<b>a"
        walk.press("Next")

        walk.arrive("Columns")
        walk.choose("Role of name", "not published")
        if not walk.reach("Ranges for age").is_selected():
            walk.tick("Ranges for age")
        walk.choose("Role of ill", "sensitive")
        walk.wait(lambda: walk.text("#alone-now") not in ("", NONE))
        walk.press("Next")
        told = Recipe.read(settings).told
        assert (told["drop"], told["sensitive"]) == (("name",), ("ill",))
        assert (told["qi"], told["numeric"]) == (("age", NASTY), ("age",))

        walk.arrive("Risk before")
        line = walk.command()
        assert run(with_(line, report=mine / "risk.html"), monkeypatch) == 0
        theirs = (folder / "risk.html").read_bytes()
        assert theirs == (mine / "risk.html").read_bytes()
        walk.press("Next")

        walk.arrive("Broader values")
        before = walk.wait(lambda: walk.text("#alone-now").strip(NONE))
        walk.fill("Step of age", "5")
        walk.wait(lambda: walk.text("#alone-now") != before, "the number moves")
        walk.tick(f"Join values of {NASTY} by hand")
        for value in walk.browser.find_elements("name", "value_2")[:2]:
            walk.tick(value.accessible_name)
        walk.fill(f"Name of what is joined in {NASTY}", "west")
        walk.press(f"Join in {NASTY}")
        made = next((folder / "hierarchies").iterdir())
        assert run(with_(walk.command(), out=mine / "tree.csv"), monkeypatch) == 0
        assert made.read_bytes() == (mine / "tree.csv").read_bytes()
        assert b"west" in made.read_bytes()
        walk.press("Next")

        walk.arrive("Requirement")
        walk.fill("k", "3")
        walk.press("Next")
        assert Recipe.read(settings).told["k"] == 3

        walk.arrive("Run")
        walk.fill("Seconds", "60")
        walk.tick("Other settings of the search")
        walk.fill("work-limit", "500000")
        walk.fill("workers", "1")
        line = walk.command()
        walk.press("Run")
        walk.wait(lambda: "Done" in walk.text("#status"), "the search")
        assert walk.text("#value") not in ("", NONE)
        version = folder / "versions" / "001"
        files = {
            n: mine / Path(line[line.index(f"--{n}") + 1]).name
            for n in ("out", "certificate", "result", "report", "groups")
        }
        assert run(with_(line, **files), monkeypatch) == 0
        for name in ("release.csv", "certificate.json", "groups.csv"):
            assert (version / name).read_bytes() == (mine / name).read_bytes(), name
        walk.look("Run done")
        walk.press("Next")

        walk.arrive("Result")
        assert run(walk.command(), monkeypatch) == 0
        assert walk.text("#worth") and walk.one("#pairs mark")
        walk.press("Next")

        walk.arrive("Versions")
        walk.fill("Name of version 1", "first")
        walk.press("Keep name and note of 1")
        assert walk.text("tbody th") == "first"
        walk.press("Next")

        walk.arrive("Save")
        links = {a.text for a in browser.find_elements("css selector", ".files a")}
        assert {"Release", "Certificate", "Settings", "Report"} <= links
        walk.choose("Format", ".tsv")
        walk.press("Write it")
        assert run(with_(walk.command(), out=mine / "release.tsv"), monkeypatch) == 0
        theirs = (version / "release.tsv").read_bytes()
        assert theirs == (mine / "release.tsv").read_bytes()
        walk.press("Next")

        walk.arrive("Next month")
        july = people(tmp_path / "july.csv", 27, "elsewhere")
        walk.reach("Choose a file").send_keys(str(july))
        walk.press("Look what changed")
        walk.settled()
        said = walk.text("main")
        assert "elsewhere" in said and "27 rows; 24 before" in said
        capsys.readouterr()
        assert run(walk.command(), monkeypatch) == 0
        found = json.loads(capsys.readouterr().out)["beside"]["columns"]
        assert found[NASTY]["new"] == 1
        kept = settings.read_bytes()
        walk.press("Take this file with these settings")
        walk.arrive("Table")
        assert settings.read_bytes() == kept

        for step in STEPS:  # back and reload on each
            browser.get(f"{server.address.split('?')[0]}{step.split()[0].lower()}")
            walk.wait(lambda step=step: walk.text("h1") == step, step)
            browser.refresh()
            assert walk.text("h1") == step and NASTY not in browser.title
        for step in STEPS[-2::-1]:
            browser.back()
            walk.wait(lambda step=step: walk.text("h1") == step, f"back to {step}")
        hosts = set()
        for entry in browser.get_log("performance"):
            told = json.loads(entry["message"])["message"]
            if told["method"] == "Network.requestWillBeSent":
                hosts.add(urlsplit(told["params"]["request"]["url"])[:2])
        hosts = {host for scheme, host in hosts if scheme not in ("chrome", "data")}
        assert hosts == {urlsplit(server.address).netloc}, "nothing from elsewhere"
        said = [entry["message"] for entry in browser.get_log("browser")]
        assert not [line for line in said if "Content Security" in line], said
        walk.press("Close starmin")
        assert walk.text("h1") == "Closed" and server.process.wait(LONG) == 0
    finally:
        server.process.kill()


def test_a_page_that_is_killed_opens_where_it_was(browser, tmp_path):
    """The search of the old one ends with its best, before another one begins."""
    folder = tmp_path / "work"
    words = "instance:cases:n=4000", "--folder", str(folder)
    server, walk = Server(*words), Walker(browser)
    try:
        browser.get(server.address)
        walk.wait(lambda: walk.text("h1"))
        page = f"{server.address.split('?')[0]}run"
        browser.get(page)
        first = browser.current_window_handle
        browser.switch_to.new_window("tab")
        browser.get(page)
        second = browser.current_window_handle
        browser.switch_to.window(first)
        walk.fill("Seconds", "100000")
        walk.press("Run")
        for tab in (first, second):  # the other one follows, as it was open before
            browser.switch_to.window(tab)
            walk.wait(lambda: walk.text("#value").strip(NONE), "a first release")
            walk.wait(lambda: "It searches" in walk.text("#status"), "it is followed")
        assert not walk.one("#run").is_enabled() and walk.one("#stop").is_enabled()
        browser.switch_to.window(first)
        child = next(int(p) for p in children(server.process.pid) if searching(p))
        server.process.kill()
        server.process.wait()
        server = Server("--folder", str(folder))
        assert not Path(f"/proc/{child}").exists() or "Z" in state(child)
        browser.get(server.address)
        walk.wait(lambda: walk.text("h1") == "Run")
        assert "Done before" in walk.text("#status")
        other = subprocess.run(
            [sys.executable, "-m", "starmin", "page", "--folder", str(folder)],
            capture_output=True,
            text=True,
        )
        assert other.returncode == 2 and "has this folder open" in other.stderr
    finally:
        server.process.kill()


def children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split() or [
        p
        for task in Path(f"/proc/{pid}/task").iterdir()
        for p in (task / "children").read_text().split()
    ]


def searching(pid: str) -> bool:
    return b"solve" in Path(f"/proc/{pid}/cmdline").read_bytes()


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
