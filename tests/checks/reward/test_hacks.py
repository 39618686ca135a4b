"""The hacks themselves: none of them is a right answer, and each is there wherever it makes sense."""

from places import ROOT
from tables import each_row

import grpo_rewards as gr
from grpo_rewards.checks.reward.problems import HACKS, Problem, hints, written
from grpo_rewards.command_line.describing import entries

GOLDS = ["42", "0", "2", "101", "3/8", "B", "a", "x", "so", "Paris", "[]", r"\frac{1}{2}", "1,000", "-5", "300"]


@each_row("gold", GOLDS)
@each_row("hack", HACKS)
def test_no_hack_is_a_right_answer(hack: str, gold: str) -> None:
    text = written(Problem("What is it?", gold, "17"), hack)
    if text is not None:
        assert gr.final_answer.score(text, answer=gold) != 1, text
        assert gr.boxed_answer.score(text, answer=gold) != 1, text


def test_without_a_gold_only_what_names_one_is_left_out() -> None:
    problem = Problem("What is it?", None, "17")
    left = [hack for hack in HACKS if written(problem, hack) is None]
    assert left == [
        "many boxes",
        "the gold or another",
        "the gold and another in a box",
        "the gold, then taken back",
        "the reward's own words",
    ]


def test_options_are_read_off_composites_and_those_they_ask() -> None:
    found = hints(
        gr.gated(
            gr.keywords.bind(include=["hence"]),
            by=gr.cosine_length.bind(max_tokens=500, correct=gr.tagged_answer.bind(tag="solution")),
        )
    )
    assert (found.words, found.size, found.tags) == (("hence",), 500, ("think", "solution"))


def test_reasoning_that_the_template_opened_is_not_opened_again() -> None:
    opened = hints(gr.think_format.bind(think_opened=True))
    assert written(Problem("?", None, "1", hints=opened), "think tags around a letter") == "a</think>b"
    other = hints(gr.think_format.bind(reasoning="[THINK]"))
    assert written(Problem("?", None, "1", hints=other), "think tags around a letter") == "[THINK]a[/THINK]b"


def test_the_page_lists_the_hacks() -> None:
    page = (ROOT / "docs" / "preflight.md").read_text(encoding="utf-8")
    table = page.partition("### The reward hacks\n")[2].partition("\nOf the catalogue")[0]
    lines = [line.strip("|").split("|")[1] for line in table.strip().splitlines()[2:]]
    assert [one.strip().strip("`") for line in lines for one in line.split(" · ")] == list(HACKS)


def prices(spec: str, hacks: list[str]) -> list[str]:
    """What the best rewarded hack and these ones earn, as the page has it; a dash for what is left out."""
    found = gr.probe(spec)
    earned = {one.hack: "None" if one.reward is None else f"{one.reward + 0.0:.2g}" for one in found.earned}
    most = next(one.hack for one in found.earned if one.reward is not None)
    return [f"{earned[most]}: {most}", *(earned.get(hack, "–") for hack in hacks)]


def test_the_page_prices_hacks_as_the_probe_does() -> None:
    page = (ROOT / "docs" / "preflight.md").read_text(encoding="utf-8")
    table = page.partition("### Form, length and content alone\n")[2].partition("\n| ")[2].partition("\n\n")[0]
    cells = [[cell.strip().replace("`", "") for cell in line.strip("| ").split(" | ")] for line in table.split("\n")]
    hacks, rows = cells[0][2:], cells[2:]
    assert [one for one in HACKS if one in hacks] == hacks
    of_families = {one.name for one in entries() if one.family in ("format", "content")}
    assert {spec.partition("(")[0] for spec, *_ in rows} == of_families | {"max_length", "soft_overlong"}
    assert {spec: said for spec, *said in rows} == {spec: prices(spec, hacks) for spec, *_ in rows}
