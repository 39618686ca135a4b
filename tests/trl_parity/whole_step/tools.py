"""The tools of the tiny model, a tokenizer that knows them, and a script that calls them in all ways.

Words are letters, and some of them have a meaning here: ``x p d y`` is a call of the tool ``p`` with the word ``d``,
what a tool says stands after ``t``, and ``n`` is what the template puts after the end of a turn of the user or of the
model, as many do with a line break. What the model says besides is of the first twelve letters.
"""

from collections.abc import Callable
from typing import Any

from whole_step.tiny import END_TOKEN, STOP_TOKEN, TINY_LETTERS, VOCABULARY, Script, text_of

SAID_LETTERS = TINY_LETTERS[:12]
OPENS_A_CALL, ENDS_A_CALL, OF_ANOTHER_TYPE = "x", "y", "o"
# The header of a result has its own name, and that of the first call of the turn, as in GPT-OSS: for that TRL takes the
# name of the first result.
TEMPLATE_OF_TOOLS = (
    "{% for tool in tools or [] %}{{ tool['function']['name'] }} {% endfor %}"
    "{% set first = namespace(name='') %}"
    "{% for one in messages %}"
    "{% if one['role'] == 'tool' %}t {{ first.name }} {{ one['name'] }} {{ one['content'] }} "
    "{% elif one['role'] == 'assistant' %}{{ one['content'] }} "
    "{% for call in one['tool_calls'] or [] %}"
    "{% if loop.first %}{% set first.name = call['function']['name'] %}{% endif %}"
    "x {{ call['function']['name'] }} "
    "{% for key, value in call['function']['arguments'].items() %}{{ key }} {{ value }} {% endfor %}y "
    "{% endfor %}<end> n "
    "{% else %}{{ one['content'] }} <end> n {% endif %}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ closing }}{% endif %}"
)


def echo(word: str) -> str:
    """
    Says a word twice.

    Args:
        word: a letter.
    """
    return f"{word} {word}"


def count(word: str) -> str:
    """
    Says all letters up to one.

    Args:
        word: a letter.
    """
    return " ".join(TINY_LETTERS[: TINY_LETTERS.index(word) + 1])


def fail(word: str) -> str:
    """
    Fails.

    Args:
        word: a letter.
    """
    raise ValueError(f"{word} b")


async def wait(word: str) -> str:
    """
    Says a letter as a coroutine, or fails for the letter a.

    Args:
        word: a letter.
    """
    if word == "a":
        raise ValueError(f"{word} c")
    return word


def _called(name: str, tool: Any) -> Callable[[str], Any]:
    tool.__name__ = name  # by which the model calls it: a letter, as it has no other words
    named: Callable[[str], Any] = tool
    return named


TOOLS = {name: _called(name, tool) for name, tool in (("p", echo), ("q", count), ("r", fail), ("s", wait))}


def saved_tokenizer_of_tools(tokenizer: Any) -> Any:
    """Returns the tiny model's tokenizer with a chat template that knows tools, and a parser of their calls."""
    tokenizer.chat_template = TEMPLATE_OF_TOOLS
    tokenizer.response_template = {}  # without which TRL would not ask to parse anything

    def parse(tokens: list[int], prefix: list[int] | None = None, tools: list[Any] | None = None) -> dict[str, Any]:
        return message_of(tokens, None if prefix is None or tools is None else len(prefix), len(tools or ()))

    tokenizer.parse_response = parse
    return tokenizer


def prompt_with_tools(prompt: list[dict[str, Any]], names: list[str]) -> list[int]:
    """Returns the tokens that a conversation of one message must become where the model has tools of some names."""
    words = [*names, *prompt[0]["content"].split(), VOCABULARY[END_TOKEN], "n", "z"]
    return [VOCABULARY.index(word) for word in words]


def message_of(tokens: list[int], after: int | None, tools: int) -> dict[str, Any]:
    """Returns the message that the parser of the tokenizer makes of a turn.

    Args:
        tokens: of the turn.
        after: how many tokens came before it, which the message says, too; ``None`` where the parser was not told.
        tools: how many tools it was told of.

    Raises:
        ValueError: a call without its end, or with other than a name and a word.
    """
    said, *calls = f" {text_of(tokens)} ".split(f" {OPENS_A_CALL} ")
    told = {} if after is None else {"after": after, "tools": tools}
    message: dict[str, Any] = {"role": "assistant", "content": said.strip(), **told}
    if calls:
        message["tool_calls"] = [_call_of(one.split()) for one in calls]
    return message


def _call_of(words: list[str]) -> dict[str, Any]:
    if len(words) != 3 or words[-1] != ENDS_A_CALL:
        raise ValueError(f"not a call: {words}")
    function = {"name": words[0], "arguments": {"word": words[1]}}
    if words[0] == OF_ANOTHER_TYPE:
        return {"type": "another", **function}
    return {"type": "function", "function": function}


class ToolScript(Script):
    """What the model is made to say where it has tools: it calls none, one, or several, in each way that may go wrong.

    Thirteen kinds follow each other, while a generation batch has another number of completions: so that a turn of each
    kind comes after one of each other kind.
    """

    # The calls of a turn, and how it ends: END or STOP; "full": it has no end; "cut": nor has its call.
    KINDS: tuple[tuple[str, str], ...] = (
        ("", "end"),
        ("pd", "end"),
        ("se pd pf", "stop"),  # the coroutine's result comes after those of the other two
        ("", "full"),
        ("rg", "end"),
        # with 33 tokens in all, seven of a first turn and five around a result, the letter says how much is left:
        ("qu", "end"),  # nothing
        ("qv", "end"),  # the result is too long by one
        ("qt", "end"),  # one token
        ("ua oh", "end"),  # there is no such tool, and no such type
        ("p", "end"),
        ("sa", "end"),
        ("pb", "full"),  # a call, but no room for its result
        ("pc", "end"),
    )

    def completion(self) -> tuple[list[int], bool]:
        """Returns the next turn, and whether it has an end. Its first two letters number it."""
        letters = len(SAID_LETTERS)
        number, (calls, ending) = self.said, self.KINDS[self.said % len(self.KINDS)]
        self.said += 1
        said = [SAID_LETTERS[number // letters**power % letters] for power in (1, 0)]
        called = [word for call in calls.split() for word in (OPENS_A_CALL, *call, ENDS_A_CALL)]
        if calls == "p":  # a name, and nothing else
            called = [OPENS_A_CALL, "p", "a"]
        if ending == "full":
            said += ["b"] * (self.length - len(said) - len(called))
        tokens = [VOCABULARY.index(word) for word in [*said, *called]]
        ends = {"end": [END_TOKEN], "stop": [STOP_TOKEN], "full": []}[ending]
        return [*tokens, *ends], bool(ends)
