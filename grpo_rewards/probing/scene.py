"""What a policy knows when it hacks a reward: the problem, how golds look, and what the reward's options give away."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from grpo_rewards.answers import gold_text
from grpo_rewards.completion.reasoning.marks import THINK, Marks, marks_of
from grpo_rewards.completion.sections import opens_thinking
from grpo_rewards.probing.echoes import echoes
from grpo_rewards.registry.interface import leaves

__all__ = ["CHOICES", "Hints", "Scene", "hints", "spoken_gold"]

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
