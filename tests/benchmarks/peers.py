"""Where our rewards pay otherwise than the functions of other projects that people come from, and why.

    python tests/benchmarks/peers.py             # on made-up completions and, where they are, on real ones
    python tests/benchmarks/peers.py --made      # on the made-up ones alone
    python tests/benchmarks/peers.py --show NAME # with examples of each difference of one function

Each of their functions is called beside the reward of ours that does its work, on the same completions, and every
difference is named. Exit status 1 if one has no name: then the table says less than there is.

The functions are in ``peer_formulas.py``, written from their published definitions; TRL's own are called. Which answers
are right is decided once, by ``boxed_answer``, for the functions that build on it.
"""

import argparse
import itertools
import random
import re
import sys
import tomllib
from collections import ChainMap, Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import peer_formulas as theirs
from labelled import DATA, rows
from peer_formulas import Formula, Written, of_each

import grpo_rewards as gr

TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
PIECES = re.compile(r"\w{1,6}|\s|[^\w\s]")  # which stand for tokens: none of the formulas asks which ones
GROUP = 4
SEED = 7
SAME = 1e-9
NO_NAME = "NOT NAMED"


class Pair(NamedTuple):
    """Their function, our reward that does its work, and what a difference is called.

    Attributes:
        names: by who pays more and our reason, ``"they: blank_reasoning"``, what tells from the completion what they do
            otherwise.
        characters: whether they count characters; then ours are given characters for tokens.
    """

    project: str
    function: str
    formula: Formula
    spec: str
    names: dict[str, Callable[[Written], str]]
    characters: bool = False


def pair_of(row: dict[str, Any]) -> Pair:
    """The pair of a row of ``peers.toml``."""
    own, shared = row.get("names", {}), [TABLE["names"][name] for name in row.get("with", ())]
    function: Any = getattr(theirs, row.get("each") or row["group"])
    formula = of_each(function) if "each" in row else function(*row["given"]) if "given" in row else function
    names = {key: name_of(name, function) for key, name in ChainMap(own, *reversed(shared)).items()}
    return Pair(row["project"], row["function"], formula, row["spec"], names, row.get("characters", False))


def name_of(name: str | list[str], function: Any) -> Callable[[Written], str]:
    """What a difference is called; of two names the first is for what reading the whole text would have earned."""
    if isinstance(name, str):
        return lambda _: name
    clipped, otherwise = name
    return lambda one: clipped if function(one, None) else otherwise


def pairs() -> list[Pair]:
    """All but those of bounding boxes, which need completions of their own."""
    return [pair_of(row) for row in TABLE["pairs"]]


def of_boxes() -> list[Pair]:
    return [pair_of(row) for row in TABLE["of_boxes"]]


def made_up() -> Iterator[tuple[str, str]]:
    """(text, gold) of completions in every form that the format functions tell apart, at several lengths."""
    made = TABLE["made_up"]
    for form, reasoning, end in itertools.product(made["forms"], made["why"], made["ends"]):
        yield form.format(why=reasoning, end=end), "4"


def made_up_once() -> Iterator[tuple[str, str]]:
    """(text, gold) of completions that show differences which no form above shows, a multiple of a group's size."""
    sections = "<think>\nI add.\n</think>\n<answer>\n{}\n</answer>"
    blocks = [
        "```python\n1\n```\n```python\n2\n```",
        "```python\n\n```",
        "so ```python 1``` it is",
        "```python3\n1\n```",
    ]
    draw = random.Random(SEED)
    words = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(300)]
    long, checked = " ".join(words), "I checked " + ", then ".join(words[:50]) + "."
    texts = [
        "```python\nprint(1)\n```",
        *map(sections.format, [*blocks, "```python\n1\n``` is it", "-4"]),
        "<think>\nI add.\n</think>\nSo:\n</think>\n<answer>\n4\n</answer>",
        "<think>\nIs it <answer>5</answer>?\n</think>\n<answer>\n4\n</answer>",
        f"{long} \\boxed{{5}}",
        long,
        f"<think>{long}",
        "wait, " * 22,
        "4<|im_end|> a b c a b c",
        "It is 4, as I said before.<|im_end|> a b c a b c",
        "\n-\n-\n-",
        "<|im_end|><answer>4</answer>",
        "<think>Is it <answer>4</answer>",
        f"#### 4\n{checked}",
        f"The answer is 4\n\n{checked}",
    ]
    texts += ["4"] * (-len(texts) % GROUP)
    yield from ((text, "4") for text in texts)


