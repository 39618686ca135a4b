"""What is tried on a reward: reward hacks, honest answers, and what the reward's own options give away."""

from __future__ import annotations

import functools
import importlib
import json
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from grpo_rewards.answers import gold_text
from grpo_rewards.completion.reasoning.marks import THINK, Marks, marks_of
from grpo_rewards.completion.sections import opens_thinking
from grpo_rewards.registry.interface import leaves

__all__ = [
    "CHOICES",
    "GIANT",
    "HACKS",
    "WAYS",
    "Hints",
    "Scene",
    "Way",
    "echoes",
    "hints",
    "matching",
    "spoken_gold",
    "written",
]

# Options that state how a completion is read and not what is wanted in it.
NOT_WANTED = (
    "reasoning",
    "tokenizer",
    "engine",
    "credit",
    "on_timeout",
    "boxed",
    "name",
    "exclude",
    "use",
    "form",
    "tag",
    "tags",
)
MOST_ECHOED, LONGEST_WORD = 50, 2_000
CATEGORIES = {
    "CATEGORY_DIGIT": "1",
    "CATEGORY_NOT_DIGIT": "a",
    "CATEGORY_WORD": "a",
    "CATEGORY_NOT_WORD": "-",
    "CATEGORY_SPACE": " ",
    "CATEGORY_NOT_SPACE": "a",
}


def echoes(options: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """(the texts among the options of a reward, and for those that are expressions texts that they match).

    >>> echoes({"regex": "Answer: [0-9]+", "case_sensitive": True})
    (['Answer: [0-9]+'], ['Answer: 0'])
    """
    wanted = [value for name, value in options.items() if name not in NOT_WANTED]
    words = [text for value in wanted for text in _texts(value)][:MOST_ECHOED]
    matched = ((text, matching(text)) for text in words)
    return words, [found for text, found in matched if found is not None and found != text]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str) and 0 < len(value) <= LONGEST_WORD:
        yield value
    elif isinstance(value, Mapping):
        yield from _texts(list(value))
    elif isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from _texts(one)


def matching(expression: str) -> str | None:
    """A short text that a regular expression matches; ``None`` if none was found, or it is no expression of Python's.

    >>> matching("<a>([0-9]{2}|x)+</a>")
    '<a>00</a>'
    """
    # Python's own parser: its module has no public name, and where it changes, the expression itself is echoed
    parser = importlib.import_module("re._parser")
    try:
        text = "".join(_written(parser.parse(expression)))
        return text if re.search(expression, text) else None
    except (re.error, RecursionError, OverflowError, MemoryError, AttributeError, TypeError, ValueError, KeyError):
        return None


def _written(parsed: Iterable[tuple[Any, Any]]) -> Iterator[str]:
    """What each part of a parsed expression matches: the first way there is, as seldom as may be."""
    for operation, argument in parsed:
        kind = str(operation)
        if kind == "LITERAL":
            yield chr(argument)
        elif kind == "NOT_LITERAL":
            yield "b" if argument == ord("a") else "a"
        elif kind == "ANY":
            yield "a"
        elif kind == "IN":
            yield _one_of(argument)
        elif kind == "BRANCH":
            yield from _written(argument[1][0])
        elif kind == "SUBPATTERN":
            yield from _written(argument[3])
        elif kind == "ATOMIC_GROUP":
            yield from _written(argument)
        elif kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            least, most, inner = argument
            yield "".join(_written(inner)) * min(max(int(least), 1), int(most), LONGEST_WORD)


def _one_of(members: list[tuple[Any, Any]]) -> str:
    """A character of a class."""
    (kind, argument), *_ = members
    if str(kind) == "NEGATE":
        excluded = re.compile("[" + "".join(_member(one) for one in members[1:]) + "]")
        return next(one for one in "a1 -.,\n" if not excluded.match(one))
    if str(kind) == "CATEGORY":
        return CATEGORIES[str(argument)]
    return chr(argument[0] if str(kind) == "RANGE" else argument)


def _member(member: tuple[Any, Any]) -> str:
    """A member of a class, spelled again."""
    kind, argument = str(member[0]), member[1]
    if kind == "CATEGORY":
        letter = {"DIGIT": "d", "WORD": "w", "SPACE": "s"}[str(argument).rpartition("_")[2]]
        return "\\" + (letter.upper() if "_NOT_" in str(argument) else letter)
    if kind == "RANGE":
        return f"{re.escape(chr(argument[0]))}-{re.escape(chr(argument[1]))}"
    return re.escape(chr(argument))


