"""What must come of what was said in a generation: the calls of tools, their results, and what is said after them.

It follows from the lists of tokens that were said, turn by turn, and from the tools themselves. A conversation goes on
while its last turn calls tools, ``max_tool_calling_iterations`` allows it, and the results fit. TRL puts the results of
coroutines after the others. A result that does not fit is taken back, with all those of its turn; it was called all the
same, and counts as a call.
"""

import asyncio
import inspect
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, NamedTuple

from packaging.version import Version

from whole_step.tiny import PAD_TOKEN, VOCABULARY, text_of
from whole_step.tools import TOOLS, message_of

# Since then the parser of a turn is told what came before it, and which tools there are.
TRANSFORMERS_TELLS_PARSERS = "5.15"


class Limits(NamedTuple):
    """How far calls may go.

    Attributes:
        iterations: how often results are given to the model; ``None``: as often as it calls.
        completion: the most tokens of all turns and results together.
        context: of which prompt and completion must leave one free for the model to go on.
    """

    iterations: int | None
    completion: int
    context: int


class Said(NamedTuple):
    """What was said in a turn, by those who were asked.

    Attributes:
        tokens: of each.
        logps: by the engine that sampled; ``None``: it gives none.
        masks: 0 for tokens that a rollout says are of a tool; ``None``: it says nothing.
    """

    tokens: list[list[int]]
    logps: list[list[float | None]] | None
    masks: list[list[int]] | None = None


@dataclass
class Turns:
    """What must come of a generation.

    Attributes:
        prompts: what was to be asked in each turn.
        completions: the tokens of each, of all turns and results.
        tool_masks: 0 for the tokens of results; ``None``: there are no tools, nor a rollout that has some.
        sampling_logps: 0 for those of results; ``None``: the engine gives none.
        messages: of each.
        calls, failures: how many there were; ``None``: there are no tools.
    """

    prompts: list[list[list[int]]]
    completions: list[list[int]]
    tool_masks: list[list[int]] | None
    sampling_logps: list[list[float | None]] | None
    messages: list[list[dict[str, Any]]]
    calls: int | None = None
    failures: int | None = None


def no_turns() -> Turns:
    """Returns what comes of a generation in which nothing was asked."""
    return Turns([], [], None, None, [])


@dataclass
class _Conversation:
    """A prompt, and what was said after it."""

    prompt: list[int]
    limits: Limits
    tokens: list[int] = field(default_factory=list)
    mask: list[int] = field(default_factory=list)
    logps: list[float | None] = field(default_factory=list)
    messages: list[dict[str, Any]] = field(default_factory=list)
    calls: int = 0
    failures: int = 0

    def speaks(self, tokens: list[int], logps: Sequence[float | None]) -> None:
        """Adds a turn of the model, as far as there is room."""
        kept = tokens[: self.limits.completion - len(self.tokens)]
        if kept:
            self.messages.append(_parsed(kept, len(self.prompt) + len(self.tokens)))
        self._add(kept, 1, logps[: len(kept)])

    def hears(self) -> bool:
        """Calls the tools that the last turn calls, adds their results, and returns whether it did."""
        calls = self.messages[-1].get("tool_calls")
        if not calls:
            return False
        results = [_result(call) for call in calls]
        self.calls += len(results)
        self.failures += sum(one.failed for one in results)
        results = [*(one for one in results if not one.late), *(one for one in results if one.late)]
        heard = [{"role": "tool", "name": one.name, "content": one.text} for one in results]
        text = " ".join(f"t {results[0].name} {one.name} {one.text}" for one in results)
        tokens = [_token_of(word) for word in f"n {text} z".split()]
        length = len(self.tokens) + len(tokens)
        if length > self.limits.completion or len(self.prompt) + length >= self.limits.context:
            return False
        self.messages += heard
        self._add(tokens, 0, [0.0] * len(tokens))
        return True

    def _add(self, tokens: list[int], own: int, logps: Sequence[float | None]) -> None:
        self.tokens += tokens
        self.mask += [own] * len(tokens)
        self.logps += logps


class _Result(NamedTuple):
    """What a call came to; ``late`` of a coroutine."""

    name: str
    text: str
    failed: bool
    late: bool


def turns_of(prompts: list[list[int]], said: list[Said], limits: Limits | None) -> Turns:
    """Returns what must come of a generation.

    Args:
        prompts: the tokens of each.
        said: in each turn.
        limits: of the calls; ``None``: there are no tools, and what was said in the first turn is all.
    """
    if limits is None:
        tokens, logps, masks = said[0] if said else Said([], None)
        messages = [[{"role": "assistant", "content": text_of(one)}] for one in tokens]
        return Turns([prompts], tokens, masks, logps, messages)
    every = [_Conversation(prompt, limits) for prompt in prompts]
    speaking, asked = every, []
    while speaking:
        asked.append([one.prompt + one.tokens for one in speaking])
        if len(asked) > len(said):  # TRL did not ask again, where it had to
            break
        own = said[len(asked) - 1]
        for at, (one, spoken) in enumerate(zip(speaking, own.tokens, strict=False)):
            one.speaks(spoken, [] if own.logps is None else own.logps[at])
        goes_on = limits.iterations is None or len(asked) <= limits.iterations
        speaking = [one for one in speaking if goes_on and one.hears()]
    return Turns(
        asked,
        [one.tokens for one in every],
        [one.mask for one in every],
        None if not said or said[0].logps is None else [one.logps for one in every],
        [one.messages for one in every],
        sum(one.calls for one in every),
        sum(one.failures for one in every),
    )


def _parsed(tokens: list[int], after: int) -> dict[str, Any]:
    """Returns the message of a turn; it is text alone where a call cannot be parsed."""
    tells = Version(version("transformers")) >= Version(TRANSFORMERS_TELLS_PARSERS)
    try:
        return message_of(tokens, after if tells else None, len(TOOLS))
    except ValueError:
        return {"role": "assistant", "content": text_of(tokens)}


def _result(call: dict[str, Any]) -> _Result:
    if call["type"] != "function":
        error = {"error": f"Unsupported tool call type: {call['type']}"}
        return _Result(call["name"], str(error), True, False)
    name = call["function"]["name"]
    tool = TOOLS.get(name)
    late = inspect.iscoroutinefunction(tool)
    try:
        if tool is None:
            raise ValueError(f"Tool {name} not found.")
        result = tool(call["function"]["arguments"]["word"])
        return _Result(name, str(asyncio.run(result) if late else result), False, late)
    except ValueError as error:
        return _Result(name, str({"error": str(error)}), True, late)


def _token_of(word: str) -> int:
    """Returns the token of a word; the tokenizer takes what it does not know for padding."""
    return VOCABULARY.index(word) if word in VOCABULARY else PAD_TOKEN
