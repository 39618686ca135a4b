"""Runs as a trainer leaves them, written on the spot: small, made to be worked by hand, and with hostile texts."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

Row = dict[str, Any]

HOSTILE = (
    "</script><script>document.body.dataset.owned = 'yes'</script>",
    "<img src=x onerror=\"document.body.dataset.owned='yes'\"><b>bold</b>",
    '=HYPERLINK("http://example.invalid","click") \\boxed{9^{9^{9^{9}}}}',
    "\x1b[31mred\x1b[0m and \u202eright to left\u202c, \u200bnothing, \x00 and a bell \x07",
    "<!-- <script> {{ 7 * 7 }} {% raw %} ${7*7} $\\href{javascript:alert(1)}{x}$ &lt;i&gt; ]]>",
    "javascript:alert(1) <a href='javascript:alert(1)'>x</a>\u2028\u2029\ufeff 👩‍👩‍👧",
)


def row(prompt: str, text: str, right: float | None, advantage: float, reason: str) -> Row:
    return {
        "prompt": [{"role": "user", "content": prompt}],
        "completion": [{"role": "assistant", "content": text}],
        "right": None if right is None else float(right),
        "short": 0.5,
        "right/reason": reason,
        "right/prediction": text[:20],
        "right/answer": "4",
        "advantage": advantage,
    }


def learnt(step: int) -> list[Row]:
    """Two groups of four: all of the first are right from step 3 on, of the second the first ones up to the step."""
    late = "correct" if step > 2 else "wrong"
    first = [row("2 + 2?", f"It is {4 if step > 2 else at}. {'so ' * at}", step > 2, 0.0, late) for at in range(4)]
    second = []
    for at in range(4):
        right = at < step
        text, reason = f"step {step} sample {at}", "correct" if right else "no_box"
        second.append(row("3 + 1?", text, right, 1.0 if right else -1.0, reason))
    return [*first, *second]


def hostile(step: int) -> list[Row]:
    """Every text is an attack on who looks at it."""
    return [row(f"{one} asked", one, 0.0, 0.0, one[:30]) for one in HOSTILE for _ in range(2)]


def leave(
    folder: Path,
    rows: Callable[[int], Sequence[Row]] = learnt,
    steps: int = 4,
    *,
    log: bool = True,
    weights: Sequence[float] | None = (1.0, 0.2),
) -> Path:
    """Writes what a run leaves, and returns its folder."""
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")

    (folder / "completions").mkdir(parents=True)
    history = []
    for step in range(1, steps + 1):
        table = [{"step": step, **one} for one in rows(step)]
        pandas.DataFrame(table).to_parquet(folder / "completions" / f"completions_{step:05d}.parquet")
        mean = sum(one["right"] or 0.0 for one in table) / len(table)
        history.append({"step": step, "rewards/right/mean": mean, "rewards/right/std": 0.5, "rewards/short/mean": 0.5})
        history[-1]["reward"] = mean * (weights or (1.0, 1.0))[0] + 0.5 * (weights or (1.0, 1.0))[1]
        history[-1] |= {"reward_std": 0.3, "entropy": 1 / step, "kl": 0.01 * step, "other/thing": step}
    if log:
        (folder / "trainer_state.json").write_text(json.dumps({"log_history": history}), encoding="utf-8")
    if weights is not None:
        (folder / "run.json").write_text(json.dumps({"settings": {"reward_weights": list(weights)}}), encoding="utf-8")
    return folder


def leave_evaluations(
    folder: Path, steps: Sequence[int], problems: int = 3, samples: int = 2, name: str = "evaluation"
) -> Path:
    """Writes a recipe's evaluations: a greedy answer to each problem, and samples; at step n the first n are right."""
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")

    (folder / name).mkdir()
    for step in steps:
        rows = []
        for how, count in (("greedy", 1), ("sampled", samples)):
            for problem in range(problems):
                right = problem < step
                text = f"{how} at {step} to {problem}"
                given = {"right": float(right), "short": 0.5, "right/reason": "correct" if right else "wrong"}
                place = {
                    "step": step,
                    "how": how,
                    "problem": problem,
                    "answer": "4",
                    "right/answer": "4",
                    "nums": [3, problem],
                    "solved": right,
                }
                rows += [
                    {**place, "sample": at, "prompt": f"held out {problem}", "completion": f"{text}, {at}", **given}
                    for at in range(count)
                ]
        pandas.DataFrame(rows).to_parquet(folder / name / f"step-{step:06d}.parquet")
    return folder
