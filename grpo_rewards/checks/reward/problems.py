"""What is tried on a reward: problems, the user's rows or ours, and the texts for them: reward hacks and right answers.

The texts are made of the templates in ``problems.toml``, with what the reward's options give away of it.
"""

from __future__ import annotations

import json
import random
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, NamedTuple

from grpo_rewards.answers import compare, gold_text
from grpo_rewards.checks.reward.calling import Columns, name_of, read_columns
from grpo_rewards.completion.reasoning.marks import THINK, Marks, marks_of
from grpo_rewards.completion.sections import opens_thinking
from grpo_rewards.completion.text import completion_text
from grpo_rewards.completion_tables import table_of
from grpo_rewards.errors import ANSWER_SYNONYMS, listed, missing_column
from grpo_rewards.registry import Reward, RewardError
from grpo_rewards.registry.call import TAKEN_BY_TRAINER
from grpo_rewards.registry.function import FunctionReward
from grpo_rewards.registry.interface import leaves

PROBED_ROWS = 8
UNLIKELY = "123457"
# Of a row these are no columns that a reward reads: the trainer gives them itself.
NOT_PASSED_ON = TAKEN_BY_TRAINER | {"prompt", "completion"}
USUAL_SIZE = 256  # tokens of a text that is long, where no option of the reward speaks of a length
LARGEST_SIZE = 50_000
# Options that state how a completion is read and not what is wanted in it.
NOT_WANTED = "reasoning tokenizer engine credit on_timeout boxed name exclude use form tag tags".split()
MOST_ECHOED, LONGEST_WORD = 50, 2_000
# Hacks that name every answer, or what the prompt holds; the others deserve nothing only where they miss the gold.
MAY_NAME_GOLD = ("all options", "every number", "many boxes", "the gold", "the prompt copied")
GIANT = 40_000  # characters
SEED = 7
MOST_NUMBERS = 1_000
BEGINNINGS, ENDINGS = "bcdfglmnprst", "aeiou"
WORD_OR_SIGN = re.compile(r"\w+(?:[./]\w+)*|\S")
WORKING = (
    "First I look at what is given, and at what is asked. Then I go one step at a time, and in the end I check the "
    "result against the question."
)


@cache
def tables() -> dict[str, Any]:
    """What ``problems.toml`` holds: hacks, ways to write an answer, texts that do not answer, and problems."""
    found: dict[str, Any] = tomllib.loads(files(__package__).joinpath("problems.toml").read_text(encoding="utf-8"))
    for row in (row for rows in found["problems"].values() for row in rows if "answer" in row):
        row |= dict.fromkeys(ANSWER_SYNONYMS, row["answer"])  # the gold, under all names that data sets have for it
    return found


HACKS: dict[str, Any] = tables()["hacks"]
WAYS: dict[str, Any] = tables()["ways"]
NO_ANSWERS: dict[str, Any] = tables()["texts"]


@dataclass(frozen=True)
class Hints:
    """What the options of a reward, and of those inside it, give away.

    Attributes:
        opening: what begins the reasoning; ``""`` where the chat template writes it.
        closing: what ends it.
        tags: the sections that are wanted, by name.
        words: texts that an option looks for.
        size: the number of tokens that an option names.
        follows_prompt: whether a prompt that ends with what opens the reasoning opens it: no option denies it.
    """

    opening: str = THINK.opening
    closing: str = THINK.closing
    tags: tuple[str, ...] = ("think", "answer")
    words: tuple[str, ...] = ()
    size: int = USUAL_SIZE
    follows_prompt: bool = True

    def behind(self, prompt: Any) -> Hints:
        """The same behind a prompt, which may itself have opened the reasoning or the first section."""
        begun = [self.opening, *(f"<{name}>" for name in self.tags[:1] if name != "think")]
        opens = (one and opens_thinking(prompt, None, Marks(one, self.closing)) for one in begun)
        return replace(self, opening="") if self.follows_prompt and any(opens) else self


