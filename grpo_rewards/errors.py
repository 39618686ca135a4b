"""The exception that this package raises, and what its messages are made of: values, names, and guesses at names."""

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite
from typing import Any

# What data sets call the gold answer, and what graders and short tables call it as well; the likeliest first.
ANSWER_SYNONYMS = ("answer", "solution", "final_answer", "ground_truth", "target", "label", "gold")
GOLD_NAMES = (*ANSWER_SYNONYMS, "expected", "reference_answer", "reference", "gt", "ans", "a")
LONGEST_INT = 4_096  # bits of an int that JSON holds as a number; Python refuses to write one of thousands of digits

# What a model wrote: (the name here, words in other libraries' names for it), likeliest first.
MODEL_WORDS = [
    ("completion", "completion response generated generation output prediction predicted predict pred reply"),
    ("completion", "result rollout decoded candidate hypothesis student model"),
    ("messages", "message conversation dialogue chat transcript trajectory"),
    ("completion_ids", "token"),
    ("environments", "env environment"),
    ("completion", "text str string content"),  # in many names, so after all others
]
# Words of names for something else: ``prompt_ids``, ``target_text``, ``expected_output``, ``max_tokens``.
OTHER_WORDS = frozenset(
    "prompt input question query problem instruction system user gold golden label reference ref truth gt target"
    " expected correct source context extra info max min num number count size length name path config type"
    " reward score".split()
)


class RewardError(ValueError):
    """The programmer named, configured or fed a reward wrongly. The message states what to do.

    Never raised because of what a model wrote (that is a reward of 0) or because of one bad row (that is ``None``).
    """


class NoTokenIds(RewardError):
    """A reward counts tokens, and was called without token ids.

    Args:
        reward_name: the reward that needs them.
        remedy: where they come from, which depends on who calls.
    """

    def __str__(self) -> str:
        reward_name, remedy = self.args
        return f"reward '{reward_name}' counts tokens and needs completion_ids, which this call does not have. {remedy}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Returns ``; did you mean 'x'?`` with the nearest known name, or ``.`` if none is near."""
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"; did you mean '{near[0]}'?" if near else "."


def listed(names: Iterable[str]) -> str:
    """Names for a message: ``a, b, c``, or ``none``."""
    return ", ".join(names) or "none"


def shown(value: Any, limit: int = 80) -> str:
    """A value for a message, cut to ``limit`` characters: a completion may be a megabyte."""
    text = as_text(value[: limit + 1] if isinstance(value, str) else value, repr)
    return text if len(text) <= limit else f"{text[:limit]}…"


def as_text(value: Any, write: Callable[[Any], str] = str) -> str:
    """The result of ``write``, or the type of the value, where an int has too many digits for Python to print."""
    try:
        return write(value)
    except ValueError:
        return f"{type(value).__name__} with an integer of thousands of digits"


def json_value(value: Any) -> Any:
    """A value as JSON that any parser takes: ``None`` for what is not finite, a text for an int of too many digits."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, int) and value.bit_length() > LONGEST_INT:
        return as_text(value)
    if isinstance(value, Mapping):
        return {as_text(name): json_value(one) for name, one in value.items()}
    return [json_value(one) for one in value] if isinstance(value, list | tuple) else value


def harmless(text: str) -> str:
    """The text with escapes in place of characters that would do something to a terminal."""
    return "".join(one if one.isprintable() or one == "\n" else repr(one)[1:-1] for one in text)


def check_name(name: Any, of: str) -> str:
    """Returns the name if it is a text that is not blank. Raises RewardError otherwise."""
    if not isinstance(name, str) or not name.strip():
        raise RewardError(f"name of reward '{of}' must be a non-empty string, not {shown(name)}.")
    return name


def nearest_column(name: str, columns: Sequence[str]) -> str | None:
    """The column that is probably meant by a name that the dataset does not have; ``None`` if none is."""
    near = difflib.get_close_matches(name, columns, n=1, cutoff=0.7)
    if not near and any(words_in(gold) <= words_in(name) for gold in GOLD_NAMES):
        near = [one for gold in GOLD_NAMES for one in columns if one.lower() == gold]
        near += [one for gold in GOLD_NAMES for one in columns if words_in(gold) <= words_in(one)]
    return near[0] if near else None


def words_in(name: str) -> set[str]:
    """The words of ``a_name`` or ``aName``, in lower case, as they are and without the "s" of a plural."""
    words = {one.lower() for one in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)}
    return words | {one.removesuffix("s") for one in words}


def completion_argument(names: Iterable[str]) -> tuple[str, str] | None:
    """(an argument that probably holds what the model wrote, its name here); ``None`` where no name looks like it.

    >>> completion_argument(["data_source", "solution_str", "ground_truth"])
    ('solution_str', 'completion')
    """
    possible = {name: words for name in names if not (words := words_in(name)) & OTHER_WORDS and words != {"model"}}
    for meaning, its_words in MODEL_WORDS:
        for name, words in possible.items():
            if words.intersection(its_words.split()):
                is_ids = meaning == "completion" and words.intersection(("id", "token"))
                return name, "completion_ids" if is_ids else meaning
    return None


def missing_column(
    reward_name: str, name: str, columns: Sequence[str], read_as: str | None = None, can_bind: bool = True
) -> tuple[str, str]:
    """(message, remedy) for a column that a reward reads and the dataset does not have.

    Args:
        reward_name: who reads it.
        name: what the reward expects the dataset to call it.
        columns: what the dataset has.
        read_as: what the reward itself calls it, if that differs.
        can_bind: whether it is a reward, and no plain function, which reads columns by its own names alone.
    """
    near, own = nearest_column(name, columns), read_as or name
    reads = (
        f"reward '{reward_name}' reads column '{name}', which the dataset does not have. Columns: {listed(columns)}."
    )
    if near == own:
        return reads, f"There is '{own}', which the reward reads if no other column is named: leave '{name}' out."
    there = near or "NAME"
    bound = f', or read it as it is: {reward_name}.bind(columns={{"{own}": "{there}"}})' if can_bind else ""
    rename = f'Rename one with dataset.rename_column("{there}", "{name}"){bound}.'
    add = "" if near else f"Add it to the dataset: one '{name}' per row. Is it there as NAME? "
    return reads, f"{add}{rename} In grpo-rewards commands: --column {own}={there}."
