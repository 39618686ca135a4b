"""Finds the prediction that a completion marks, its box or its tag, and judges whether it is the right answer.

No points here. ``extraction`` finds predictions in prose.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from grpo_rewards.answers.comparing.equality import DEFAULT_GRADING_OPTIONS, GradingOptions
from grpo_rewards.answers.comparing.steps import Comparison, compare_all, reading_of
from grpo_rewards.answers.symbolic.schedule import SymbolicLimits
from grpo_rewards.completion.boxes import boxes, last_boxes, one_answer
from grpo_rewards.completion.reasoning.marks import THINK, Marks
from grpo_rewards.completion.sections import MAY_BEGIN_MARKED, as_written, last_tagged, response

# Finds the prediction that a completion marks: its box, or its tag; ``extraction`` finds those in prose.
#
# Look here if a completion is given ``no_box``, or if the wrong box is compared.

# (text, source) if something was found, else (None, reason).
Search: TypeAlias = "tuple[str | None, str]"


def find_box(
    completion: str, think_opened: bool, boxed: str = "last", in_reasoning: bool = False, marks: Marks = THINK
) -> Search:
    """(contents, ``box``) of the box that counts, else (``None``, reason).

    The reason is ``unfinished_thinking``, ``no_box`` or ``several_boxes``.

    Args:
        completion: what the model wrote.
        think_opened: whether the chat template has already written the opening delimiter of the reasoning.
        boxed: which box counts: ``last`` (a list such as ``\\boxed{1}`` or ``\\boxed{2}`` is one answer), ``first``,
            or ``only`` (there must not be several).
        in_reasoning: whether boxes in the reasoning count too.
        marks: the delimiters of the reasoning.
    """
    if type(completion) is str and not (
        think_opened
        or "\\" in completion
        or "|" in completion
        or marks.opening in completion
        or completion[:1] in MAY_BEGIN_MARKED
    ):
        return None, "no_box"  # neither a box nor reasoning has begun
    if in_reasoning:
        text: str | None = as_written(completion, marks=marks)[0]
    else:
        text = response(completion, think_opened, marks, with_calls=False)
    if text is None:
        return None, "unfinished_thinking"
    found = last_boxes(text) if boxed == "last" else boxes(text)
    if not found:
        return None, "no_box"
    if boxed == "only" and len(found) > 1:
        return None, "several_boxes"
    return (one_answer(found) if boxed == "last" else found[0]), "box"


def find_answer(completion: str, think_opened: bool, marks: Marks = THINK) -> Search:
    """(text, source) of what a completion says: its last box, else its last ``<answer>``, else all of its text.

    Only what follows the reasoning counts; (``None``, ``unfinished_thinking``) if the reasoning does not end.
    """
    text = response(completion, think_opened, marks, with_calls=False)
    if text is None:
        return None, "unfinished_thinking"
    found = last_boxes(text)
    if found:
        return one_answer(found), "box"
    tagged = last_tagged(text, "answer")
    return (text.strip(), "response") if tagged is None else (tagged.strip(), "answer_tag")


# Judges whether completions give the right answer: what was found in them, and how it compares. No points here.

COMPARED = """
correct wrong unfinished_thinking not_compared too_large timeout crashed worker_killed call_timeout bad_answer
""".split()
# The outcomes of a judgement, depending on where the answer was looked for. A reward lists them as its reasons.
# "timeout": a pair of formulas used up its deadline, or all of one answer four of them · "crashed": it ran out of the
# memory that a worker may use, or its worker crashed on it · "worker_killed": its worker was killed from outside, or
# got no processor · "call_timeout": the time of the whole call was over before it was decided · "bad_answer": the
# gold cannot be read, or is not understood and spelled otherwise. Of the last three the completion is innocent.
INNOCENT = frozenset(("worker_killed", "call_timeout", "bad_answer"))
BOX_OUTCOMES = ("no_box", "several_boxes", *COMPARED)
FINAL_OUTCOMES = ("no_answer", *COMPARED)


class Judgement(NamedTuple):
    """The outcome for one completion: the ``prediction``, its ``source`` in the completion, and how it compared.

    If nothing was found, there are only the outcome and whether the answer is one that only its own spelling can meet.
    """

    outcome: str
    prediction: str | None = None
    source: str | None = None
    comparison: Comparison | None = None
    answer_as_spelled: bool = False

    @property
    def is_settled(self) -> bool:
        """Whether comparing the same two answers again must give the same outcome, so that it may be cached.

        ``False`` if they were not decided, or were decided by workers: whether these find anything also depends on how
        many they are and how long they may take.
        """
        if self.comparison is None:
            return True  # nothing was found, which is the same each time
        return self.outcome in ("correct", "wrong") and self.comparison.step != "symbolic"


def judge(
    found: Sequence[Search],
    answers: Sequence[Any],
    options: GradingOptions = DEFAULT_GRADING_OPTIONS,
    limits: SymbolicLimits | None = None,
) -> list[Judgement]:
    """Judges what was found in each completion against its answer; one judgement each, in order.

    ``found`` holds (prediction, source), or (None, reason) if a completion has no answer. All together take at most the
    time that ``limits`` has for a call; what is not decided by then is ``call_timeout``.
    """
    rows = list(zip(found, answers, strict=True))
    comparisons = iter(
        compare_all([(prediction, gold) for (prediction, _), gold in rows if prediction is not None], options, limits)
    )
    judged = []
    for (prediction, source), gold in rows:
        if prediction is not None:
            comparison = next(comparisons)
            judged.append(Judgement(comparison.outcome, prediction, source, comparison))
        else:  # if the gold cannot be understood, the row is at fault
            read_as = reading_of(gold)
            outcome = source if read_as == "value" else "bad_answer"
            judged.append(Judgement(outcome, answer_as_spelled=read_as == "spelling"))
    return judged
