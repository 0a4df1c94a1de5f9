"""Pictures of ``starmin page`` for the tutorial, made from the page itself.

``python docs/site/pictures/page_pictures.py``: starts the page on the table of the
tutorial, goes through its steps in Chromium, and writes ``docs/tutorials/page_*.png``.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

DOCS = Path(__file__).parents[2]
TABLE = DOCS / "tutorials" / "people.csv"
WIDTH, HEIGHT = 1200, 820
STEPS = "columns", "run", "result"


def main() -> None:
    """Make all pictures."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or "chromium"
    for word in ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(word)
    with tempfile.TemporaryDirectory() as home:
        table = Path(shutil.copy(TABLE, home))
        words = [sys.executable, "-m", "starmin", "page", str(table), "--no-browser"]
        server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        driver = webdriver.Chrome(options, Service(shutil.which("chromedriver")))
        try:
            driver.set_window_size(WIDTH, HEIGHT)
            driver.get(address)
            for step in STEPS:
                driver.get(f"{address.partition('?')[0]}{step}")
                if step == "run":
                    run(driver)
                time.sleep(1)  # for the transitions of the browser
                alone = driver.find_element("id", "alone-now")
                while alone.text == "\N{EN DASH}" or driver.find_elements(
                    "css selector", "[aria-busy=true]"
                ):
                    time.sleep(0.2)
                driver.save_screenshot(str(DOCS / "tutorials" / f"page_{step}.png"))
        finally:
            driver.quit()
            server.terminate()
            server.wait()


def run(driver: object) -> None:
    """Search for ten seconds, and wait for the end."""
    find = driver.find_element  # type: ignore[attr-defined]
    seconds = find("id", "run.time-limit")
    seconds.clear()
    seconds.send_keys("10")
    find("id", "run").click()
    while "Done" not in find("id", "status").text:
        time.sleep(0.5)


if __name__ == "__main__":
    main()
