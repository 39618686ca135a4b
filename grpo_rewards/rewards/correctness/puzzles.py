"""Does an expression over given numbers reach its target? The task is known as Countdown, or the game of 24."""

import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, Literal

from grpo_rewards.answers import NotArithmetic, TooLong, amount, find_answer, gold_text, read_arithmetic, uses_only
from grpo_rewards.answers.values.kinds import Number
from grpo_rewards.completion.fences import fenced_blocks
from grpo_rewards.completion.reasoning.thinking import Thinking
from grpo_rewards.completion.text import from_json, unwrapped
from grpo_rewards.registry import reward
from grpo_rewards.verdict import Verdict

__all__ = ["expression_reaches"]

LINE_CHARACTERS = 2_000  # of an expression with its equals, and of a last line that is looked at
MOST_GIVEN = 100  # numbers
MARK_OF_ITEM = re.compile(r"\s{0,9}(?:[-–*+]|\(?[0-9]{1,3}[.)])\s{1,9}")
EQUALS_SIGN = re.compile(r"={1,3}")
PLAIN_WIDTH = {0xFF01 + place: 0x21 + place for place in range(94)}
TICKS = "✓✔☑✅\ufe0f"  # behind an expression that the writer has checked
MATH_AROUND = ('"', "'", "“", "”", "```", "\\(", "\\)", "\\[", "\\]", "$", "`", "*")
# Of mathematics, or bold; ** between two operands is a power.
DELIMITER = re.compile(r"\\[()\[\]]|\$|(?<![\d)\]}])(?<![\d)\]}] )\*\*(?=\S)|(?<=[\d)\]}.])\*\*(?= ?(?:[=*/×·÷,;.]|$))")
ARITHMETIC_RUN = re.compile(
    r"(?:[\d\s.()\[\]{}+\-−–*/×·∙⋅÷∕⁄=≟]|(?<=[\s)\d])[xX](?=[\s(\d])"
    r"|\\[,;:! ]|\\(?:times|cdot|div|left|right|[dt]?frac)(?![A-Za-z]))+"
)


@reward(
    reasons=(
        "reached",
        "wrong_value",
        "wrong_numbers",
        "no_expression",
        "not_an_expression",
        "too_large",
        "unfinished_thinking",
        "bad_answer",
    ),
    range=(0.0, 1.0),
    example={"nums": [1, 3], "target": 4},
)
def expression_reaches(
    completion: str,
    nums: Any,
    target: Any,
    prompt: Any = None,
    *,
    use: Literal["all", "some"] = "all",
    thinking: Thinking,
) -> Verdict:
    """1 if the completion gives an arithmetic expression over the given numbers that equals the target, else 0.

    The expression stands in the last box, else in the last ``<answer>``, else at the end of the last line. It has the
    operators ``+ - * /``, also as ``× · ÷ −`` or LaTeX, brackets and ``\\frac``; a sign before a number or bracket is
    allowed. Powers, functions, names and numbers side by side are not. It is computed in exact fractions. Behind it
    ``= 9`` may stand if that is true.

    Args:
        completion (str): the text of the last assistant message.
        nums (list | str): the given numbers, a dataset column; also as a JSON list. None is negative or a fraction such
            as 1/2. Data sets that call it ``numbers`` are read with ``bind(columns={"nums": "numbers"})``.
        target (int | float | str): the number to be reached, a dataset column.
        prompt (str | list | None): the prompt, as text or messages; only used to see whether it ends inside the
            reasoning.
        use ("all" | "some"): whether each number must be used exactly once (the default), or at most once.
        think_opened (bool | None): whether the chat template already opened the reasoning, so that the completion
            starts inside it. ``None``, the default: look at the end of ``prompt``.
        reasoning (str | tuple): the delimiters of the reasoning; ``"<think>"``, the default, stands for itself and
            ``</think>``.

    Returns:
        1.0 or 0.0; ``None`` if the row has no numbers or no target. Reasons:

        - ``reached``: it equals the target and uses the numbers as required (1.0).
        - ``wrong_value``: it uses them and comes to something else, also because of a false ``= 9`` or a division by 0.
        - ``wrong_numbers``: it uses other numbers, one too often, or not all.
        - ``no_expression``: nothing stands where the expression should.
        - ``not_an_expression``: something else stands there.
        - ``too_large``: over 1,000 characters (2,000 with what it equals), a number of over 20 digits, or over 40
          brackets in each other.
        - ``unfinished_thinking``: the reasoning was never closed.
        - ``bad_answer``: the row's numbers or its target cannot be read (``None``).

    Source: the task as in TinyZero (Pan et al. 2025) and Stream of Search (Gandhi et al. 2024, arXiv:2404.03683).

    A policy would write the target itself, use a number twice, add ``+ 0``, write 1 and 2 as 12, or hide the rest in a
    comment: none of these is an expression over the given numbers. Several expressions are none.

    >>> expression_reaches.score("<answer>(1 + 2) * 3 = 9</answer>", nums=[1, 2, 3], target=9)
    1.0
    >>> expression_reaches.explain(r"\\boxed{9}", nums=[1, 2, 3], target=9).reason
    'wrong_numbers'
    """
    given, reached = _numbers(nums), _number(target)
    if not given or reached is None:
        return Verdict(None, "bad_answer")
    wanted = reached.value
    shown = f"{wanted} from {', '.join(map(str, given))}"
    found, where = find_answer(completion, thinking.opened(prompt), thinking.marks)
    if found is None:
        return Verdict(0.0, where, answer=shown)
    inside = _unfenced(found)
    last_line = inside.rstrip()[-LINE_CHARACTERS:].rpartition("\n")[2]
    readings = _readings(last_line, _at_end) if where == "response" else _readings(inside, _bare)
    if not readings:
        return Verdict(0.0, "no_expression", answer=shown)
    judged = [(_judged(text, given, wanted, use == "all"), text) for text in readings]
    # Where "- 1" may be an item of a list or a number, what reaches the target is meant, else what is an expression.
    reason, text = min(judged, key=lambda one: (one[0] != "reached", one[0] == "not_an_expression"))
    return Verdict(float(reason == "reached"), reason, text[:LINE_CHARACTERS], shown)


