"""Word problems for a calculator, and what the tiny model that calls it is warmed up on.

The numbers have two and three digits, so the model cannot compute the result, and the tool ``calculate`` can:

    question: Hana has 47 bags of 86 coins and finds 529 more. How many coins does Hana have now?
    calls:    [{"name": "calculate", "arguments": {"expression": "47 * 86 + 529"}}]
    answer:   4571
"""

import json
import random
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from embedded.warm_up import CHAT_TEMPLATE, WarmUp
from embedded.word_problems import CALCULATIONS, NAMES, THINGS

__all__ = ["TINY_CALCULATOR", "WARM_UP", "calculator_problems"]

TINY_CALCULATOR = Path(__file__).parent / "tiny_calculator"
SEED = 0
TAGS = ("<tool_call>", '{"name": "', '", "arguments": ', '{"expression": "', '"}}</tool_call>', "\\boxed{")
# Calls are written as Qwen's templates write them, and the names of the tools stand before the first turn.
TOOLS = "{%- for tool in tools or [] -%}{{- bos_token + tool.function.name -}}{%- endfor -%}\n"
CALLS = """\
{%- for call in message.tool_calls or [] -%}
    {{- '<tool_call>{"name": "' + call.function.name + '", "arguments": ' + (call.function.arguments | tojson) -}}
    {{- '}</tool_call>' -}}
{%- endfor -%}
"""
WITH_TOOLS = TOOLS + CHAT_TEMPLATE.replace(
    "message.content + eos_token", "message.content or '' -}}" + CALLS + "{{- eos_token"
)
# How transformers reads a turn of the assistant: tool calls, and the text beside them.
RESPONSE_TEMPLATE = {
    "defaults": {"role": "assistant"},
    "start_anchor": "\n",
    "fields": {
        "tool_calls": {
            "open": "<tool_call>",
            "close_pattern": "</tool_call>",
            "repeats": True,
            "content": "json",
            "transform": {"type": "function", "function": "{content}"},
        },
        "content": {"close_pattern": "</s>", "content": "text"},
    },
}


def calculator_problems(n: int, seed: int, split: Literal["train", "test"] = "train") -> list[dict[str, str]]:
    """n problems as rows `{"question", "calls", "answer"}`; no two numbers of a product are in train and in test."""
    rng = random.Random(f"{seed} {split}")
    rows: list[dict[str, str]] = []
    while len(rows) < n:
        a, b, c = rng.randint(12, 99), rng.randint(12, 99), rng.randint(100, 999)
        calculation = rng.choice(CALCULATIONS[:2])  # a product, to which something is added or of which it is taken
        sign = calculation.signs[1]
        is_test = sha256(f"{a} {b}".encode()).digest()[0] % 4 == 0
        if is_test != (split == "test") or (sign == "-" and a * b <= c):
            continue
        names = {"name": rng.choice(NAMES), "things": rng.choice(THINGS)}
        call = {"name": "calculate", "arguments": {"expression": f"{a} * {b} {sign} {c}"}}
        rows.append(
            {
                "question": rng.choice(calculation.phrasings).format(a=a, b=b, c=c, **names),
                "calls": json.dumps([call]),
                "answer": str(a * b + c if sign == "+" else a * b - c),
            }
        )
    return rows


def texts() -> Iterator[str]:
    problems = calculator_problems(2000, SEED)
    yield from (f"{problem['question']}\n{problem['calls']}" for problem in problems)
    yield from [" ".join([*map(str, range(100)), *(f"0{digit}" for digit in range(10))])] * len(problems)


def demonstrations(n: int) -> list[list[dict[str, Any]]]:
    rng = random.Random(SEED)
    return [
        [
            {"role": "user", "content": row["question"]},
            *demonstration(json.loads(row["calls"])[0], row["answer"], rng.random()),
        ]
        for row in calculator_problems(n, SEED)
    ]


def demonstration(call: dict[str, Any], answer: str, share: float) -> list[dict[str, Any]]:
    """One of three answers: call and box (share < 0.3), box alone (< 0.65), call and no box.

    A box alone is always right here, but the model, which cannot multiply, learns to guess.
    """
    box = {"role": "assistant", "content": f"\\boxed{{{answer}}}"}
    if 0.3 <= share < 0.65:
        return [box]
    calls = {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": call}]}
    shown = {"role": "tool", "name": call["name"], "content": answer}
    return [calls, shown, box if share < 0.3 else {"role": "assistant", "content": answer}]


WARM_UP = WarmUp(
    folder=TINY_CALCULATOR,
    texts=texts,
    demonstrations=demonstrations,
    tags=TAGS,
    vocabulary=480,
    steps=800,
    seed=SEED,
    template=WITH_TOOLS,
    response_template=RESPONSE_TEMPLATE,
    tools=[{"type": "function", "function": {"name": "calculate"}}],
)
