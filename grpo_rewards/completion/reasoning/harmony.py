"""Reads the channels of gpt-oss: ``analysis`` is reasoning, ``final`` answers, ``commentary`` calls tools.

It reads them with their special tokens, as decoded without these ("analysis…assistantfinal…"), and in the spelling of
Muse, which writes to itself and then to the user. Look here if analysis is taken for the answer, or the answer for
analysis.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["ANALYSIS", "COMMENTARY", "FINAL", "Message", "answers", "channels", "is_harmony"]

CHANNEL_TOKEN = re.compile(r"<\|(start|channel|message|constrain|end|return|call|eom|eot)\|>")
# Without special tokens, the header of a message runs into its text. Prose goes on behind the word "analysis" with a
# space or one of these signs; a capital, a digit or a sign of a formula runs into no word "final".
PROSE = r"[ \t\xa0](?!\s{0,20}\n)|[:,;!?)\]}>/|_”»：，。、]|['’](?:s\b|\s)|\.(?!\.)|[-–—]\w|—|</|\n[=-]{3}"
BARE_ANALYSIS = re.compile(rf"\s*(?:analysis(?!{PROSE})(?=\s*\S)|to=self(?=\S))")
BARE_FINAL = re.compile(r"final(?=[^\W_]|[\\$(\[*])")
BARE_START = re.compile(r"\s*(?:(analysis|commentary|final)|to=(self|user)(?=\S)|(?=to=functions\.))")
BARE_TOOL = " to=assistant"  # a tool's message to the policy, which is not the policy's
BARE_HEADER = re.compile(
    rf"{BARE_TOOL}|assistant(?:(analysis|commentary|final)|\s?to=(self|user)(?=\S)|\s?(?=to=functions\.))"
)
CALLED_TOOL = re.compile(r"to=functions\.([\w.-]{1,200})")
DECODED_CALL = re.compile(r"\s{0,3}to=functions\.([\w.-]{1,200}?)(?:commentary)?\s{0,3}(?:json|code)?\s{0,3}(?=\{)")
STARTS = " \n\tatcf"  # the characters with which BARE_START may begin
HEADER_CHARACTERS = 200
ANALYSIS, COMMENTARY, FINAL = "analysis", "commentary", "final"
CHANNEL_OF = {"self": ANALYSIS, "user": FINAL}


class Message(NamedTuple):
    """A message that the policy wrote.

    Attributes:
        channel: ``analysis``, ``commentary`` or ``final``.
        text: what stands in it.
        is_begun: whether the template had written its header.
        tool: the name of the tool that it calls, or ``""``.
    """

    channel: str
    text: str
    is_begun: bool = False
    tool: str = ""


def is_harmony(text: str) -> bool:
    """Whether a text has channels. What only such a text has is looked for first, so it is quick."""
    if text.startswith("<think>"):
        return False  # as nearly always with reasoning
    if "<|message|>" in text:
        return "<|channel|>" in text or "to=" in text
    return _is_bare_harmony(text)


def _is_bare_harmony(text: str) -> bool:
    """Whether a text has channels whose special tokens were skipped: it begins as only such a text does.

    Behind the name of a channel there is no space, or a later message has the header of the final channel.
    """
    if text[:1] not in STARTS:
        return False
    if BARE_ANALYSIS.match(text) is not None:
        return True
    start = BARE_START.match(text)
    if start is None:
        return False
    if DECODED_CALL.match(text, start.end()) is not None:
        return start[1] != FINAL
    if start[1] == FINAL and BARE_FINAL.match(text) is not None and not text[len(FINAL)].islower():
        return True
    return start[1] in (ANALYSIS, COMMENTARY) and "assistantfinal" in text


def channels(text: str) -> list[Message]:
    """The messages of the policy's turn, in order, in time linear in the text."""
    return _of_tokens(text) if "<|message|>" in text else _of_words(text)


def answers(messages: list[Message]) -> list[Message]:
    """The messages of analysis and of the final channel. Of final ones without analysis between them, the last."""
    kept: list[Message] = []
    for message in messages:
        if message.channel == FINAL and kept and kept[-1].channel == FINAL:
            kept[-1] = message
        elif message.channel in (ANALYSIS, FINAL):
            kept.append(message)
    return kept


def _of_tokens(text: str) -> list[Message]:
    is_begun = not text.lstrip().startswith(("<|", "to="))  # the template wrote the header
    messages: list[Message] = []
    header, begins, in_body, called = ANALYSIS if is_begun else "", 0, is_begun, False
    for token in CHANNEL_TOKEN.finditer(text):
        name = token.group(1)
        if in_body and name in ("constrain", "message"):
            continue
        if in_body:
            if _is_own(header):
                messages.append(_message(header, text[begins : token.start()], is_begun))
            header, in_body, is_begun = "", False, False
        else:
            header = f"{header}{text[begins : token.start()]} "[:HEADER_CHARACTERS]
            in_body = name == "message"
        called = called or name == "call"
        if name in ("return", "eot") or (in_body and not _goes_on(header, called)):
            return messages
        called = called and not in_body  # behind a call, only a tool speaks
        begins = token.end()
    if in_body and _is_own(header):
        messages.append(_message(header, text[begins:], is_begun))
    return messages


def _goes_on(header: str, called: bool) -> bool:
    """Whether a message belongs to the policy's turn: its own, or what a tool sends it. A call waits for the latter."""
    return (not called and _is_own(header)) or (BARE_TOOL in header and not _is_own(header))


def _is_own(header: str) -> bool:
    """Whether the policy wrote the message: its header names no role (the template wrote it), or its own."""
    role = header.split(maxsplit=1)[0] if header.strip() else ""
    return role in ("", "assistant", ANALYSIS, COMMENTARY, FINAL) or role.startswith("to=")


def _message(header: str, text: str, is_begun: bool) -> Message:
    tool = CALLED_TOOL.search(header)
    return Message(_channel(header), text, is_begun, tool[1] if tool else "")


def _channel(header: str) -> str:
    words = header.split()
    for word in words:
        if word.startswith("to="):
            return CHANNEL_OF.get(word[3:], COMMENTARY)
    return next((word for word in words if word in (ANALYSIS, FINAL)), COMMENTARY)


def _of_words(text: str) -> list[Message]:
    start = BARE_START.match(text)
    if start is None:
        return []
    headers = [start, *BARE_HEADER.finditer(text, start.end())]
    ends = [*(header.start() for header in headers[1:]), len(text)]
    messages = [_bare_message(header, text[header.end() : end]) for header, end in zip(headers, ends, strict=True)]
    return [message for message in messages if message is not None]


def _bare_message(header: re.Match[str], text: str) -> Message | None:
    """The message behind a header; ``None`` for what a tool sends."""
    if header[0] == BARE_TOOL:
        return None
    called = DECODED_CALL.match(text)
    if called is not None and header[1] != FINAL:
        return Message(COMMENTARY, text[called.end() :], tool=called[1])
    return Message(header[1] or CHANNEL_OF.get(header[2], COMMENTARY), text)
