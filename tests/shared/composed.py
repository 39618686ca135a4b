"""Rewards that give what a row holds, and rows for them: what the tests of rewards made of rewards share."""

import grpo_rewards as gr


@gr.reward
def composed_value(completion: str, value: float | None) -> float | None:
    return value


@gr.reward(reasons=("low", "high"))
def composed_gate(completion: str, gate: float | None) -> gr.Verdict:
    return gr.Verdict(gate, "high" if gate else "low")


ROWS = {"completions": [""] * 4, "value": [1.0, None, 2.0, 3.0], "gate": [1.0, 1.0, 0.0, None]}
