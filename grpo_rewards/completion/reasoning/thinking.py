"""The options that say how reasoning is delimited. Every reward that looks for reasoning has them."""

from dataclasses import dataclass, field
from typing import Any

from grpo_rewards.completion.reasoning.marks import Marks, marks_of
from grpo_rewards.completion.sections import as_written, opens_thinking, response


@dataclass(frozen=True)
class Thinking:
    """How reasoning is delimited, and whether the chat template began it; docs/rewards.md has examples.

    Attributes:
        think_opened: whether the chat template already wrote the opening delimiter, so that completions start inside
            the reasoning; ``None``: look at the end of the prompt.
        reasoning: the two delimiters, or the opening one if the closing one follows from it, as ``[/THINK]`` does from
            ``[THINK]``.
        marks: the two delimiters.
    """

    think_opened: bool | None = None
    reasoning: str | list[str] | tuple[str, ...] = field(default="<think>", compare=False)
    marks: Marks = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "marks", marks_of(self.reasoning))

    def opened(self, prompt: Any) -> bool:
        """Whether a completion of this prompt starts inside the reasoning."""
        if type(prompt) is list and prompt and type(prompt[-1]) is dict and prompt[-1].get("role") == "user":
            return bool(self.think_opened)  # as nearly always: the template closes the user's words
        return opens_thinking(prompt, self.think_opened, self.marks)

    def response(self, completion: str, prompt: Any) -> str | None:
        """What a completion says behind its reasoning; ``None`` if the reasoning never ends."""
        return response(completion, self.opened(prompt), self.marks)

    def response_without_calls(self, completion: str, prompt: Any) -> str | None:
        """The response without the tools that it calls; ``None`` if the reasoning never ends."""
        return response(completion, self.opened(prompt), self.marks, with_calls=False)

    def as_written(self, completion: str, prompt: Any) -> tuple[str, bool]:
        """(text, opened): the completion with its reasoning between the delimiters, up to the end of its turn."""
        return as_written(completion, self.opened(prompt), self.marks)
