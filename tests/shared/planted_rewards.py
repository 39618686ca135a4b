"""Rewards that each break one clause of the contract, as they are found in the wild, under the name of the clause."""

import itertools
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

from grpo_rewards import Reward, batch_reward, reward
from grpo_rewards.registry.call import Call

Given = list[float | None]
PLANTED: list[tuple[str, Any]] = []  # the clause that is to find it, and the reward


def planted(clause: str) -> Callable[[Any], Any]:
    """Enters a reward that this clause is to find."""

    def entered(one: Any) -> Any:
        PLANTED.append((clause, one))
        return one

    return entered


def text_of(completion: Any) -> str:
    """The text as a trainer's user reads it who has seen both forms."""
    if isinstance(completion, str):
        return completion
    content = (completion[-1].get("content") if completion else "") or ""
    return content if isinstance(content, str) else "".join(block["text"] for block in content)


def texts(completions: Sequence[Any]) -> list[str]:
    return [text_of(completion) for completion in completions]


@planted("model")
def rule_based_reward(prompt: str, response: str, ground_truth: str) -> float:
    """1 if the response is the gold; nothing of what a trainer passes is called response."""
    return float(response == ground_truth)


@planted("values")
def nan_for_no_answer(completions: Any, **_: Any) -> Given:
    """NaN where there is no digit."""
    return [1.0 if re.search(r"\d", text) else float("nan") for text in texts(completions)]


@planted("values")
def leaves_out_the_wrong(completions: Any, **_: Any) -> Given:
    """Fewer values than completions."""
    return [1.0 for text in texts(completions) if "4" in text]


@planted("values")
@reward
def gives_a_text(completion: str) -> Any:
    """A text in place of a number."""
    return f"{completion.count('.')}.0"


@planted("determinism")
@reward
def noisy(completion: str) -> float:
    """A little noise to break ties."""
    return len(completion) + random.random()


CALLS = itertools.count()


@planted("determinism")
@batch_reward
def stateful(completions: list[str]) -> list[float]:
    """More in later calls."""
    step = next(CALLS)
    return [step / 100 for _ in completions]


@planted("batches")
@batch_reward
def by_place(completions: list[str]) -> list[float]:
    """The first of a batch earns most."""
    return [1.0 / (at + 1) for at in range(len(completions))]


@planted("batches")
@batch_reward
def relative_to_the_batch(completions: list[str]) -> list[float]:
    """The longest of a batch earns 1."""
    longest = max(map(len, completions)) or 1
    return [len(text) / longest for text in completions]


@planted("keywords")
def takes_no_others(completions: Any, answer: Any) -> Given:
    """1 if the answer is in the completion."""
    return [float(str(gold) in text) for text, gold in zip(texts(completions), answer, strict=True)]


@planted("forms")
def reads_texts_alone(completions: Any, **_: Any) -> Given:
    """1 if the completion is a text with a digit."""
    return [float(isinstance(one, str) and bool(re.search(r"\d", one))) for one in completions]


def reads_conversations_alone(completions: Any, **_: Any) -> Given:
    """1 if there is a four, as many rewards in the wild read it."""
    return [float("4" in str(completion[0].get("content"))) if completion else 0.0 for completion in completions]


@planted("empty_completions")
def expects_content(completions: Any, **_: Any) -> Given:
    """1 if there is a digit, and an AttributeError where a tool was called."""
    found = []
    for one in completions:
        if not isinstance(one, str):
            content = one[-1]["content"]
            one = content if isinstance(content, str) else "".join(block["text"] for block in content)
        found.append(float("4" in one))
    return found


@planted("hostile")
@reward
def encodes(completion: str) -> float:
    """Bytes of the text, which a lone surrogate has none of."""
    return float(len(completion.encode()))


@planted("hostile")
@reward
def counts_nesting(completion: str) -> float:
    """1 if it begins with a bracket in a bracket; deep nesting exhausts the stack."""

    def depth(at: int) -> int:
        return 1 + depth(at + 1) if completion[at : at + 1] in {"[", "{", "("} else 0

    return float(depth(0) > 1)


def made_inside() -> Reward:
    @reward
    def in_a_closure(completion: str) -> float:
        """1 for each text."""
        return float(isinstance(completion, str))

    return in_a_closure


PLANTED.append(("pickled", made_inside()))


@planted("linear")
@reward
def trailing_space(completion: str) -> float:
    """1 if no line ends in white space, by a pattern that begins again at each space."""
    return float(re.search(r"\s+$", completion[:-1] + ".") is None)


@planted("linear")
@reward
def nested_quantifier(completion: str) -> float:
    """1 if it ends in words: exponential."""
    return float(re.search(r"^(\w+\s?)*$", completion) is not None)


@planted("linear")
@reward
def compares_all_words(completion: str) -> float:
    """The share of words that occur once."""
    words = completion.split()
    return sum(words.count(word) == 1 for word in words) / max(1, len(words))


@planted("stated_range")
@reward(range=(0.0, 1.0))
def above_its_range(completion: str) -> float:
    """How often the completion says 'so'."""
    return float(completion.count("so"))


@planted("unscorable")
@reward
def blames_the_model(completion: str, answer: str | None) -> float:
    """1 if the answer is in the completion; 0 where the row has none."""
    return float(answer is not None and answer in completion)


@planted("unscorable")
@reward
def assumes_a_gold(completion: str, answer: str) -> float:
    """1 if the answer is in the completion."""
    return float(answer in completion)


class Subclass(Reward):
    """A reward of a class of its own."""

    def outcomes(self, call: Call) -> list[Any]:
        return [1.0] * call.size

    def bind(self, **_: Any) -> Any:
        return self

    def __reduce__(self) -> Any:
        return type(self), ()


class Unregistered(Subclass):
    """1 for each."""

    name = "never_registered"


PLANTED.append(("pickled", Unregistered()))
