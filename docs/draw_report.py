"""Draws ``docs/pictures/report*.png``: the report of a run, as headless Chromium shows it.

``python docs/draw_report.py OUTPUT_DIR`` needs selenium, chromium and chromedriver.
"""

import base64
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "shared"))

from chromium import choose, opened, started, until  # noqa: E402  # after the path to it

from grpo_rewards.report import write_report  # noqa: E402

WIDTH, HEIGHT = 1240, 1150


def draw(run: Path) -> None:
    """Takes three pictures: the overview in light, and in dark a completion with its group and a held-out answer."""
    pictures = ROOT / "docs" / "pictures"
    pictures.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, started(WIDTH, HEIGHT) as browser:
        browser.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})  # of a picture nothing scrolls
        opened(browser, write_report([run], Path(scratch) / "report.html"), drawn=True)
        bottom = browser.execute_script("return document.getElementById('evaluation').getBoundingClientRect().bottom")
        clip = {"x": 0, "y": 0, "width": WIDTH, "height": bottom + 16, "scale": 1}  # no figure is cut
        shot = browser.execute_cdp_cmd("Page.captureScreenshot", {"clip": clip, "captureBeyondViewport": True})
        (pictures / "report.png").write_bytes(base64.b64decode(shot["data"]))
        media = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        browser.execute_script("choose(2); document.getElementById('completions').scrollIntoView()")
        until(browser, "document.querySelectorAll('.card').length > 1")
        browser.save_screenshot(str(pictures / "report-completions.png"))
        choose(browser, "of", "evaluation, sampled")
        browser.execute_script("choose(0); document.getElementById('completions').scrollIntoView()")
        until(browser, "document.getElementById('detail').textContent.includes('evaluation by evaluation')")
        browser.save_screenshot(str(pictures / "report-evaluation.png"))


if __name__ == "__main__":
    draw(Path(sys.argv[1]))