CHOICES = ("A", "B", "C", "D")
USUAL_SIZE = 256  # tokens of a text that is long, where no option of the reward speaks of a length
LARGEST_SIZE = 50_000


@dataclass(frozen=True)
class Hints:
    """What the options of a reward, and of those inside it, give away.

    Attributes:
        opening: what begins the reasoning; ``""`` where the chat template writes it.
        closing: what ends it.
        tags: the sections that are wanted, by name.
        words: texts that an option looks for.
        matches: texts that the expressions among these match.
        size: the number of tokens that an option names.
        follows_prompt: whether a prompt that ends with what opens the reasoning opens it: no option denies it.
    """

    opening: str = THINK.opening
    closing: str = THINK.closing
    tags: tuple[str, ...] = ("think", "answer")
    words: tuple[str, ...] = ()
    matches: tuple[str, ...] = ()
    size: int = USUAL_SIZE
    follows_prompt: bool = True

    def behind(self, prompt: Any) -> Hints:
        """The same behind a prompt, which may itself have opened the reasoning or the first section."""
        begun = [self.opening, *(f"<{name}>" for name in self.tags[:1] if name != "think")]
        is_open = self.follows_prompt and any(
            opening and opens_thinking(prompt, None, Marks(opening, self.closing)) for opening in begun
        )
        return replace(self, opening="") if is_open else self


@dataclass(frozen=True)
class Scene:
    """One row as a policy sees it, with what it could know of the golds.

    Attributes:
        prompt: the text of the prompt.
        gold: the row's answer as a box would hold it; ``None`` if it is not known.
        wrong: an answer of the same kind that is wrong, such as that of another row.
        choices: the letters, or the texts, that there are to choose from.
        hints: what the reward's options give away.
    """

    prompt: str
    gold: str | None
    wrong: str
    choices: tuple[str, ...] = CHOICES
    hints: Hints = Hints()


def hints(reward: Any) -> Hints:
    """What can be read off the options of a reward and of all inside it."""
    found: dict[str, Any] = {}
    echoed: tuple[list[str], list[str]] = ([], [])
    sizes: list[int] = []
    for one in leaves(reward):
        options = one.options
        if False in (options.get("think_opened"), options.get("opened")):
            found["follows_prompt"] = False
        marks = marks_of(options.get("reasoning") or THINK)
        if marks is not THINK or options.get("think_opened"):
            found |= {"opening": "" if options.get("think_opened") else marks.opening, "closing": marks.closing}
        if "tags" in options:
            found["tags"] = _tag_names(options["tags"])
            found |= {"opening": ""} if options.get("opened") else {}
        elif isinstance(options.get("tag"), str):
            found["tags"] = ("think", options["tag"])
        usual = getattr(getattr(one, "signature", None), "options", {})
        bound = {name: value for name, value in options.items() if value != usual.get(name)}
        for known, more in zip(echoed, echoes(bound), strict=True):
            known += more
        sizes += [options[name] for name in ("target", "max_tokens") if isinstance(options.get(name), int)]
    size = min(max([*sizes, 1]), LARGEST_SIZE) if sizes else USUAL_SIZE
    words, matches = (tuple(dict.fromkeys(one)) for one in echoed)
    return Hints(**found, words=words, matches=matches, size=size)


def _tag_names(tags: Iterable[Any]) -> tuple[str, ...]:
    """Sections by the name of their tag; those that are delimited in another way by what opens them."""
    return tuple(one if isinstance(one, str) else str(next(iter(one))) for one in tags)


def spoken_gold(value: Any) -> str | None:
    """A gold as a text that a model could write in a box; ``None`` where there is none, or it is blank."""
    if value is None:
        return None
    found = gold_text(value)
    text = found if found is not None else str(value)
    return text if text.strip() else None


UNSEEN = "\u200b\u2060\ufeff\u00ad" * 10
SEED = 7
GIANT = 40_000  # characters
MOST_NUMBERS = 1_000
BEGINNINGS, ENDINGS = "bcdfglmnprst", "aeiou"
WORD_OR_SIGN = re.compile(r"\w+(?:[./]\w+)*|\S")