def hints(reward: Any) -> Hints:
    """What can be read off the options of a reward and of all inside it."""
    found: dict[str, Any] = {}
    words: dict[str, None] = {}
    sizes: list[int] = []
    for one in leaves(reward):
        options = one.options
        is_opened = options.get("think_opened", options.get("opened"))
        if is_opened is False:
            found["follows_prompt"] = False
        marks = marks_of(options.get("reasoning") or THINK)
        if marks is not THINK or is_opened:
            found |= {"opening": "" if is_opened else marks.opening, "closing": marks.closing}
        if "tags" in options:
            # one that is delimited in another way has the name of what opens it
            found["tags"] = tuple(tag if isinstance(tag, str) else str(next(iter(tag))) for tag in options["tags"])
        elif isinstance(options.get("tag"), str):
            found["tags"] = ("think", options["tag"])
        stated = one.signature.options if isinstance(one, FunctionReward) else {}
        usual = {name: option.default for name, option in stated.items()}
        wanted = [its for name, its in options.items() if its != usual.get(name) and name not in NOT_WANTED]
        words |= dict.fromkeys([*_texts(wanted)][:MOST_ECHOED])
        sizes += [options[name] for name in ("target", "max_tokens") if isinstance(options.get(name), int)]
    size = min(max([*sizes, 1]), LARGEST_SIZE) if sizes else USUAL_SIZE
    return Hints(**found, words=tuple(words), size=size)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str) and 0 < len(value) <= LONGEST_WORD:
        yield value
    elif isinstance(value, Mapping | list | tuple | set | frozenset):
        for one in value:
            yield from _texts(one)


