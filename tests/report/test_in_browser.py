"""The report, driven in headless Chromium: filters, sorting, keys, colours, paper, and texts that attack who looks."""

import csv
import io
import json
import shlex
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jinja2", reason="jinja2, of the extra [report], is not installed")
pytest.importorskip("plotly", reason="plotly, of the extra [report], is not installed")
pytest.importorskip("pandas", reason="pandas is not installed")

from chromium import choose, opened, started, text_of, until, why_not
from invoked import invoke
from reported_runs import HOSTILE, hostile, learnt, leave, leave_evaluations, row

from grpo_rewards.report import write_report
from grpo_rewards.report.serving import LiveReport, ReportServer

pytestmark = pytest.mark.skipif(why_not() is not None, reason=str(why_not()))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with started() as driven:
        yield driven


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("learnt")
    return write_report([leave(folder / "run", steps=4)], folder / "report.html")


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Callable[..., None]:
    """Opens the report of a run that has these rows at each step."""

    def shown(rows: Sequence[dict[str, Any]], steps: int = 1) -> None:
        opened(browser, write_report([leave(tmp_path / "run", lambda step: rows, steps)], tmp_path / "report.html"))

    return shown


def keys(browser: Any, *pressed: str) -> None:
    """Presses keys where the focus is."""
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(browser).send_keys(*pressed).perform()


def value(browser: Any, expression: str) -> Any:
    return browser.execute_script(f"return {expression}")


def items(browser: Any) -> list[str]:
    found: list[str] = value(browser, "[...document.querySelectorAll('.item')].map(one => one.textContent)")
    return found


def test_everything_is_drawn_without_a_network_and_without_a_complaint(browser: Any, page: Path) -> None:
    opened(browser, page, drawn=True)
    assert value(browser, "document.querySelectorAll('.plot .main-svg').length") > 10
    assert browser.get_log("browser") == []
    assert text_of(browser, "#count") == "32 of 32 completions"


def test_filters_leave_what_they_say(browser: Any, page: Path) -> None:
    opened(browser, page)
    rows = [(step, one) for step in range(1, 5) for one in learnt(step)]
    right = sum(one["right"] == 1 for _, one in rows)
    assert choose(browser, "least", 1) == f"{right} of 32 completions"
    assert choose(browser, "from", 4) == "8 of 32 completions"
    assert choose(browser, "to", 3) == "0 of 32 completions"
    assert choose(browser, "from", "") == f"{right - 8} of 32 completions"
    browser.find_element("css selector", "#filters button[type=reset]").click()
    until(browser, "document.getElementById('count').textContent === '32 of 32 completions'")
    assert choose(browser, "prompt", "3 + 1") == "16 of 32 completions"
    assert choose(browser, "text", "SAMPLE 2") == "4 of 32 completions"
    assert not browser.find_element("css selector", "#none").is_displayed()
    assert choose(browser, "text", "sample 2 or none") == "0 of 32 completions"
    assert browser.find_element("css selector", "#none").is_displayed()
    assert not browser.find_element("css selector", "#detail").is_displayed()
    assert choose(browser, "text", "") == "16 of 32 completions"
    missing = sum(one["right/reason"] == "no_box" for _, one in rows)
    assert choose(browser, "reason right", "no_box") == f"{missing} of 32 completions"
    assert all("no_box" in one for one in items(browser))
    choose(browser, "reason right", "")
    choose(browser, "prompt", "")
    varying = sum(len({one["right"] for one in learnt(step)[at : at + 4]}) > 1 for step in range(1, 5) for at in (0, 4))
    assert choose(browser, "variance", "some") == f"{4 * varying} of 32 completions"
    assert choose(browser, "variance", "none") == f"{32 - 4 * varying} of 32 completions"


def test_searches_take_regular_expressions(browser: Any, page: Path) -> None:
    opened(browser, page)
    assert choose(browser, "text", r"/step [23] sample 0$/m") == "2 of 32 completions"
    assert choose(browser, "text", r"/SAMPLE 0/i") == "4 of 32 completions"
    assert choose(browser, "text", "/(/") == "0 of 32 completions"  # it is no expression, and the field says so
    assert "Invalid regular expression" in value(browser, "field('text').validationMessage")
    assert choose(browser, "text", "") == "32 of 32 completions"
    assert value(browser, "field('text').validationMessage") == ""
    assert choose(browser, "prompt", r"/^3 \+/") == "16 of 32 completions"


EXPORTED = """
const done = arguments[arguments.length - 1];
const made = URL.createObjectURL;
const click = HTMLAnchorElement.prototype.click;
HTMLAnchorElement.prototype.click = () => {};
URL.createObjectURL = (blob) => {
  blob.text().then((text) => {
    URL.createObjectURL = made;
    HTMLAnchorElement.prototype.click = click;
    done(text);
  });
  return "blob:";
};
exportMatched(arguments[0]);
"""


