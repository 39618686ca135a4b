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

from grpo_rewards import Verdict, reward

__all__ = ["flexible_extract", "strict_match"]

STRICT = re.compile(r"#### (\-?[0-9\.\,]+)")
FLEXIBLE = re.compile(r"(-?[$0-9.,]{2,})|(-?[0-9]+)")
IGNORED = (",", r"\$", r"(?s).*#### ", r"\.$")  # in this order
REASONS = ("correct", "wrong", "invalid")


@reward(reasons=REASONS, range=(0.0, 1.0))
def strict_match(completion: str, answer: str | float) -> Verdict:
    """1 if the first number behind ``#### `` is the gold's, else 0."""
    found = STRICT.search(completion)
    return compared(None if found is None else found[1], answer)


@reward(reasons=REASONS, range=(0.0, 1.0))
def flexible_extract(completion: str, answer: str | float) -> Verdict:
    """1 if the last number of the text is the gold's, else 0."""
    found = FLEXIBLE.findall(completion)
    return compared(found[-1][0] or found[-1][1] if found else None, answer)


def compared(prediction: str | None, gold: str | float) -> Verdict:
    # data may hold numbers; where 4.5 stands among them, a 4 is read as 4.0
    answer = str(int(gold)) if isinstance(gold, float) and gold.is_integer() else str(gold)
    if prediction is None:
        return Verdict(0.0, "invalid", answer=answer)
    is_right = normalised(prediction.strip()) == normalised(answer)
    return Verdict(float(is_right), "correct" if is_right else "wrong", prediction=prediction, answer=answer)


def normalised(text: str) -> str:
    for pattern in IGNORED:
        text = re.sub(pattern, "", text)
    return text.lower()