def made_up_boxes() -> Iterator[tuple[str, str]]:
    """(text, gold) of bounding boxes: equal, over one another, apart, degenerate, and in several forms."""
    golds = [(0.1, 0.1, 0.5, 0.5), (0, 0, 1, 1)]
    boxes = [*golds, (0.2, 0.2, 0.6, 0.6), (0.7, 0.7, 0.9, 0.9), (0.5, 0.5, 0.1, 0.1), (0.3, 0.3, 0.3, 0.3)]
    forms = ["<answer>[{0}, {1}, {2}, {3}]</answer>", "It is at [{0}, {1}, {2}, {3}].", "<answer>left</answer>"]
    forms += ['<answer>{{"bbox_2d": [{0}, {1}, {2}, {3}]}}</answer>', "<answer>({0}, {1}), ({2}, {3})</answer>"]
    for gold, box, form in itertools.product(golds, boxes, forms):
        yield form.format(*box), str(list(gold))


def real() -> Iterator[tuple[str, str]]:
    """(text, gold) of completions that models wrote; nothing where there are none."""
    for name in ("answers/gsm8k_real", "answers/math_cot_real", "answers/long_real"):
        for row in rows(DATA, name):
            if isinstance(row["completion"], str):
                yield row["completion"], str(row["gold"])


def written(some: Sequence[tuple[str, str]]) -> list[Written]:
    texts, golds = [text for text, _ in some], [gold for _, gold in some]
    right = gr.boxed_answer(completions=texts, answer=golds)
    numbers: dict[str, int] = {}
    ids = [[numbers.setdefault(piece, len(numbers)) for piece in PIECES.findall(text)] for text in texts]
    return [Written(*one) for one in zip(texts, ids, golds, [reward == 1.0 for reward in right], strict=True)]


def differences(pair: Pair, completions: Sequence[Written]) -> dict[str, list[tuple[Written, float, float]]]:
    """By who pays more and our reason: the completion, what they pay and what we pay."""
    reward = gr.get_reward(pair.spec)
    found: dict[str, list[tuple[Written, float, float]]] = {}
    for start in range(0, len(completions), GROUP):
        group = [
            one._replace(ids=[*map(ord, one.text)]) if pair.characters else one
            for one in completions[start : start + GROUP]
        ]
        verdicts = reward.explain_all(
            [one.text for one in group],
            prompts=["?"] * len(group),
            completion_ids=[one.ids for one in group],
            answer=[one.answer for one in group],
        )
        for one, their, verdict in zip(group, pair.formula(group), verdicts, strict=True):
            if their is None or verdict.reward is None or abs(their - verdict.reward) <= SAME:
                continue
            who = "they" if their > verdict.reward else "we"
            found.setdefault(f"{who}: {verdict.reason}", []).append((one, their, verdict.reward))
    return found


def lines(pair: Pair, found: dict[str, list[tuple[Written, float, float]]], size: int) -> Iterator[str]:
    """The row of a table, in Markdown."""
    named: Counter[str] = Counter()
    for key, some in found.items():
        named.update(pair.names[key](one) if key in pair.names else f"{NO_NAME}: {key}" for one, _, _ in some)
    told = "; ".join(f"{name} ({count:,})" for name, count in named.items())
    same = size - named.total()
    yield f"| {pair.project} | `{pair.function}` | `{pair.spec}` | {100 * same / size:.1f} % | {told or 'nothing'} |"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--made", action="store_true", help="only the made-up completions")
    parser.add_argument("--show", help="an example of each difference of this function")
    options = parser.parse_args(arguments)
    some = [*made_up(), *made_up_once(), *([] if options.made else real())]
    completions = written(some)
    print(f"{len(completions):,} completions\n")
    print("| project | function | ours | same | what theirs does otherwise (completions) |")
    print("|---" * 5 + "|")
    unnamed = 0
    boxes = written(list(made_up_boxes()))
    for pair, judged in [*((pair, completions) for pair in pairs()), *((pair, boxes) for pair in of_boxes())]:
        found = differences(pair, judged)
        unnamed += sum(key not in pair.names for key in found)
        print(*lines(pair, found, len(judged)), sep="\n")
        for key, rows_of in found.items() if options.show == pair.function else ():
            for one, their, our in rows_of[:5]:
                said = f"{one.text[:60]!r} … {one.text[-40:]!r}, gold {one.answer}"
                print(f"    {key}: they {their:.3g}, we {our:.3g}: {said}")
    return int(unnamed > 0)


if __name__ == "__main__":
    sys.exit(main())