def test_what_is_left_is_exported(browser: Any, show: Callable[..., None]) -> None:
    show(hostile(1))
    choose(browser, "text", "HYPERLINK")
    lines = browser.execute_async_script(EXPORTED, "jsonl").splitlines()
    assert [json.loads(one)["completion"] for one in lines] == [HOSTILE[2]] * 2
    assert json.loads(lines[0])["right/answer"] == "4"
    cells = list(csv.DictReader(io.StringIO(browser.execute_async_script(EXPORTED, "csv"))))
    assert [one["completion"] for one in cells] == [f"'{HOSTILE[2]}"] * 2  # no spreadsheet computes it
    assert cells[0]["short"] == "0.5"


def test_the_command_that_judges_a_completion_again(browser: Any, tmp_path: Path) -> None:
    said = "it's \\boxed{\\frac{8}{2}}"
    folder = leave(tmp_path / "run", lambda step: [row("2 + 2?", said, 1.0, 0.0, "correct")], 1)
    specs = ["final_answer(name='right')", "max_length(max_tokens=9)"]
    (folder / "run.json").write_text(json.dumps({"settings": {"reward_weights": [1.0, 0.2], "reward_funcs": specs}}))
    opened(browser, write_report([folder], tmp_path / "report.html"))
    command = value(browser, "explainCommand(0, 'right')")
    program, name, *words = shlex.split(command)
    assert (program, name, words[-1]) == ("grpo-rewards", "explain", said)
    done = invoke([name, *words])
    assert "correct" in done.stdout, done.stderr


def test_a_prompt_is_followed_over_the_run_and_its_formulas_are_drawn(browser: Any, tmp_path: Path) -> None:
    def rows(step: int) -> list[dict[str, Any]]:
        right = row("half?", "so", float(step > 1), 0.0, "r")
        return [{**right, "right/answer": "\\frac{1}{2}", "right/prediction": "\\text{<b>&}"}]

    opened(browser, write_report([leave(tmp_path / "run", rows, 3)], tmp_path / "report.html"))
    browser.execute_script("choose(1)")
    until(browser, "document.querySelector('#detail tr.here')")
    lines = value(browser, "[...document.querySelectorAll('#detail tr.here, #detail tr.here ~ tr')]")
    assert [one.text for one in lines] == ["step 2 1 1.1 1 0.5", "step 3 1 1.1 1 0.5"]
    assert value(browser, "document.querySelectorAll('#detail mfrac > mrow > mn').length") == 2
    assert value(browser, "document.querySelectorAll('#detail math').length") == 1


def test_on_a_phone_all_sections_are_in_sight_and_so_is_the_chosen_completion(page: Path) -> None:
    with started(400, 800) as phone:
        opened(phone, page)
        hidden = "return document.querySelector('nav').scrollWidth - document.querySelector('nav').clientWidth"
        assert phone.execute_script(hidden) <= 0
        assert phone.execute_script("return document.documentElement.scrollWidth <= innerWidth")
        phone.execute_script("list.scrollIntoView(); document.querySelector('.item').click()")
        until(phone, "document.querySelector('#detail h3')")
        top = phone.execute_script("return document.querySelector('#detail h3').getBoundingClientRect().top")
        assert 0 <= top < 800


TOP = "document.getElementById('completions').getBoundingClientRect().top"


def test_an_address_leads_to_the_completion_that_was_chosen(browser: Any, page: Path) -> None:
    opened(browser, page)
    choose(browser, "sort", "-total")
    browser.execute_script("choose(3)")
    until(browser, "location.hash.includes('chosen')")
    seen = [text_of(browser, one) for one in ("#detail h3", "#detail .completion", '[aria-selected="true"]')]
    opened(browser, page, value(browser, "location.hash"), drawn=True)
    until(browser, "document.querySelector('#detail h3')")
    assert [text_of(browser, one) for one in ("#detail h3", "#detail .completion", '[aria-selected="true"]')] == seen
    assert value(browser, "scrollY") > 500
    assert 0 <= value(browser, f"{TOP}") < 100


def test_a_changed_address_is_followed(browser: Any, page: Path) -> None:
    opened(browser, page)
    choose(browser, "from", 2)
    browser.execute_script("choose(0)")
    until(browser, "location.hash.includes('chosen')")
    browser.execute_script("scrollTo(0, 0); location.hash = '#completions?text=step+2&sort=-total'")
    until(browser, "document.getElementById('count').textContent === '4 of 32 completions'")
    assert value(browser, "document.getElementById('filter-from').value") == ""
    assert value(browser, "document.getElementById('filter-sort').value") == "-total"
    assert text_of(browser, "#detail") == "Choose a completion."
    assert 0 <= value(browser, f"{TOP}") < 100
    browser.execute_script("location.hash = '#overview'")
    until(browser, "scrollY < 100")
    browser.find_element("css selector", 'nav a[href="#completions"]').click()
    until(browser, "location.hash === '#completions?text=step+2&sort=-total'")


