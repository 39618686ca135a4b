"""Turns judgements of answers into verdicts of 1 and 0. All rewards that depend on an answer use it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from grpo_rewards.answers import (
    DEFAULT_GRADING_OPTIONS,
    INNOCENT,
    LONGEST_DEADLINE,
    GradingOptions,
    Judgement,
    Search,
    SymbolicLimits,
    compare_plain,
    find_box,
    gold_text,
    judge,
    symbolic_seconds,
)
from grpo_rewards.completion.reasoning.thinking import DEFAULT_THINKING, Thinking
from grpo_rewards.extraction.golds import stated_gold
from grpo_rewards.registry import RewardError
from grpo_rewards.registry.call import Texts
from grpo_rewards.verdict import Verdict

__all__ = ["GRADED_CELLS", "SYMBOLIC_METERS", "check_comparing", "forget", "grade", "grade_boxes"]

SHARED_VERDICTS = 8_192  # and those of one call; a step of a large run has a few thousand distinct pairs
SHARED_CHARACTERS = 500  # of both sides of a pair, which bounds them to some 10 MB
SHARED_OPTIONS = 8
LONGEST_CALL = 86_400.0  # seconds
SYMBOLIC_METERS = {"symbolic_seconds": symbolic_seconds}  # by the clock, in which a call waited for computer algebra
GRADED_CELLS = ("answer", "step", "why")  # what the completions table gets of each verdict
MOST_PLAIN_DIGITS = 9
DEFAULT_SYMBOLIC_LIMITS = SymbolicLimits()
NO_DETAILS = Verdict(None).details
Pair = tuple[str | None, str, str]  # a prediction and where it was found, or None and why there is none; a gold
_SHARED: dict[GradingOptions, dict[Pair, Verdict]] = {}


def check_comparing(
    rounding_digits: int | None,
    on_timeout: float | None,
    deadline: float,
    workers: int | None,
    call_deadline: float,
    **_: Any,
) -> None:
    """Raises RewardError for impossible values of the options of a comparison."""
    if rounding_digits is not None and rounding_digits < 1:
        raise RewardError(f"rounding_digits must be at least 1, or None, not {rounding_digits}.")
    if on_timeout not in (0.0, None):
        raise RewardError(f"on_timeout must be 0.0 (the model's fault) or None (not scored), not {on_timeout}.")
    if not 0 < deadline <= LONGEST_DEADLINE:
        raise RewardError(f"deadline must be above 0 and at most {LONGEST_DEADLINE:g} seconds, not {deadline}.")
    if not deadline <= call_deadline <= LONGEST_CALL:
        raise RewardError(
            f"call_deadline must be at least the deadline of {deadline:g} seconds and at most {LONGEST_CALL:g}, "
            f"not {call_deadline}."
        )
    if workers is not None and workers < 0:
        raise RewardError(f"workers must be 0 or more, or None, not {workers}.")


def grade_boxes(
    completions: Sequence[str],
    answers: Sequence[Any],
    prompts: Sequence[Any],
    thinking: Thinking = DEFAULT_THINKING,
    boxed: str = "last",
    in_reasoning: bool = False,
    options: GradingOptions = DEFAULT_GRADING_OPTIONS,
    limits: SymbolicLimits = DEFAULT_SYMBOLIC_LIMITS,
    on_timeout: float | None = 0.0,
) -> list[Verdict]:
    """Finds the box of each completion and grades it. Rewards of one call with the same options share the verdicts."""
    found_for = completions.found if isinstance(completions, Texts) else {}
    key = ("boxes", id(answers), id(prompts), thinking, boxed, in_reasoning, options, limits, on_timeout)
    if key in found_for:
        verdicts: list[Verdict] = found_for[key][0]
        return verdicts
    found = [
        find_box(text, thinking.opened(prompt), boxed, in_reasoning, thinking.marks)
        for text, prompt in zip(completions, prompts, strict=True)
    ]
    verdicts = grade(found, answers, options, limits, on_timeout)
    found_for[key] = verdicts, answers, prompts  # which keeps these two alive, so that no others get their ids
    return verdicts


def grade(
    found: Sequence[Search],
    answers: Sequence[Any],
    options: GradingOptions,
    limits: SymbolicLimits,
    on_timeout: float | None,
) -> list[Verdict]:
    """The verdicts on what was found in each completion.

    In a group most answers are alike: equal short pairs that were decided share one verdict, also between calls.
    """
    shared = _shared_by(options)
    verdicts: list[Any] = []
    left: dict[Pair | int, list[int]] = {}  # rows that are neither known nor plain, equal ones together
    for (prediction, source), answer in zip(found, answers, strict=True):
        pair: Pair | None = (prediction, source, answer) if type(answer) is str else None
        verdict = None if pair is None else shared.get(pair)
        if verdict is None and pair is not None:
            verdict = _plain_verdict(*pair)
            if verdict is not None:
                shared[pair] = verdict
        if verdict is None:
            at = len(verdicts)
            left.setdefault(at if pair is None else pair, []).append(at)
        verdicts.append(verdict)
    if not left:
        return verdicts
    first = [rows[0] for rows in left.values()]
    golds = [stated_gold(answers[row]) for row in first]
    judged = judge([found[row] for row in first], golds, options, limits)
    for (key, rows), gold, judgement in zip(left.items(), golds, judged, strict=True):
        verdict = _verdict(judgement, gold, on_timeout)
        for row in rows:
            verdicts[row] = verdict
        if not isinstance(key, int) and judgement.is_settled and len(key[0] or "") + len(key[2]) <= SHARED_CHARACTERS:
            shared[key] = verdict
    return verdicts


def _plain_verdict(prediction: str | None, source: str, answer: str) -> Verdict | None:
    """The verdict if the answer is a plain number, and so is the prediction if there is one; else ``None``."""
    if prediction is None:
        is_plain = answer.isdecimal() and answer.isascii() and len(answer) <= MOST_PLAIN_DIGITS
        return Verdict(0.0, source, None, answer) if is_plain else None
    plain = compare_plain(prediction, answer)
    if plain is None:
        return None
    outcome, step = plain
    read = {"source": source, "step": step, "prediction_read_as": prediction, "answer_read_as": answer}
    return Verdict(1.0 if outcome == "correct" else 0.0, outcome, prediction, answer, read)


def _shared_by(options: GradingOptions) -> dict[Pair, Verdict]:
    """The verdicts that are remembered for these options; forgotten when there are too many."""
    shared = _SHARED.get(options)
    if shared is None or len(shared) >= SHARED_VERDICTS:
        if len(_SHARED) >= SHARED_OPTIONS:
            _SHARED.clear()
        shared = _SHARED[options] = {}
    return shared


def _verdict(judgement: Judgement, answer: Any, on_timeout: float | None) -> Verdict:
    outcome, prediction, source, comparison, as_spelled = judgement
    points = 1.0 if outcome == "correct" else None if outcome in INNOCENT else 0.0
    if outcome in ("timeout", "crashed"):
        points = on_timeout
    gold = answer if type(answer) is str else gold_text(answer)
    if comparison is None:
        return Verdict(points, outcome, None, gold, {"answer_as_spelled": True} if as_spelled else NO_DETAILS)
    details = {
        "source": source,
        "step": comparison.step,
        "prediction_read_as": comparison.prediction,
        "answer_read_as": comparison.answer,
        "why": comparison.why,
    }
    return Verdict(points, outcome, prediction, gold, details)


def forget() -> None:
    """Forgets all shared verdicts, so that a benchmark starts afresh."""
    _SHARED.clear()
