"""A headless Chromium to drive, for tests and for the pictures and figures of the documentation."""

import json
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["choose", "opened", "started", "text_of", "until", "why_not"]

DRAWN = "document.body.dataset.drawn === 'all'"
BINARIES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def why_not() -> str | None:
    """What is missing; ``None`` if a browser can be driven."""
    try:
        import selenium  # noqa: F401
    except ImportError:
        return "selenium is not installed"
    if not any(map(shutil.which, BINARIES)):
        return "there is no Chromium: apt-get install chromium chromium-driver"
    return None if shutil.which("chromedriver") else "there is no chromedriver: apt-get install chromium-driver"


@contextmanager
def started(width: int = 1400, height: int = 1000) -> Iterator[Any]:
    """A browser that reaches no network, in a window of that size; it is ended with the block."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = next(filter(None, map(shutil.which, BINARIES)))
    # without a sandbox, for containers run tests as root; what is opened is our own
    for word in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", f"window-size={width},{height}"):
        options.add_argument(f"--{word}")
    options.add_argument("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        yield browser
    finally:
        browser.quit()


def until(browser: Any, condition: str, seconds: float = 60) -> None:
    """Waits until an expression of JavaScript is true."""
    end = time.monotonic() + seconds
    while not browser.execute_script(f"return Boolean({condition})"):
        if time.monotonic() > end:
            raise TimeoutError(f"{condition} is still not true; the browser says {browser.get_log('browser')}")
        time.sleep(0.02)


def opened(browser: Any, page: Path | str, query: str = "", *, drawn: bool = False) -> Any:
    """Opens a report and waits until it has read its texts, and drawn its figures if these are needed."""
    browser.get("about:blank")
    browser.get(f"{page.resolve().as_uri() if isinstance(page, Path) else page}{query}")
    until(browser, f"document.body.dataset.texts === 'ready' && ({json.dumps(not drawn)} || {DRAWN})")
    return browser


def choose(browser: Any, name: str, value: object) -> str:
    """Sets a filter as a user does, and returns what the page says of how many are left."""
    browser.execute_script(
        "const its = document.getElementById(`filter-${arguments[0]}`); document.body.dataset.filtered = '';"
        "its.value = arguments[1]; its.dispatchEvent(new Event('input', { bubbles: true }));",
        name,
        str(value),
    )
    until(browser, "document.body.dataset.filtered !== ''")
    return text_of(browser, "#count")


def text_of(browser: Any, selector: str) -> str:
    """The text of the first element that a selector finds, as the page holds it."""
    text: str = browser.execute_script("return document.querySelector(arguments[0]).textContent", selector)
    return text
