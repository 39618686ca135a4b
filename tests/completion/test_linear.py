"""Every scan takes time linear in the text, however hostile it is."""

from collections.abc import Callable

import pytest
from tables import tables_beside

from grpo_rewards.checks import assert_linear
from grpo_rewards.completion.boxes import last_box
from grpo_rewards.completion.padding import PIECES, alike, counted
from grpo_rewards.completion.reasoning.harmony import channels
from grpo_rewards.completion.sections import as_written, count_tags, response
from grpo_rewards.completion.text import is_only_markup, visible
from grpo_rewards.completion.tool_calls.reading import calls_in_text
from grpo_rewards.completion.turns import before_end_of_turn

SIZE = 100_000  # characters
TABLES = tables_beside(__file__)
SCANS: dict[str, Callable[[str], object]] = {
    "last_box": last_box,
    "response": response,
    "quoted_delimiters": lambda text: response(f"<think>{text}</think>`"),
    "count_tags": lambda text: count_tags(text, "answer"),
    "is_only_markup": is_only_markup,
    "visible": visible,
    "before_end_of_turn": before_end_of_turn,
    "channels": channels,
    "as_written": as_written,
    "calls": calls_in_text,
    "calls in a tag": lambda text: calls_in_text(f"<tool_call>{text}</tool_call>"),
    "calls in XML": lambda text: calls_in_text(f"<function=f>{text}</function>"),
    "calls in a list": lambda text: calls_in_text(f"[{text}]"),
    "folding": lambda text: PIECES.findall(counted(alike(text))),
}


@pytest.mark.parametrize("name", SCANS)
def test_a_scan_is_linear_in_a_hostile_text(name: str) -> None:
    for unit, *around in TABLES[name.partition(" ")[0]]:
        before, after, end = (*around, "", "", "")[:3]

        def text(size: int, before: str = before, unit: str = unit, after: str = after, end: str = end) -> str:
            times = size // len(unit + after)
            return before + unit * times + after * times + end

        assert_linear(SCANS[name], text, SIZE, unit)
