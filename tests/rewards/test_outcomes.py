"""What a text earns, and why: tables of rows for each reward, in ``test_outcomes.toml``."""

from typing import Any

import pytest
from tables import each_row, tables_beside

from grpo_rewards import RewardError, get_reward

TABLES = tables_beside(__file__)
ROWS = [(table, row) for table in TABLES["table"] for row in table.pop("rows")]


@each_row("table, row", ROWS)
def test_a_text_earns_what_its_row_says(table: dict[str, Any], row: list[Any]) -> None:
    text, *rest = row
    columns = table.get("columns", [])  # what stands between the text and the outcome
    named = {**table.get("given", {}), **dict(zip(columns, rest, strict=False))}
    reward = get_reward(table["reward"]).bind(**named.pop("options", {}))
    verdict = reward.explain(text, **named)
    assert verdict.reason in reward.reasons
    if "right" in table:  # the reason of all that earn 1, where the others earn 0
        assert verdict.reward == (verdict.reason == table["right"])
    for outcome in rest[len(columns) :]:
        found = verdict.reason if isinstance(outcome, str) else verdict.reward
        assert found == (outcome if isinstance(outcome, str) else pytest.approx(outcome))


@each_row("spec, said", TABLES["refused"])
def test_an_option_that_makes_no_sense_is_refused_when_it_is_bound(spec: str, said: str) -> None:
    with pytest.raises(RewardError, match=said):
        get_reward(spec)


@each_row("spec", ["target_length(target=1, tolerance=1)", "soft_overlong(max_tokens=1, buffer=0)"])
def test_the_least_that_an_option_may_be_is_taken(spec: str) -> None:
    assert get_reward(spec).name == spec.partition("(")[0]


def test_an_answer_that_is_too_long_to_be_compared_is_wrong() -> None:
    verdict = get_reward("token_f1").explain(f"<answer>{'Paris ' * 4_000}</answer>", answer="Paris")
    assert (verdict.reward, verdict.reason) == (0.0, "wrong")
