"""Clauses about what a model wrote: in every form in which a trainer hands it over, and whatever it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grpo_rewards.completion.text import completion_text
from grpo_rewards.registry.errors import shown
from grpo_rewards.testing.calls import wrong_with
from grpo_rewards.testing.case import USUAL_PROMPT, Case, same
from grpo_rewards.testing.clause import clause

__all__ = ["empty_completions", "forms", "hostile", "prompts"]

FORMS: dict[str, Callable[[str], Any]] = {
    "texts": lambda text: text,
    "messages": lambda text: [{"role": "assistant", "content": text}],
    "messages of content blocks": lambda text: [{"role": "assistant", "content": [{"type": "text", "text": text}]}],
}
WITHOUT_TEXT: tuple[list[dict[str, Any]], ...] = (
    [{"role": "assistant", "content": None}],
    [{"role": "assistant", "content": ""}],
    [{"role": "assistant", "content": []}],
    [{"role": "assistant"}],
    [],
)


@clause("Read the text of the last assistant message, as 'completion' of @grpo_rewards.reward does.")
def forms(case: Case) -> str | None:
    """A completion earns the same as a text, as messages and as messages of content blocks."""
    rows = [row for group in case.groups if all(_is_plain(row["completion"]) for row in group) for row in group]
    texts = [completion_text(row["completion"]) for row in rows]
    first: list[float | None] = []
    for name, form in FORMS.items():
        try:
            given = case.give([{**row, "completion": form(text)} for row, text in zip(rows, texts, strict=True)])
        except Exception as error:  # noqa: BLE001  # foreign code: that it raises is what is looked for
            return f"for {name} it raised {type(error).__name__}: {error}"
        first = first or given
        for text, wanted, value in zip(texts, first, given, strict=True):
            if not same([wanted], [value]):
                return f"{shown(text)} earned {wanted!r}, and {value!r} as {name}"
    return None


def _is_plain(completion: Any) -> bool:
    """Whether it is a text, or one message with one: more than that is not the same in every form."""
    return isinstance(completion, str) or (len(completion) == 1 and isinstance(completion[0].get("content"), str))


@clause("Read both forms of a prompt: a conversational dataset has lists of messages.")
def prompts(case: Case) -> str | None:
    """The prompt may be a text or a list of messages."""
    as_text = case.give([{**row, "prompt": USUAL_PROMPT} for row in case.rows])
    as_messages = case.give([{**row, "prompt": [{"role": "user", "content": USUAL_PROMPT}]} for row in case.rows])
    if not same(as_text, as_messages):
        return f"it gave {shown(as_text)} with texts and {shown(as_messages)} with messages"
    return None


@clause("Take it as the empty text: a tool call has no content, and a run that is cut off may have none either.")
def empty_completions(case: Case) -> str | None:
    """A completion that is empty, blank or without content raises nothing, and earns what the empty text does."""
    wanted = case.give(case.beside(""))
    for blank in ("", " ", "\n\n\t"):
        if (wrong := wrong_with(case.give(case.beside(blank)), case.group)) is not None:
            return f"for {blank!r} {wrong}"
    for nothing in WITHOUT_TEXT:
        try:
            given = case.give(case.beside(nothing))
        except Exception as error:  # noqa: BLE001  # foreign code: that it raises is what is looked for
            return f"for {nothing} it raised {type(error).__name__}: {error}"
        if not same(given, wanted):
            return f"{nothing} earned {given[0]!r}, and '' {wanted[0]!r}"
    return None


@clause("Give 0 for what cannot be read: what a model writes must not end the training.")
def hostile(case: Case) -> str | None:
    """No text raises: control characters, lone surrogates, endless numbers, deep nesting, unclosed tags."""
    for text, given in case.under_attack.items():
        if isinstance(given, Exception):
            return f"for {shown(text)} it raised {type(given).__name__}: {given}"
        if (wrong := wrong_with([verdict.reward for verdict in given], case.group)) is not None:
            return f"for {shown(text)} {wrong}"
    return None
