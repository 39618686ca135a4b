"""GSM8K's two measures as EleutherAI's lm-evaluation-harness defines them, to stand beside figures of others.

Its task ``gsm8k``, version 3, in lm_eval/tasks/gsm8k/gsm8k.yaml, has the filters strict-match, the first match of
``#### (\\-?[0-9\\.\\,]+)``, and flexible-extract, the last match of ``(-?[$0-9.,]{2,})|(-?[0-9]+)``; where nothing
matches the answer is ``[invalid]``. Both are compared with the gold by exact_match, which removes commas, dollar signs,
all up to the last ``#### `` and a full stop at the end from both, and ignores case.

Only the extraction is the harness's. Its prompt, five solved examples that end in ``#### ``, is not: a policy that was
trained on another format fails strict-match however right its answers are.
"""

from __future__ import annotations

import re
from typing import Any

from grpo_rewards import Verdict, reward
from grpo_rewards.answers import gold_text

__all__ = ["flexible_extract", "strict_match"]

STRICT = re.compile(r"#### (\-?[0-9\.\,]+)")
FLEXIBLE = re.compile(r"(-?[$0-9.,]{2,})|(-?[0-9]+)")
IGNORED = (",", r"\$", r"(?s).*#### ", r"\.$")  # in this order
REASONS = ("correct", "wrong", "invalid", "bad_answer")


@reward(reasons=REASONS, range=(0.0, 1.0))
def strict_match(completion: str, answer: Any) -> Verdict:
    """1 if the first number behind ``#### `` is the gold's, else 0; ``None`` without a gold."""
    found = STRICT.search(completion)
    return compared(None if found is None else found[1], answer)


@reward(reasons=REASONS, range=(0.0, 1.0))
def flexible_extract(completion: str, answer: Any) -> Verdict:
    """1 if the last number of the text is the gold's, else 0; ``None`` without a gold."""
    found = FLEXIBLE.findall(completion)
    return compared(found[-1][0] or found[-1][1] if found else None, answer)


def compared(prediction: str | None, answer: Any) -> Verdict:
    """The verdict on what was extracted. A gold that a file holds as a number, 7 or 7.0, is the text 7."""
    if isinstance(answer, float) and answer.is_integer():
        answer = int(answer)
    gold = answer if isinstance(answer, str) else gold_text(answer)
    if gold is None:
        return Verdict(None, "bad_answer", prediction=prediction)
    if prediction is None:
        return Verdict(0.0, "invalid", answer=gold)
    is_right = normalised(prediction.strip()) == normalised(gold)
    return Verdict(float(is_right), "correct" if is_right else "wrong", prediction=prediction, answer=gold)


def normalised(text: str) -> str:
    for pattern in IGNORED:
        text = re.sub(pattern, "", text)
    return text.lower()