def test_an_address_means_the_same_in_another_report(browser: Any, tmp_path: Path) -> None:
    one = leave(tmp_path / "one", steps=2)
    # reasons come in another order, and so get other numbers
    other = leave(tmp_path / "other", lambda step: learnt(step)[::-1], 2)
    opened(browser, write_report([one, other], tmp_path / "both.html"))
    choose(browser, "run", "one")
    choose(browser, "reason right", "no_box")
    browser.execute_script("choose(1)")
    until(browser, "location.hash.includes('chosen')")
    query, seen = value(browser, "location.hash"), text_of(browser, "#detail .completion")
    opened(browser, write_report([other, one], tmp_path / "turned.html"), query)
    until(browser, "document.querySelector('#detail .completion')")
    missing = sum(its["right/reason"] == "no_box" for step in (1, 2) for its in learnt(step))
    assert text_of(browser, "#count") == f"{missing} of 32 completions"
    assert all("one · step" in its and "no_box" in its for its in items(browser))
    assert text_of(browser, "#detail .completion") == seen
    third = leave(tmp_path / "third", lambda step: [row("q", "a", 1.0, 0.0, "correct")], 1)
    opened(browser, write_report([third], tmp_path / "third.html"), query)
    assert text_of(browser, "#count") == "0 of 1 completions"  # and not those of the reason that has this number
    assert text_of(browser, "#detail") == "Choose a completion."


def test_sorting_puts_what_has_no_number_last(browser: Any, show: Callable[..., None]) -> None:
    show([row("q", f"given {one}", one, 0.0, "r") for one in (None, 0.25, -1.0, 2.0)])
    for order, given in (("-reward right", "2.0 0.25 -1.0 None"), ("+reward right", "-1.0 0.25 2.0 None")):
        choose(browser, "sort", order)
        assert [one.split("given ")[1] for one in items(browser)] == given.split()


def test_a_completion_stands_beside_its_group(browser: Any, page: Path) -> None:
    opened(browser, page)
    browser.execute_script("choose(5)")
    until(browser, "document.querySelectorAll('.card').length === 4")
    assert text_of(browser, "#detail h3") == "step 1, 2 of 4"
    assert text_of(browser, "#detail .completion") == "step 1 sample 1"
    verdicts = text_of(browser, ".verdicts")
    assert all(said in verdicts for said in ("no_box", "gold4", "predictionstep 1 sample 1", "−1"))
    cards = browser.find_elements("css selector", ".card")
    assert [one.get_attribute("class") for one in cards] == ["card rewarded", *["card charged"] * 3]
    cards[0].click()
    until(browser, "document.querySelector('#detail h3').textContent === 'step 1, 1 of 4'")


def test_answers_of_evaluations_stand_beside_each_other(browser: Any, tmp_path: Path) -> None:
    opened(browser, write_report([leave_evaluations(leave(tmp_path / "run"), steps=(0, 4))], tmp_path / "report.html"))
    assert choose(browser, "of", "evaluation, greedy") == "6 of 50 completions"
    assert items(browser)[0].startswith("evaluation, greedy, step 0")
    browser.execute_script("choose(0)")
    until(browser, "document.querySelectorAll('.card').length === 6")
    heads = value(browser, "[...document.querySelectorAll('.card .head')].map(one => one.textContent)")
    assert heads[::3] == ["0.1 evaluation, greedy, step 0", "1.1 evaluation, greedy, step 4"]
    assert "advantage" not in text_of(browser, ".verdicts")


def test_a_long_completion_leaves_its_verdict_in_view(browser: Any, show: Callable[..., None]) -> None:
    show([row("q", "word " * 20_000, 1.0, 0.0, "r")])
    browser.execute_script("choose(0)")
    until(browser, "document.querySelector('.verdicts')")
    assert value(browser, "document.getElementById('detail').scrollHeight") < 1000