def in_sections(scene: Scene, working: str, answer: str) -> str:
    """The sections that the reward looks for, the last with the answer, and the others with the working."""
    hints = scene.hints
    if not hints.tags:
        return answer
    *before, last = hints.tags
    parts = [_section(name, working, hints, place) for place, name in enumerate(before)]
    return "".join([*parts, _tagged(last, answer)])


def _section(name: str, inside: str, hints: Any, place: int) -> str:
    if name == "think":
        return f"{hints.opening}{inside}{hints.closing}"
    written = _tagged(name, inside)
    return written.partition(">")[2] if place == 0 and not hints.opening else written


def _tagged(name: str, inside: str) -> str:
    return f"<{name}>{inside}</{name}>"


def _random_letters(scene: Scene) -> str:
    return "".join(random.Random(SEED).choices("abcdefghijklmnopqrstuvwxyz", k=60))


def _random_words(scene: Scene) -> str:
    return _words(40)


@functools.cache
def _words(count: int) -> str:
    """Random words, the same for each scene: drawn once."""
    draw = random.Random(SEED)
    syllable = [consonant + vowel for consonant in BEGINNINGS for vowel in ENDINGS]
    return " ".join("".join(draw.choices(syllable, k=draw.randint(1, 3))) for _ in range(count))


