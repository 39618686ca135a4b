"""Is the answer right?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from grpo_rewards.answers import (
    BOX_OUTCOMES,
    FINAL_OUTCOMES,
    LONGEST,
    STEPS,
    Judgement,
    Patience,
    Search,
    Taste,
    compare_plain,
    find_box,
    find_final,
    gold_text,
    judge,
)
from grpo_rewards.registry import RewardError, batch_reward
from grpo_rewards.text import opens_thinking
from grpo_rewards.verdict import Verdict

__all__ = ["boxed_answer", "final_answer"]

SHARED_VERDICTS = 8_192  # and those of one call; a step of a large run has a few thousand distinct pairs
SHARED_CHARACTERS = 500  # of both sides of a pair, which bounds them to some 10 MB
SHARED_TASTES = 8
Pair = tuple[str, str, str]  # a prediction, where it was found, and a gold
_SHARED: dict[Taste, dict[Pair, Verdict]] = {}


def check_comparing(
    rounding_digits: int | None, on_timeout: float | None, deadline: float, workers: int | None, **_: Any
) -> None:
    """Raises RewardError for values of the options about comparing that cannot be."""
    if rounding_digits is not None and rounding_digits < 1:
        raise RewardError(f"rounding_digits must be at least 1, or None, not {rounding_digits}.")
    if on_timeout not in (0.0, None):
        raise RewardError(f"on_timeout must be 0.0 (the model's fault) or None (not scored), not {on_timeout}.")
    if not 0 < deadline <= LONGEST:
        raise RewardError(f"deadline must be above 0 and at most {LONGEST:g} seconds, not {deadline}.")
    if workers is not None and workers < 0:
        raise RewardError(f"workers must be 0 or more, or None, not {workers}.")


@batch_reward(reasons=BOX_OUTCOMES, shares={"step": STEPS}, range=(0.0, 1.0), check=check_comparing)
def boxed_answer(
    completions: Sequence[str],
    answer: Sequence[Any],
    prompts: Sequence[Any],
    *,
    boxed: Literal["last", "only", "first"] = "last",
    box_in_reasoning: bool = False,
    think_opened: bool | None = None,
    percent: Literal["number", "fraction"] = "number",
    units: Literal["optional", "required", "ignored"] = "optional",
    names: Literal["optional", "required"] = "optional",
    rounding_digits: int | None = 6,
    unevaluated: bool = False,
    on_timeout: float | None = 0.0,
    deadline: float = 1.0,
    workers: int | None = None,
) -> list[Verdict]:
    """1 if the last box after the reasoning holds the answer, else 0.

    Reads ``\\boxed{…}`` and ``\\fbox{…}``; text after an end-of-turn marker never counts. The answer may be a string
    (also ``$…$``, ``\\boxed{…}``, or a GSM8K solution that ends in ``#### 72``), an int or a float. What equals what,
    and every option with examples, is said in docs/answers.md.

    Args:
        completions: the texts of the last assistant messages.
        answer: the golds, a dataset column.
        prompts: read to see whether they end inside ``<think>``.
        boxed: which box counts; ``only``: more than one is ``several_boxes``.
        box_in_reasoning: whether a box inside ``<think>`` counts.
        think_opened: whether the chat template opened ``<think>``; ``None`` looks at the prompt.
        percent: ``10\\%`` is the number 10, or the fraction 0.1.
        units: whether a unit may be left out, must be given, or is not looked at.
        names: whether ``x=5`` may stand for 5, and 5 for ``x=5``.
        rounding_digits: significant digits from which on a correct rounding stands for a repeating or irrational gold.
        unevaluated: whether ``3+4`` answers 7.
        on_timeout: the reward where a symbolic comparison reached the deadline or the limit of memory: 0.0 or ``None``.
        deadline: seconds of processor time for a symbolic comparison.
        workers: processes that compare; ``None``: ``GRPO_REWARDS_WORKERS``, else by the number of cores.

    Returns:
        1.0 or 0.0; ``None`` with ``bad_answer`` where the gold cannot be read. Reasons: ``correct``, ``wrong``,
        ``no_box``, ``several_boxes``, ``unfinished_thinking`` (``<think>`` was never closed), ``not_compared`` (no
        step could tell), ``too_large`` (refused before evaluation), ``timeout``, ``worker_killed`` (out of memory),
        ``bad_answer``.

    >>> boxed_answer.score(r"\\boxed{7}, or rather \\boxed{\\tfrac12}", answer="0.5")
    1.0
    """
    found = [
        find_box(text, opens_thinking(prompt, think_opened), boxed, box_in_reasoning)
        for text, prompt in zip(completions, prompts, strict=True)
    ]
    taste = Taste(percent, units, rounding_digits, unevaluated, names)
    return _verdicts(found, answer, taste, Patience(deadline, workers), on_timeout)


@batch_reward(reasons=FINAL_OUTCOMES, shares={"step": STEPS}, range=(0.0, 1.0), check=check_comparing)
def final_answer(
    completions: Sequence[str],
    answer: Sequence[Any],
    prompts: Sequence[Any],
    *,
    think_opened: bool | None = None,
    percent: Literal["number", "fraction"] = "number",
    units: Literal["optional", "required", "ignored"] = "optional",
    names: Literal["optional", "required"] = "optional",
    rounding_digits: int | None = 6,
    unevaluated: bool = False,
    on_timeout: float | None = 0.0,
    deadline: float = 1.0,
    workers: int | None = None,
) -> list[Verdict]:
    """1 if the final answer after the reasoning is right, else 0, for models that need not use a box.

    The final answer is the last box; else the last ``<answer>…</answer>``; else what follows the last ``####``; else
    what follows the last "answer is", "answer:" or ``A:``; else the last number. The verdict's ``source`` says which
    it was.

    Args:
        completions: the texts of the last assistant messages.
        answer: the golds, a dataset column, in any form that ``boxed_answer`` takes.
        prompts: read to see whether they end inside ``<think>``.
        think_opened: whether the chat template opened ``<think>``; ``None`` looks at the prompt.
        percent, units, names, rounding_digits, unevaluated: what equals what, as for ``boxed_answer``.
        on_timeout, deadline, workers: how symbolic comparisons are run, as for ``boxed_answer``.

    Returns:
        1.0 or 0.0; ``None`` with ``bad_answer`` where the gold cannot be read. Reasons: those of ``boxed_answer``, with
        ``no_answer`` for a completion without any of these.

    >>> final_answer.explain("It costs 3 + 4 dollars. The answer is $7.", answer=7).details["source"]
    'phrase'
    """
    found = [
        find_final(text, opens_thinking(prompt, think_opened))
        for text, prompt in zip(completions, prompts, strict=True)
    ]
    taste = Taste(percent, units, rounding_digits, unevaluated, names)
    return _verdicts(found, answer, taste, Patience(deadline, workers), on_timeout)


def _verdicts(
    found: Sequence[Search], answers: Sequence[Any], taste: Taste, patience: Patience, on_timeout: float | None
) -> list[Verdict]:
    """The verdicts on what was found; short pairs that are decided share one, for in a group most are alike."""
    shared = _shared_by(taste)
    verdicts: list[Any] = []
    left = []  # rows that are neither known nor plain
    for (prediction, source), answer in zip(found, answers, strict=True):
        verdict = None
        if prediction is not None and type(answer) is str:
            pair = prediction, source, answer
            verdict = shared.get(pair)
            if verdict is None:
                verdict = _plain_verdict(prediction, source, answer)
                if verdict is not None:
                    shared[pair] = verdict
        if verdict is None:
            left.append(len(verdicts))
        verdicts.append(verdict)
    if not left:
        return verdicts
    judged = judge([found[index] for index in left], [answers[index] for index in left], taste, patience)
    for index, judgement in zip(left, judged, strict=True):
        answer = answers[index]
        verdict = verdicts[index] = _verdict(judgement, answer, on_timeout)
        if judgement.is_settled and type(answer) is str:
            prediction, source = found[index]
            if prediction is not None and len(prediction) + len(answer) <= SHARED_CHARACTERS:
                shared[prediction, source, answer] = verdict
    return verdicts


def _plain_verdict(prediction: str, source: str, answer: str) -> Verdict | None:
    """The verdict where both are plain numbers, as most are; ``None`` for all others."""
    plain = compare_plain(prediction, answer)
    if plain is None:
        return None
    outcome, step = plain
    read = {"source": source, "step": step, "prediction_read_as": prediction, "answer_read_as": answer}
    return Verdict(1.0 if outcome == "correct" else 0.0, outcome, prediction, answer, read)


def _shared_by(taste: Taste) -> dict[Pair, Verdict]:
    """What earlier calls found, with room for what this one finds."""
    shared = _SHARED.get(taste)
    if shared is None or len(shared) >= SHARED_VERDICTS:
        if len(_SHARED) >= SHARED_TASTES:
            _SHARED.clear()
        shared = _SHARED[taste] = {}
    return shared


def _verdict(judgement: Judgement, answer: Any, on_timeout: float | None) -> Verdict:
    outcome, prediction, source, comparison = judgement
    points = 1.0 if outcome == "correct" else None if outcome == "bad_answer" else 0.0
    if outcome in ("timeout", "worker_killed"):
        points = on_timeout
    gold = answer if type(answer) is str else gold_text(answer)
    if comparison is None:
        return Verdict(points, outcome, answer=gold)
    details = {
        "source": source,
        "step": comparison.step,
        "prediction_read_as": comparison.prediction,
        "answer_read_as": comparison.answer,
        "why": comparison.why,
    }
    return Verdict(points, outcome, prediction, gold, details)


def forget() -> None:
    """Empties the verdicts that are shared; only a measurement needs to."""
    _SHARED.clear()
