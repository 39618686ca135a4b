"""Finds the end of a completion's turn. What follows it does not count: nobody would be shown it.

Look here if a text is cut where it goes on, or goes on behind its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["before_end_of_turn", "first_end_of_turn"]

# The tokens with which the chat templates of common models end a turn, or begin the next one: of <|…|> the names, of
# the others all of it. Behind <|end|> the policy may go on in another channel.
PIPED = (
    r"im_end|im_start|im_user|im_system|im_assistant"  # Qwen, Phi-4, InternLM, LFM, Kimi
    r"|eot_id|eom_id|end_of_text|start_header_id|eot|eom|header_start"  # Llama 3 and 4, Granite, Jamba
    r"|endoftext|return|call|user|system|observation|eos|EOS|EOT|eod|stop"  # GPT, Phi, GLM, OLMo, Hunyuan, Grok
    r"|END_OF_TURN_TOKEN|START_OF_TURN_TOKEN|END_RESPONSE"  # Command
    r"|end_of_turn|endofturn|start_of_role|role_end|separator|flush|extra_[045]"  # OpenChat, HyperCLOVA, Granite, Ling
    r"|end_of_sentence|end_of_message|endofmessage|message_end|turn_end|endofprompt"  # Ernie, Solar
    r"|endofassistant|endofuser|endofresponse|endofsystem|userprompt|endofuserprompt"  # dots
    r"|user_start|user_end|assistant_end|system_start|tool_response|tool_response_start"  # Apertus, LFM
)
# It begins with the character that it is searched for by.
END_OF_TURN = re.compile(
    rf"<(?:\|(?:{PIPED})\|>|\|assistant(?:_start)?\|>|\|end\|>(?!<\|start\|>assistant)"
    r"|｜(?:end▁of▁sentence|(?:hy_)?User|hy_place▁holder▁no▁[28])｜>|｜(?:hy_)?Assistant｜>"  # DeepSeek
    r"|(?:end_of_turn|start_of_turn|turn\||\|turn|\|tool_response)>"  # Gemma
    r"|(?:end_of_utterance|eos|eoa|EOT(?<!<<EOT))>"  # InternLM; "cat <<EOT>file" is a here-document
    r"|(?:/s|/longcat_s|seed:[eb]os|SPECIAL_1[012]|extra_id_1)>)"  # Mistral, LongCat, Seed, Nemotron
)
# EXAONE, MiniMax, and Mistral and Llama 2
# [|user|] is an array in some languages: behind a sign of code no turn begins, nor where a text speaks of `[INST]`.
BRACKETED_END = re.compile(
    r"(?<![=(`])(?<![=(`] )(?:\[\|(?:endofturn|user|system|tool|assistant)\|\]|\[e~\[|\]~b\]|\]~!b\[|\[/?INST\])"
)
STRIKE_CHARACTERS = 200  # </s> that closes an <s> so shortly before it is HTML, and no end
FIRST_CHARACTERS = 64  # that are looked at one by one, before all of a part is searched for
OWN_HEADER = re.compile(r"<\|assistant|<｜(?:hy_)?Assistant|\[\|assistant|\[/INST\]")  # a turn may begin with it


def before_end_of_turn(text: str) -> str:
    """The text up to the first end-of-turn marker."""
    marker = first_end_of_turn(text, len(text) - 1)
    return text if marker < 0 else text[:marker]


def first_end_of_turn(text: str, end: int) -> int:
    """Where the first end-of-turn marker before ``end`` starts; -1 if there is none. ``end`` is below the length."""
    marker = next((one for one in _angled(text) if one.start() >= end or _ends(one)), None)
    first = end if marker is None else min(marker.start(), end)
    if has_brackets(text):
        marker = next((one for one in BRACKETED_END.finditer(text) if one.start() >= first or _ends(one)), None)
        first = first if marker is None else min(marker.start(), first)
    return first if first < end else -1


def _angled(text: str) -> Iterator[re.Match[str]]:
    """The markers that begin with ``<``, in order. A search for this character is ten times as fast as one for all."""
    at = -1
    for _ in range(FIRST_CHARACTERS):
        at = text.find("<", at + 1)
        if at < 0:
            return
        if (marker := END_OF_TURN.match(text, at)) is not None:
            yield marker
    yield from END_OF_TURN.finditer(text, at + 1)


def has_brackets(text: str) -> bool:
    """Whether a marker in brackets may be in the text."""
    return (
        _occurs(text, "INST]")
        or ("|" in text and _occurs(text, "|]"))
        or ("~" in text and ("[e~[" in text or "]~" in text))
    )


def _occurs(text: str, part: str) -> bool:
    """Whether a part is in a text. A search for its first character, which is rare, is twenty times as fast."""
    first, at = part[0], -1
    for _ in range(FIRST_CHARACTERS):
        at = text.find(first, at + 1)
        if at < 0 or text.startswith(part, at):
            return at >= 0
    return part in text


def _ends(marker: re.Match[str]) -> bool:
    """Whether a marker ends the turn: it is not the header of the policy's own turn, and strikes nothing out."""
    return not _strikes_out(marker) and (marker.start() > 0 or OWN_HEADER.match(marker.string) is None)


def _strikes_out(marker: re.Match[str]) -> bool:
    """Whether a ``</s>`` closes a near ``<s>`` of HTML or SSML; at the very start ``<s>`` begins a turn."""
    if marker[0] != "</s>":
        return False
    text, at = marker.string, marker.start()
    begin = max(at - STRIKE_CHARACTERS, 0)
    return text.rfind("<s>", begin, at) > max(text.rfind("</s>", begin, at), 0)
