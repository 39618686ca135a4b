"""Reads the channels of gpt-oss: ``analysis`` is reasoning, ``final`` answers, ``commentary`` calls tools.

It reads them with their special tokens, as decoded without these ("analysis…assistantfinal…"), and in the spelling of
Muse, which writes to itself and then to the user. Look here if analysis is taken for the answer, or the answer for
analysis.
"""

import re
from typing import NamedTuple

ANALYSIS, COMMENTARY, FINAL = "analysis", "commentary", "final"
BODY = "<|message|>"  # which stands between a header and the text of its message
TOKEN_OF_HEADER = re.compile(r"<\|\w{1,20}\|>")
END_OF_BODY = re.compile(r"<\|(?:start|channel|end|return|call|eom|eot)\|>|\Z")
LAST_TOKENS = ("<|return|>", "<|eot|>")
HEADER_CHARACTERS = 200
# The header of the policy's message names no role (the template wrote it), or its own.
BY_POLICY = re.compile(r"\s*(?:assistant|analysis|commentary|final|to=(?!assistant)|\Z)")
BY_TOOL = " to=assistant"  # in the header of a tool's message to the policy
CALLED_TOOL = re.compile(r"to=functions\.([\w.-]{1,200}?)(?:commentary)?(?![\w.-])")
# Without special tokens, the header of a message runs into its text. Prose goes on behind the word "analysis" with a
# space or one of these signs; a capital, a digit or a sign of a formula runs into no word "final".
PROSE = r"[ \t\xa0](?!\s{0,20}\n)|[:,;!?)\]}>/|_”»：，。、]|['’](?:s\b|\s)|\.(?!\.)|[-–—]\w|—|</|\n[=-]{3}"
DECODED_CALL = r"\s{0,3}to=functions\.[\w.-]{1,200}?\s{0,3}(?:json|code)?\s{0,3}(?=\{)"
BARE_START = re.compile(
    rf"\s*(?:analysis(?!{PROSE})(?=\s*\S)|to=self(?=\S)|(?:analysis|commentary)?{DECODED_CALL}"
    r"|(?:analysis|commentary)(?=.*assistantfinal))|final(?=[^\W_]|[\\$(\[*])",
    re.DOTALL,
)
BARE_HEADER = re.compile(
    rf"{BY_TOOL}|(?:\A\s*|assistant)(?:final|(?:analysis|commentary)(?:{DECODED_CALL})?|\s?to=(?:self|user)(?=\S)"
    rf"|{DECODED_CALL}|\s?(?=to=functions\.))"
)


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
    is_begun: bool
    tool: str


def is_harmony(text: str) -> bool:
    """Whether a text has channels: it has their tokens, or it starts like a text decoded without special tokens.

    Behind the name of a channel there is then no space, or a later message has the header of the final channel.
    """
    if text.startswith("<think>"):
        return False  # as nearly always with reasoning
    if BODY in text:
        return "<|channel|>" in text or "to=" in text
    start = BARE_START.match(text)
    return start is not None and not (start[0] == FINAL and text[len(FINAL)].islower())


def channels(text: str) -> list[Message]:
    """The messages of the policy's turn, in order, in time linear in the text."""
    if BODY not in text:
        text = BARE_HEADER.sub(rf"<|start|>\g<0>{BODY}", text)
    is_begun = not text.lstrip().startswith(("<|", "to="))
    text = f"{ANALYSIS}{BODY}{text}" if is_begun else text
    messages: list[Message] = []
    at, is_called = 0, False
    while (begins := text.find(BODY, at)) >= 0:
        header = TOKEN_OF_HEADER.sub(" ", text[at:begins][:HEADER_CHARACTERS])
        is_own = BY_POLICY.match(header) is not None
        if is_called if is_own else BY_TOOL not in header:
            break  # behind a call, only the tool speaks
        begins += len(BODY)
        end: re.Match[str] = END_OF_BODY.search(text, begins)  # type: ignore[assignment]  # it matches the end
        if is_own:
            tool = CALLED_TOOL.search(header)
            written = text[begins : end.start()]
            messages.append(Message(_channel(header), written, is_begun and not messages, tool[1] if tool else ""))
        if end[0] in LAST_TOKENS:
            break
        at, is_called = end.end(), end[0] == "<|call|>"
    return messages


def _channel(header: str) -> str:
    if "to=" in header:
        return ANALYSIS if "to=self" in header else FINAL if "to=user" in header else COMMENTARY
    return next((channel for channel in (ANALYSIS, FINAL) if channel in header), COMMENTARY)


def answers(messages: list[Message]) -> list[Message]:
    """The messages of analysis and of the final channel. Of final ones without analysis between them, the last."""
    kept: list[Message] = []
    for message in messages:
        if message.channel == FINAL and kept and kept[-1].channel == FINAL:
            kept[-1] = message
        elif message.channel in (ANALYSIS, FINAL):
            kept.append(message)
    return kept