def _judged(text: str, given: list[Fraction], wanted: Fraction, needs_all: bool) -> str:
    """The reason for an expression, or for a chain of equal ones, of which the first uses the numbers."""
    if len(text) > LINE_CHARACTERS:
        return "too_large"
    try:
        sides = [read_arithmetic(side) for side in EQUALS_SIGN.split(text)]
    except TooLong:
        return "too_large"
    except NotArithmetic:
        return "not_an_expression"
    if len(sides[0].numbers) == 1 < len(sides[-1].numbers):
        sides.reverse()  # 9 = (1 + 2) * 3
    if not uses_only(sides[0], given, needs_all):
        return "wrong_numbers"
    return "reached" if all(side.value == wanted for side in sides) else "wrong_value"


def _unfenced(text: str) -> str:
    """What the fenced block holds that a text ends with; without one, the text."""
    blocks = fenced_blocks(text) if text.rstrip().endswith(("```", "~~~")) else []
    return blocks[-1].inside if blocks and blocks[-1].is_closed else text


def _readings(text: str, expression_in: Callable[[str], str]) -> list[str]:
    """The expressions that a text may mean: as it stands, and without the mark of a list before it."""
    marker = MARK_OF_ITEM.match(text)
    found = map(expression_in, (text, text[marker.end() :] if marker else ""))
    return list(filter(None, found))


def _at_end(line: str) -> str:
    """The arithmetic at the end of a line; ``""`` if there is none."""
    line = _bare(line)
    runs = [one[0] for one in ARITHMETIC_RUN.finditer(line) if one.end() == len(line)]
    return runs[0].strip() if runs and any(one.isdigit() for one in runs[0]) else ""


def _bare(text: str) -> str:
    """The text in plain signs, without those of mathematics and emphasis and a full stop."""
    if len(text) > 2 * LINE_CHARACTERS:
        return text
    text = " ".join(unwrapped(text).translate(PLAIN_WIDTH).split())
    text = DELIMITER.sub(" ", text.rstrip(TICKS + " ").rstrip(".;。")).strip()
    for sign in MATH_AROUND * 2:
        text = text.removeprefix(sign).removesuffix(sign).strip()
    return text.rstrip(".;。").strip()


def _numbers(nums: Any) -> list[Fraction]:
    """The given numbers; none if they cannot be read."""
    nums = from_json(nums)
    if not isinstance(nums, Iterable) or isinstance(nums, dict | str | bytes):
        return []
    found = [_number(one) for one in nums]
    # an expression writes each as one number: 3 and 0.5, but not 1/2
    whole = (one for one in found if one is not None and (one.places is not None or one.value.denominator == 1))
    numbers = [one.value for one in whole if one.value >= 0]
    return numbers if len(numbers) == len(found) <= MOST_GIVEN else []


def _number(value: Any) -> Number | None:
    text = None if isinstance(value, list | tuple) else gold_text(value)
    return None if text is None else amount(text)
