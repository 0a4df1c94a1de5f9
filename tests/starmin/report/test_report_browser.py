"""Tests that reports work in a real browser: sorted, filtered, on a phone, printed."""

import base64
import sys

import pytest

from starmin.cli.app import main
from starmin.gaps.gap_page import write_report
from tests.support.chromium import NEEDED, chromium
from tests.support.report_pages import NASTY, sweep

DESKTOP, PHONE = (1280, 900), (390, 844)

pytestmark = NEEDED


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """A browser that writes down what it complains of."""
    with chromium(tmp_path_factory.mktemp("profile"), browser="ALL") as driver:
        yield driver


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The report of a sweep and the one of a release."""
    folder = tmp_path_factory.mktemp("pages")
    rows, found = sweep()
    write_report(folder, rows, found, [])
    release = folder / "release.html"
    words = "solve instance:census:n=120 --k 3 --l 2 --method clustering --quiet"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["starmin", *words.split(), "--report", release])
        patch.setattr(sys, "argv", [str(word) for word in sys.argv])
        assert main() == 0
    return {"sweep": folder / "report.html", "release": release}


def show(browser, path, size=DESKTOP, **features):
    """Open a page in a window of this size, on a screen with these features."""
    width, height = size
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {
            "width": width,
            "height": height,
            "deviceScaleFactor": 1,
            "mobile": width < 500,
        },
    )
    wanted = [{"name": k.replace("_", "-"), "value": v} for k, v in features.items()]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": wanted})
    browser.get_log("browser")
    browser.get(path.as_uri())


def column(browser, table, place):
    """The texts of a column, of the rows that are shown."""
    return browser.execute_script(
        "return [...document.getElementById(arguments[0]).tBodies[0].rows]"
        ".filter(row => row.checkVisibility())"
        ".map(row => row.cells[arguments[1]].textContent.trim())",
        table,
        place,
    )


def test_a_click_sorts(browser, pages):
    show(browser, pages["sweep"])
    header = browser.find_elements("css selector", "#runs thead th")[4]
    assert header.text.startswith("Value")
    header.find_element("tag name", "button").click()
    rising = column(browser, "runs", 4)
    values = [float(v.replace(",", "")) for v in rising if v[0].isdecimal()]
    assert values == sorted(values) and len(values) == 8
    assert len(set(rising[8:])) == 1, "what has no value comes last"
    assert header.get_attribute("aria-sort") == "ascending"
    header.find_element("tag name", "button").send_keys("\ue007")  # the Enter key
    assert header.get_attribute("aria-sort") == "descending"
    assert column(browser, "runs", 4)[:8] == rising[:8][::-1]
    method = browser.find_elements("css selector", "#runs thead th button")[2]
    method.click()
    assert column(browser, "runs", 2) == sorted(column(browser, "runs", 2))
    assert header.get_attribute("aria-sort") is None


def test_words_filter(browser, pages):
    show(browser, pages["sweep"])
    field = browser.find_element("id", "runs-filter")
    told = browser.find_element("css selector", ".filter output")
    assert told.text == "12 of 12"
    field.send_keys("Forest SCRIPT>")
    assert column(browser, "runs", 2) == ["forest"] and told.text == "1 of 12"
    assert column(browser, "runs", 0) == [NASTY]
    field.clear()
    field.send_keys("nothing like it")
    assert column(browser, "runs", 2) == [] and told.text == "0 of 12"


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
@pytest.mark.parametrize("name", ["sweep", "release"])
def test_pages_fit_the_screen_and_stay_silent(browser, pages, tmp_path, name, size):
    show(browser, pages[name], size)
    width = browser.execute_script("return document.documentElement.scrollWidth")
    assert width <= size[0], "nothing but tables is wider than the screen"
    assert browser.get_log("browser") == [], "no error, nothing refused by the policy"
    fetched = browser.execute_script(
        "return performance.getEntriesByType('resource').length"
    )
    assert fetched == 0
    for figure in browser.find_elements("tag name", "svg"):
        assert figure.rect["width"] <= size[0] and figure.rect["height"] > 50
    shot = tmp_path / "shot.png"
    assert browser.save_screenshot(str(shot)) and shot.stat().st_size > 5_000


@pytest.mark.parametrize("width", [420, 1200])
def test_a_table_that_is_cut_says_so(browser, pages, width):
    show(browser, pages["release"], (width, 900))
    cut = browser.execute_async_script(
        """
        const done = arguments[0];
        for (const part of document.querySelectorAll("details")) part.open = true;
        requestAnimationFrame(() => requestAnimationFrame(() => done(
          [...document.querySelectorAll(".scroll")].map((e) => [
            e.scrollWidth > e.clientWidth,
            e.previousElementSibling.checkVisibility(),
            e.previousElementSibling.textContent,
            getComputedStyle(e).backgroundImage.split("gradient").length - 1,
          ]))));
        """
    )
    assert all(text == "More columns to the right →" for _, _, text, _ in cut)
    assert [wide for wide, *_ in cut] == [told for _, told, *_ in cut]
    assert all(shadows == 4 for *_, shadows in cut), "seen without the script, too"
    assert any(wide for wide, *_ in cut) == (width == 420)


@pytest.mark.parametrize("screen", ["light", "dark"])
@pytest.mark.parametrize("name", ["sweep", "release"])
def test_texts_have_contrast(browser, pages, name, screen):
    show(browser, pages[name], prefers_color_scheme=screen)
    colors = browser.execute_script(
        """
        const own = [...document.querySelectorAll("main *, footer")].filter((e) =>
          [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()));
        const paint = (e) => getComputedStyle(e)[e.closest("svg") ? "fill" : "color"];
        const back = getComputedStyle(document.body).backgroundColor;
        return [back, [...new Set(own.map(paint))]];
        """
    )
    back, inks = luminance(colors[0]), [luminance(c) for c in colors[1]]
    assert len(inks) >= 3 and (back < 0.1) == (screen == "dark")
    for ink, color in zip(inks, colors[1], strict=True):
        light, dark = max(ink, back), min(ink, back)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, color  # WCAG 2.1 AA


def luminance(color):
    """The relative luminance of a colour as ``rgb(r, g, b)``."""
    parts = color[color.index("(") + 1 : -1].split(",")[:3]
    linear = []
    for part in parts:
        c = float(part) / 255
        linear.append(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4)
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_a_script_of_a_name_is_not_run(browser, pages):
    show(browser, pages["sweep"])
    scripts = browser.execute_script("return document.scripts.length")
    assert scripts == 1 and NASTY in browser.find_element("tag name", "main").text


def test_pages_read_without_the_script(browser, pages):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        show(browser, pages["sweep"])
        assert browser.find_element("css selector", "#runs tbody tr").is_displayed()
        assert not browser.find_element("css selector", ".filter").is_displayed()
    finally:
        browser.execute_cdp_cmd(
            "Emulation.setScriptExecutionDisabled", {"value": False}
        )


def test_pages_print(browser, pages):
    show(browser, pages["release"], prefers_color_scheme="dark")
    printed = browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    assert base64.b64decode(printed["data"]).startswith(b"%PDF")
    opened = browser.execute_script(
        "dispatchEvent(new Event('beforeprint'));"
        "return [...document.querySelectorAll('details')].every(part => part.open)"
    )
    assert opened, "what is folded is printed"