@dataclass(frozen=True)
class Problem:
    """One row to try reward hacks on, with what a policy could know of it.

    Attributes:
        prompt: the prompt, a text or messages.
        gold: the row's answer as a box would hold it; ``None`` if it is not known.
        wrong: an answer of the same kind that is wrong, such as that of another row.
        hints: what the reward's options give away.
        columns: what else the row has, by the dataset's names.
        held: the gold as the row has it; ``None`` if it is not known which column is the gold.
        right: other answers that are right: spellings of the gold, or formulas where there is none.
        wrongs: further wrong answers.
        number: its place in the data set.
    """

    prompt: Any
    gold: str | None
    wrong: str
    hints: Hints = Hints()
    columns: Mapping[str, Any] = field(default_factory=dict)
    held: Any = None
    right: Sequence[str] = ()
    wrongs: Sequence[str] = ()
    number: int = 0

    @property
    def row(self) -> dict[str, Any]:
        """The prompt and the columns by name."""
        return {"prompt": self.prompt, **self.columns}

    @property
    def text(self) -> str:
        """The text of the prompt, or of its last message."""
        last = self.prompt[-1] if isinstance(self.prompt, list) and self.prompt else self.prompt
        return completion_text([{**last, "role": "assistant"}]) if isinstance(last, Mapping) else str(last)

    @property
    def answers(self) -> list[str]:
        """Right answers: the gold, and our other spellings of it."""
        return [*([] if self.gold is None else [self.gold]), *self.right]

    @cached_property
    def fields(self) -> dict[str, str | None]:
        """What stands in the braces of the templates; ``None`` for what this problem does not have."""
        numbers = list(map(str, range(1, MOST_NUMBERS)))  # past most golds, so that these are not at the end
        tool = re.search(r'"name": ?"([^"]+)"', self.gold or "")
        choices = self.columns.get("choices")
        letters = "ABCDEFGHIJ"[: len(choices)] if isinstance(choices, list) else "ABCD"
        return {
            "gold": self.gold,
            "wrong": self.wrong,
            "prompt": self.text,
            "opening": self.hints.opening,
            "closing": self.hints.closing,
            "options": ", ".join(letters),
            "options_or": " or ".join(letters),
            "numbers": " ".join(numbers),
            "numbers_listed": ", ".join(numbers),
            "bare_call": _call({"name": tool[1] if tool else "search", "arguments": {}}),
            "unseen": "\u200b\u2060\ufeff\u00ad" * 10,
            "words": _words(40),
            "one_word": "so " * self.hints.size,
            "giant": _words(GIANT // 5),
            "echoed": " ".join(self.hints.words) or None,
            "working": WORKING,
        }


class Attempt(NamedTuple):
    """A completion for a problem.

    Attributes:
        problem: the problem.
        answer: what it answers, or what else it is, such as the name of a reward hack.
        completion: its text, or its messages.
    """

    problem: Problem
    answer: str
    completion: Any


def attempts(
    problems: Iterable[Problem], answers: Callable[[Problem], Iterable[str]], write: Callable[[Problem, str], Any]
) -> list[Attempt]:
    """A completion for each answer to each problem, where one can be written."""
    found = (Attempt(one, answer, write(one, answer)) for one in problems for answer in answers(one))
    return [one for one in found if one.completion is not None]


def columns_of(dataset: Any) -> Mapping[str, Sequence[Any]]:
    """The columns of a data set, all of one length.

    Args:
        dataset: a ``datasets.Dataset``, columns by name, or a list of rows.

    Raises:
        RewardError: it is something else, or its columns differ in length.
    """
    if isinstance(getattr(dataset, "column_names", None), list) and hasattr(dataset, "__len__"):
        return dict(dataset[:])
    if isinstance(dataset, Mapping) and not hasattr(dataset, "column_names"):  # as the splits of a DatasetDict have
        sizes = {name: len(column) for name, column in dataset.items()}
        if len(set(sizes.values())) > 1:
            raise RewardError(f"the columns of the data set have different lengths: {sizes}.")
        return dict(dataset)
    if isinstance(dataset, Sequence) and all(isinstance(row, Mapping) for row in dataset):
        return table_of(dataset)
    raise RewardError(
        f"dataset cannot be of class {type(dataset).__name__}. Give a datasets.Dataset of one split, columns by name, "
        "or a list of rows; in place of a data set without rows to look at, columns=[…]."
    )


def kinds_of_rows(reward: Any) -> list[list[Problem]]:
    """Our own rows that have all the columns a reward reads, those of one kind together.

    Raises:
        RewardError: it reads a column of which it is not known what stands in it.
    """
    columns, ours = read_columns(reward), tables()["problems"]
    example = {"prompt": "Do as you are asked.", **(getattr(reward, "example", None) or {})}
    kinds = ours.values() if columns else [ours["numbers"]]
    known = [rows for rows in kinds if rows[0].keys() >= {*columns.values()}]
    if not known and example.keys() >= {*columns.values()}:
        known = [[example]]
    if not known:
        row = ", ".join(f"{column!r}: …" for column in ("prompt", *columns))
        raise RewardError(
            f"reward '{name_of(reward)}' reads {listed(columns)}, and what stands there is not known. Give rows of "
            f"your own: rows=[{{{row}}}, …], or --dataset FILE."
        )
    found = []
    for rows in known:
        as_read = [{**row, **{name: row[own] for name, own in columns.items()}} for row in rows]
        problems = problems_of(columns_of(as_read), reward, gold="answer")
        found.append([_with_spellings(problem, row) for problem, row in zip(problems, rows, strict=True)])
    return found


def _with_spellings(problem: Problem, row: Mapping[str, Any]) -> Problem:
    """The same with our spellings of right and wrong answers."""
    wrong, *wrongs = row.get("wrong", [problem.wrong])
    return replace(problem, right=row.get("right", ()), wrong=wrong, wrongs=wrongs)


def problems_of(
    table: Columns, reward: Any, most: int = PROBED_ROWS, need_wrong: bool = True, gold: str | None = None
) -> list[Problem]:
    """Some rows of a data set, evenly spread over it.

    Args:
        table: its columns by name.
        reward: what they are to be given to.
        most: how many.
        need_wrong: whether a wrong answer is looked for.
        gold: the column of the golds, if it is not to be found by its name.

    Raises:
        RewardError: it has no rows, or no column of a name that the reward reads.
    """
    size = len(next(iter(table.values()), ()))
    if not size:
        raise RewardError("there are no rows to try reward hacks on.")
    read = read_columns(reward)
    for column, own in read.items():
        if column not in table:
            name, can_bind = name_of(reward), isinstance(reward, Reward)
            raise RewardError(" ".join(missing_column(name, column, list(table), own, can_bind=can_bind)))
    golds = [name for name, own in read.items() if own in ANSWER_SYNONYMS] or (list(read) if len(read) == 1 else [])
    count = min(size, most)
    places = [place * size // count for place in range(count)]
    rows = [{name: column[place] for name, column in table.items()} for place in places]
    held = [row.get(gold or next(iter(golds), "")) for row in rows]
    choices = next((one.name for one in getattr(reward, "read_columns", ()) if one.read_as == "choices"), "")
    texts = [_as_text(one, row.get(choices)) for one, row in zip(held, rows, strict=True)]
    given_away = hints(reward)
    return [
        Problem(
            prompt=row.get("prompt", ""),
            gold=text,
            wrong=_wrong(text, texts[at + 1 :] + texts[:at]) if need_wrong else UNLIKELY,
            hints=given_away.behind(row.get("prompt")),
            columns={name: value for name, value in row.items() if name not in NOT_PASSED_ON},
            held=held[at],
            number=places[at],
        )
        for at, (row, text) in enumerate(zip(rows, texts, strict=True))
    ]


def _as_text(gold: Any, choices: Any) -> str | None:
    """A gold as a model could write it in a box, the letter for the index of a choice; ``None`` if it is blank."""
    if gold is None:
        return None
    if type(gold) is int and isinstance(choices, list) and 0 <= gold < len(choices):
        return chr(ord("A") + gold)
    text = gold_text(gold)
    text = str(gold) if text is None else text
    return text if text.strip() else None


def _wrong(gold: str | None, others: Iterable[str | None]) -> str:
    """A wrong answer of the kind of the gold: the first other gold that is not the same in another spelling."""
    for one in others:
        is_same = gold is not None and one is not None and one.casefold() == gold.casefold()
        if one is not None and not is_same and (gold is None or compare(one, gold).outcome != "correct"):
            return one
    return UNLIKELY


@cache
def _words(count: int) -> str:
    """Random words, the same for each problem: drawn once."""
    draw = random.Random(SEED)
    syllable = [consonant + vowel for consonant in BEGINNINGS for vowel in ENDINGS]
    return " ".join("".join(draw.choices(syllable, k=draw.randint(1, 3))) for _ in range(count))


def _calls(held: Any) -> str | None:
    """The tool calls of a gold that is a list of them, or the JSON of one."""
    if isinstance(held, str):
        try:
            held = json.loads(held)
        except (ValueError, RecursionError):
            return None
    calls = [one for one in held if isinstance(one, dict) and "name" in one] if isinstance(held, list) else []
    return "".join(map(_call, calls)) or None


def _call(call: Any) -> str:
    return f"<tool_call>{json.dumps(call, default=str)}</tool_call>"


def filled(template: Any, problem: Problem, answer: str | None = None) -> str | None:
    """The text of a template for a problem; ``None`` where the problem lacks what the template names.

    Args:
        template: a text with fields in braces, or two of them for the sections that the reward looks for.
        problem: the problem.
        answer: the answer to write, as a box would hold it.
    """
    fields = problem.fields
    if answer is not None:
        held = problem.held if answer == problem.gold else answer
        fields = {**fields, "answer": answer, "json": json.dumps({"answer": answer}), "calls": _calls(held)}
        fields["held"] = held if isinstance(held, str) else None
    fields = {name: value for name, value in fields.items() if value is not None}
    try:
        if isinstance(template, str):
            return template.format_map(fields)
        working, last = (str(one.format_map(fields)) for one in template)
    except KeyError:
        return None
    *before, name = problem.hints.tags or ("",)
    sections = [_section(one, working, problem, place) for place, one in enumerate(before)]
    return "".join([*sections, f"<{name}>{last}</{name}>" if name else last])


def _section(name: str, inside: str, problem: Problem, place: int) -> str:
    if name == "think":
        return f"{problem.hints.opening}{inside}{problem.hints.closing}"
    is_open = place == 0 and not problem.hints.opening
    return f"{'' if is_open else f'<{name}>'}{inside}</{name}>"


def written(problem: Problem, hack: str) -> str | None:
    """The text of a hack; ``None`` where it makes no sense, or where it is right by luck.

    >>> problem = Problem("What is 3 - 3?", gold="0", wrong="1")
    >>> written(problem, "0+0=0"), written(problem, "a full stop")
    (None, '.')
    """
    text = filled(HACKS[hack], problem)
    if text is None or problem.gold is None or hack.startswith(MAY_NAME_GOLD):
        return text
    words = {one.casefold() for one in WORD_OR_SIGN.findall(text)}
    return None if problem.gold.casefold() in words or text == problem.gold else text