def test_keys_do_what_the_mouse_does(browser: Any, page: Path) -> None:
    opened(browser, page)
    browser.execute_script("document.getElementById('list').focus()")
    down, end, home, enter = "\ue015", "\ue010", "\ue011", "\ue007"
    keys(browser, down, down)
    until(browser, "document.querySelector('#detail h3')?.textContent === 'step 1, 2 of 4'")
    assert value(browser, "document.getElementById('list').getAttribute('aria-activedescendant')") == "item-1"
    keys(browser, "n")
    until(browser, "document.querySelector('#detail .completion').textContent === 'step 1 sample 0'")
    keys(browser, end)
    until(browser, "document.querySelector('#detail .completion').textContent === 'step 4 sample 3'")
    assert "item-31" in value(browser, "[...document.querySelectorAll('.item')].map(one => one.id)")
    keys(browser, home, enter)
    assert value(browser, "document.activeElement.id") == "detail"
    keys(browser, "/")
    assert value(browser, "document.activeElement.id") == "filter-text"


def test_n_begins_at_the_first_group(browser: Any, page: Path) -> None:
    opened(browser, page)
    keys(browser, "p")
    assert text_of(browser, "#detail") == "Choose a completion."
    keys(browser, "n")
    until(browser, "browser.chosen === 0")
    keys(browser, "n")
    until(browser, "browser.chosen === 4")
    choose(browser, "reason right", "correct")  # the group goes on in the list without the completion that is shown
    browser.execute_script("choose(browser.matched.indexOf(4)); document.activeElement.blur()")
    until(browser, "document.querySelectorAll('.card').length === 4")
    browser.find_elements("css selector", ".card")[2].click()
    until(browser, "browser.row === 6 && browser.chosen === -1")
    keys(browser, "n")
    until(browser, "browser.chosen === 1")


def test_hostile_texts_are_texts(browser: Any, tmp_path: Path) -> None:
    runs = [leave(tmp_path / name, hostile, 2) for name in ("<b>one</b>", "other")]
    opened(browser, write_report(runs, tmp_path / "report.html"), drawn=True)
    for at, text in enumerate(HOSTILE):
        browser.execute_script("choose(arguments[0])", 2 * at)
        until(browser, f"browser.row === {2 * at} && document.querySelectorAll('.card').length === 2")
        whole = text_of(browser, "#detail .completion")
        if text.isprintable():
            assert whole == text
        else:
            assert not any(one in whole for one in "\x1b\u202e\u200b\x00\x07\u2028\ufeff")
            assert "U+" in whole
    assert value(browser, "document.body.dataset.owned") is None
    assert value(browser, "document.querySelectorAll('main img, main b b, #detail a, .plot a').length") == 0
    browser.execute_script("document.querySelectorAll('details').forEach(one => { one.open = true })")
    until(browser, "[...document.querySelectorAll('details.numbers')].every(one => one.querySelector('table'))")
    assert value(browser, "document.body.dataset.owned") is None
    assert browser.get_log("browser") == []


def test_it_is_light_dark_and_on_paper(browser: Any, page: Path) -> None:
    opened(browser, page, drawn=True)
    ground = "return getComputedStyle(document.body).backgroundColor"
    colours = []
    for scheme in ("light", "dark"):
        feature = {"name": "prefers-color-scheme", "value": scheme}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        colours.append(browser.execute_script(ground))
    assert colours == ["rgb(255, 255, 255)", "rgb(20, 23, 26)"]
    button = browser.find_element("css selector", "#theme")
    button.click()  # from what the machine says to light
    assert browser.execute_script(ground) == colours[0]
    drawn = "return document.querySelector('#reward .xtick text').style.fill"
    assert browser.execute_script(drawn) == "rgb(28, 32, 36)"
    button.click()
    assert browser.execute_script(drawn) == "rgb(230, 233, 236)"
    button.click()
    browser.execute_script("dispatchEvent(new Event('beforeprint'))")
    until(browser, "document.querySelector('#reward .main-svg').getBoundingClientRect().width < 330")
    browser.execute_script("dispatchEvent(new Event('afterprint'))")
    until(browser, "document.querySelector('#reward .main-svg').getBoundingClientRect().width > 400")


def test_a_run_that_goes_on_is_followed(browser: Any, tmp_path: Path) -> None:
    leave(tmp_path / "run", steps=2)
    with ReportServer(LiveReport([tmp_path / "run"])) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            opened(browser, server.address)
            assert text_of(browser, "#count") == "16 of 16 completions"
            leave(tmp_path / "more", steps=3)
            name = "completions/completions_00003.parquet"
            (tmp_path / "more" / name).rename(tmp_path / "run" / name)
            server.report.due = 0.0
            browser.execute_script("askForNewer()")
            until(browser, "document.getElementById('count')?.textContent === '24 of 24 completions'")
            browser.execute_script("choose(0)")
            (tmp_path / "run" / name).unlink()
            server.report.due = 0.0
            browser.execute_script("askForNewer()")
            until(browser, "!document.getElementById('newer').hidden")  # who reads is asked, and not interrupted
        finally:
            server.shutdown()
            thread.join()
