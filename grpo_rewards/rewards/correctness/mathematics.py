"""Is the answer right, mathematically? Judgements of answers become verdicts of 1 and 0."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal

from grpo_rewards.answers import (
    BOX_OUTCOMES,
    FINAL_OUTCOMES,
    INNOCENT,
    LONGEST_DEADLINE,
    STEPS,
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
from grpo_rewards.completion.reasoning.thinking import Thinking
from grpo_rewards.completion.sections import is_tag_name
from grpo_rewards.extraction import find_final, find_tagged
from grpo_rewards.extraction.golds import stated_gold
from grpo_rewards.registry import RewardError, batch_reward
from grpo_rewards.verdict import Verdict

__all__ = ["boxed_answer", "final_answer", "tagged_answer"]

SHARED_VERDICTS = 8_192  # and those of one call; a step of a large run has a few thousand distinct pairs
SHARED_CHARACTERS = 500  # of both sides of a pair, which bounds them to some 10 MB
SHARED_OPTIONS = 8
LONGEST_CALL = 86_400.0  # seconds
NO_DETAILS = Verdict(None).details
Pair = tuple[str | None, str, str]  # a prediction and where it was found, or None and why there is none; a gold


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
    if len(shared) >= SHARED_VERDICTS:
        shared.clear()
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
        return Verdict(0.0, source, None, answer) if compare_plain(answer, answer) else None
    plain = compare_plain(prediction, answer)
    if plain is None:
        return None
    outcome, step = plain
    read = {"source": source, "step": step, "prediction_read_as": prediction, "answer_read_as": answer}
    return Verdict(1.0 if outcome == "correct" else 0.0, outcome, prediction, answer, read)


@lru_cache(maxsize=SHARED_OPTIONS)
def _shared_by(options: GradingOptions) -> dict[Pair, Verdict]:
    """The verdicts that are remembered for these options."""
    return {}


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
    _shared_by.cache_clear()


# What the decorators of these rewards are given; details go to the completions table, seconds by the clock to the log.
GRADED: dict[str, Any] = {
    "shares": {"step": STEPS},
    "table": ("answer", "step", "why"),
    "meters": {"symbolic_seconds": symbolic_seconds},
    "range": (0.0, 1.0),
}


@batch_reward(reasons=BOX_OUTCOMES, check=check_comparing, **GRADED)
def boxed_answer(
    completions: Sequence[str],
    answer: Sequence[Any],
    prompts: Sequence[Any],
    *,
    boxed: Literal["last", "only", "first"] = "last",
    box_in_reasoning: bool = False,
    thinking: Thinking,
    options: GradingOptions,
    on_timeout: float | None = 0.0,
    limits: SymbolicLimits,
) -> list[Verdict]:
    """1 if the last box after the reasoning holds the answer, else 0.

    It reads ``\\boxed{…}`` and ``\\fbox{…}``. Text after an end-of-turn marker never counts. The gold may be a string
    (also ``$…$``, ``\\boxed{…}``, or a GSM8K solution that ends in ``#### 72``), an int or a float. docs/answers.md
    says what equals what, and has examples of every option.

    Args:
        completions: the texts of the last assistant messages.
        answer: the golds, a dataset column.
        prompts: looked at to see whether they end inside the reasoning.
        boxed: which box counts; with ``only``, more than one is ``several_boxes``.
        box_in_reasoning: whether a box in the reasoning counts.
        think_opened: whether the chat template opened the reasoning; ``None`` looks at the prompt.
        reasoning: the delimiters of the reasoning; ``"<think>"``, the default, stands for itself and ``</think>``.
        percent: whether ``10\\%`` is the number 10 (``number``; as a prediction it answers 0.1 as well) or only 0.1
            (``fraction``).
        units: whether a unit may be left out (``optional``), must be given (``required``) or is never looked at
            (``ignored``).
        conversion: whether ``90 minutes`` answers ``1.5 hours``, where both sides have a unit.
        names: whether ``x=5`` may stand for 5, and 5 for ``x=5`` (``optional``), or not (``required``).
        rounding_digits: how many significant digits a decimal needs to stand for a repeating or irrational gold that it
            correctly rounds; ``None``: it never does.
        unevaluated: whether ``3+4`` answers 7.
        on_timeout: the reward if a symbolic comparison used up its deadline or its memory: 0.0 or ``None``.
        deadline: seconds of processor time for one symbolic comparison; an answer that needs several, such as a set of
            integrals, has four times as long for all of them.
        workers: how many processes compare; ``None``: ``GRPO_REWARDS_WORKERS``, else by the number of cores.
        call_deadline: seconds by the clock for all completions of a call. What is not decided by then is ``None``.

    Returns:
        1.0 or 0.0, or ``None`` with the last three of these reasons, and with ``timeout`` and ``crashed`` where
        ``on_timeout`` is ``None``. Reasons: ``correct``, ``wrong``, ``no_box``, ``several_boxes``, and these:

        - ``unfinished_thinking``: the reasoning was never closed
        - ``not_compared``: no step could tell
        - ``too_large``: refused before anything evaluated it
        - ``timeout``: it used up its deadline
        - ``crashed``: it used up its memory, or crashed the process that compares
        - ``worker_killed``: that process was killed from outside
        - ``call_timeout``: the call ended before its turn came
        - ``bad_answer``: the gold cannot be read or understood

    A policy would try a list of candidates ("5 or 6", several boxes), a box in a box, a formula too large to evaluate,
    or text that only looks like a number. A list is no number, and boxes joined by "or", "and" or a comma are a list;
    else the last box decides, and of nested boxes the outermost. What is too large is wrong before it is evaluated.

    >>> boxed_answer.score(r"\\boxed{7}, or rather \\boxed{\\tfrac12}", answer="0.5")
    1.0
    """
    found = [
        find_box(text, thinking.opened(prompt), boxed, box_in_reasoning, thinking.marks)
        for text, prompt in zip(completions, prompts, strict=True)
    ]
    return grade(found, answer, options, limits, on_timeout)


@batch_reward(reasons=FINAL_OUTCOMES, check=check_comparing, **GRADED)
def final_answer(
    completions: Sequence[str],
    answer: Sequence[Any],
    prompts: Sequence[Any],
    *,
    last_number: bool = True,
    thinking: Thinking,
    options: GradingOptions,
    on_timeout: float | None = 0.0,
    limits: SymbolicLimits,
) -> list[Verdict]:
    """1 if the final answer after the reasoning is right, else 0, for models that need not use a box.

    The final answer is, in this order: the last box; the last ``<answer>…</answer>``; a JSON key (``{"answer": 7}``);
    a text that is nothing but an answer (``42``, ``Paris``); what the text announces last ("the answer is", "Answer:",
    ``####``, also in other languages); with ``last_number`` the number that its last sentence with a number asserts.
    The verdict's ``source`` says which it was. What is denied, doubted, supposed, cited, taken back, a bound, one of
    several candidates, or only names something ("step 3") is no answer.

    Args:
        completions: the texts of the last assistant messages.
        answer: the golds, a dataset column, in any form that ``boxed_answer`` takes.
        prompts: looked at to see whether they end inside the reasoning.
        last_number: whether a number counts that is asserted but not announced as the answer.
        think_opened: whether the chat template opened the reasoning; ``None`` looks at the prompt.
        reasoning: the delimiters of the reasoning; ``"<think>"``, the default, stands for itself and ``</think>``.
        percent, units, conversion, names, rounding_digits, unevaluated: what equals what, as for ``boxed_answer``.
        on_timeout, deadline, workers, call_deadline: how symbolic comparisons are run, as for ``boxed_answer``.

    Returns:
        1.0 or 0.0, or ``None`` where ``boxed_answer`` is. Reasons: those of ``boxed_answer``, with ``no_answer``
        for a completion without any of these.

    A policy would name several candidates and hope for the last number. "The answer is 4 or 5" and "It is 4. Or maybe
    5." earn nothing. A text that announces no answer is judged by the last number that it asserts; turn that off with
    ``last_number=False``, or ask for a box, where it matters.

    >>> final_answer.explain("It costs 3 + 4 dollars. The answer is $7.", answer=7).details["source"]
    'phrase'
    """
    found = [
        find_final(text, thinking.opened(prompt), last_number, thinking.marks)
        for text, prompt in zip(completions, prompts, strict=True)
    ]
    return grade(found, answer, options, limits, on_timeout)


def _check_tagged(tag: str, **options: Any) -> None:
    check_comparing(**options)
    if not is_tag_name(tag):
        raise RewardError(f"tag must be a tag's name, such as 'answer', not {tag!r}.")


@batch_reward(reasons=FINAL_OUTCOMES, check=_check_tagged, **GRADED)
def tagged_answer(
    completions: Sequence[str],
    answer: Sequence[Any],
    prompts: Sequence[Any],
    *,
    tag: str = "answer",
    thinking: Thinking,
    options: GradingOptions,
    on_timeout: float | None = 0.0,
    limits: SymbolicLimits,
) -> list[Verdict]:
    """1 if the last ``<answer>…</answer>`` after the reasoning holds the answer, else 0.

    A box inside the tags counts instead of what stands around it. Nothing outside the tags is looked at.

    Args:
        completions: the texts of the last assistant messages.
        answer: the golds, a dataset column, in any form that ``boxed_answer`` takes.
        prompts: looked at to see whether they end inside the reasoning.
        tag: the tag's name.
        think_opened: whether the chat template opened the reasoning; ``None`` looks at the prompt.
        reasoning: the delimiters of the reasoning; ``"<think>"``, the default, stands for itself and ``</think>``.
        percent, units, conversion, names, rounding_digits, unevaluated: what equals what, as for ``boxed_answer``.
        on_timeout, deadline, workers, call_deadline: how symbolic comparisons are run, as for ``boxed_answer``.

    Returns:
        1.0 or 0.0, or ``None`` where ``boxed_answer`` is. Reasons: those of ``final_answer``, with ``no_answer``
        for a completion without the tags.

    A policy would write several pairs of tags: the last one counts.

    >>> tagged_answer.score(r"<answer>4</answer>, no, <answer>\\boxed{5} apples</answer>", answer=5)
    1.0
    """
    found = [
        find_tagged(text, thinking.opened(prompt), tag, thinking.marks)
        for text, prompt in zip(completions, prompts, strict=True)
    ]
    return grade(found, answer, options, limits, on_timeout)