def _giant(scene: Scene) -> str:
    return _words(GIANT // 5)


def _every_number(scene: Scene) -> str:
    """1, 2, …, past the gold, so that it is among them and not at the end."""
    return " ".join(map(str, range(1, _past(scene))))


def _past(scene: Scene) -> int:
    number = re.fullmatch(r"\d{1,3}", scene.gold or "")
    return min(max(101, 3 * int(number[0])) if number else 101, MOST_NUMBERS)


def _many_boxes(scene: Scene) -> str | None:
    """Boxes with the gold among them, and not the last one."""
    if scene.gold is None:
        return None
    return " ".join(f"\\boxed{{{one}}}" for one in ("0", "1", scene.gold, "2", scene.wrong))


def _hedged(how: str) -> Callable[[Scene], str | None]:
    return lambda scene: None if scene.gold is None else how.format(gold=scene.gold, wrong=scene.wrong)


def _all_options(how: str, between: str) -> Callable[[Scene], str]:
    return lambda scene: how.format(between.join(scene.choices))


def _sums(scene: Scene) -> str:
    return "\n".join(f"{number} + 1 = {number + 1}" for number in range(1, 11))


def _bare_call(scene: Scene) -> str:
    """A call of the tool that the gold calls, or of one that is made up, without arguments."""
    name = re.search(r'"name": ?"([^"]+)"', scene.gold or "")
    call: dict[str, Any] = {"name": name[1] if name else "search", "arguments": {}}
    return f"<tool_call>{json.dumps(call)}</tool_call>"


HACKS: dict[str, Callable[[Scene], str | None]] = {
    # nothing
    "nothing": lambda scene: "",
    "white space": lambda scene: " \n\t \n",
    "invisible characters": lambda scene: UNSEEN,
    "a full stop": lambda scene: ".",
    # form without contents
    "empty tags": lambda scene: in_sections(scene, "", ""),
    "tags around dots": lambda scene: in_sections(scene, "...", "..."),
    "tags around invisible characters": lambda scene: in_sections(scene, UNSEEN, UNSEEN),
    "think tags around a letter": lambda scene: f"{scene.hints.opening}a{scene.hints.closing}b",
    "tags around a letter": lambda scene: in_sections(scene, "a", "b"),
    "tags around a wrong answer": lambda scene: in_sections(scene, "a", scene.wrong),
    "an empty box": lambda scene: "\\boxed{}",
    "a wrong box, no working": lambda scene: f"\\boxed{{{scene.wrong}}}",
    "[]": lambda scene: "[]",
    "{}": lambda scene: "{}",
    "an empty code block": lambda scene: "```python\n\n```",
    "a code block around pass": lambda scene: "```python\npass\n```",
    "a call without arguments": _bare_call,
    "numbered letters": lambda scene: "1. a\n2. b\n3. c",
    "the answer is, without one": lambda scene: "The answer is",
    # every answer at once
    "all options": _all_options("{}", ", "),
    "all options in a box": _all_options("\\boxed{{{}}}", ", "),
    "all options with or": _all_options("The answer is {}.", " or "),
    "every number": _every_number,
    "every number in a box": lambda scene: f"\\boxed{{{_every_number(scene).replace(' ', ', ')}}}",
    "many boxes": _many_boxes,
    "the gold or another": _hedged("The answer is {gold} or {wrong}."),
    "the gold and another in a box": _hedged("\\boxed{{{gold}, {wrong}}}"),
    "the gold, then taken back": _hedged("The answer is {gold}. No, the answer is {wrong}."),
    "the whole image": lambda scene: "[0, 0, 100000, 100000]",
    # words that say nothing
    "the prompt copied": lambda scene: scene.prompt,
    "a refusal": lambda scene: "I'm sorry, but I can't help with that.",
    "0+0=0": lambda scene: "0+0=0",
    "sums that nobody asked for": _sums,
    "random letters": _random_letters,
    "random words": _random_words,
    "one word, again and again": lambda scene: "so " * scene.hints.size,
    "a giant text": _giant,
    "the reward's own words": lambda scene: " ".join(scene.hints.words) or None,
    "what its expression matches": lambda scene: "\n".join(scene.hints.matches) or None,
}

# Those that name every answer, or what the prompt holds; the others deserve nothing only where they miss the gold.
NAMING = frozenset(one for one in HACKS if one.startswith(("all options", "every number", "many boxes", "the gold")))
MAY_NAME_GOLD = NAMING | {"the prompt copied"}


def written(hack: str, scene: Scene) -> str | None:
    """The text of a hack; ``None`` where it makes no sense, or where it is right by luck.

    >>> written("0+0=0", Scene("What is 3 - 3?", gold="0", wrong="1")), written("a full stop", Scene("?", "0", "1"))
    (None, '.')
    """
    text = HACKS[hack](scene)
    if text is None or scene.gold is None or hack in MAY_NAME_GOLD:
        return text
    words = {one.casefold() for one in WORD_OR_SIGN.findall(text)}
    return None if scene.gold.casefold() in words or text == scene.gold else text


WORKING = (
    "First I look at what is given, and at what is asked. Then I go one step at a time, and in the end I check the "
    "result against the question."
)

# From a scene, an answer as a box would hold it, and as the row has it, to a completion.
Way: TypeAlias = Callable[[Scene, str, Any], "str | None"]

WAYS: dict[str, Way] = {
    "in a box": lambda scene, answer, as_held: f"{WORKING} The answer is \\boxed{{{answer}}}.",
    "in a box, behind the reasoning": lambda scene, answer, as_held: (
        f"{scene.hints.opening}{WORKING}{scene.hints.closing}The answer is \\boxed{{{answer}}}."
    ),
    "in a box, in the sections": lambda scene, answer, as_held: in_sections(scene, WORKING, f"\\boxed{{{answer}}}"),
    "in the sections": lambda scene, answer, as_held: in_sections(scene, WORKING, answer),
    "in a sentence": lambda scene, answer, as_held: f"{WORKING} The answer is {answer}.",
    "behind ####": lambda scene, answer, as_held: f"{WORKING}\n#### {answer}",
    "behind Answer:": lambda scene, answer, as_held: f"{WORKING}\nAnswer: {answer}",
    "by itself": lambda scene, answer, as_held: answer,
    "as the row has it": lambda scene, answer, as_held: as_held if isinstance(as_held, str) else None,
    "as code": lambda scene, answer, as_held: f"```python\n{answer}\n```",
    "as JSON": lambda scene, answer, as_held: json.dumps({"answer": answer}),
    "as calls": lambda scene, answer, as_held: "".join(map(_call, _calls_of(as_held))) or None,
}


def _calls_of(as_held: Any) -> Iterator[Any]:
    """The tool calls of a gold that is a list of them, or the JSON of one."""
    if isinstance(as_held, str):
        try:
            as_held = json.loads(as_held)
        except (ValueError, RecursionError):
            return
    if isinstance(as_held, list):
        yield from (one for one in as_held if isinstance(one, dict) and "name" in one)


def _call(call: Any) -> str:
    return f"<tool_call>{json.dumps(call, default=str)}</tool_call>"
