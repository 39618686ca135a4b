"""Finds the end of a completion's turn. What follows it does not count: nobody would be shown it.

Look here if a text is cut where it goes on, or goes on behind its end.
"""

from __future__ import annotations

import re

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
MARKERS = (
    rf"<\|(?:{PIPED})\|>|<\|assistant(?:_start)?\|>|<\|end\|>(?!<\|start\|>assistant)"
    r"|<｜(?:end▁of▁sentence|(?:hy_)?User|hy_place▁holder▁no▁[28])｜>|<｜(?:hy_)?Assistant｜>"  # DeepSeek
    r"|<(?:end_of_turn|start_of_turn|end_of_utterance|eos|eoa|EOT|turn\||\|turn|\|tool_response)>"  # Gemma, InternLM
    r"|<(?:/s|/longcat_s|seed:[eb]os|SPECIAL_1[012]|extra_id_1)>"  # Mistral, LongCat, Seed, Nemotron
)
# EXAONE, MiniMax, and Mistral and Llama 2
BRACKETED = r"\[\|(?:endofturn|user|system|tool)\|\]|\[\|assistant\|\]|\[e~\[|\]~b\]|\]~!b\[|\[/?INST\]"
END_OF_TURN = re.compile(MARKERS)
BRACKETED_END = re.compile(BRACKETED)
OWN_HEADER = re.compile(r"<\|assistant|<｜(?:hy_)?Assistant|\[\|assistant|\[/INST\]")
MARKER_CANDIDATES = 64  # '<' that are checked one by one, before a pattern searches the rest of the text
MARKER_SECOND_CHARACTERS = frozenset("|｜/estSE")  # the characters that may follow the '<' of a marker
STRUCK_OUT, STRIKE_CHARACTERS = "<s>", 200  # </s> that closes an <s> so shortly before it is HTML, and no end
# [|user|] is an array in some languages: code has it behind a sign of code, a turn does not begin there. Nor does one
# where a text speaks of `[INST]`.
ROLE_IN_BRACKETS = ("[|user|]", "[|system|]", "[|tool|]", "[|assistant|]", "[INST]", "[/INST]")
IN_CODE = re.compile(r"[=(`] ?\Z")


def before_end_of_turn(text: str) -> str:
    """The text up to the first end-of-turn marker."""
    marker = first_end_of_turn(text, len(text) - 1)
    return text if marker < 0 else text[:marker]


def first_end_of_turn(text: str, end: int) -> int:
    """Where the first end-of-turn marker before ``end`` starts; -1 if there is none. ``end`` is below the length."""
    # A search for one character is some twenty times as fast as one for a pattern. Only in a text with very many '<'
    # does the pattern win.
    marker, at = -1, text.find("<", 0, end)
    for _ in range(MARKER_CANDIDATES):
        if at < 0 or marker >= 0:
            break
        if text[at + 1] in MARKER_SECOND_CHARACTERS and END_OF_TURN.match(text, at) is not None and _ends(text, at):
            marker = at
        at = text.find("<", at + 1, end)
    if at >= 0 and marker < 0:
        marker = _first(END_OF_TURN, text, at, end)
    if _has_brackets(text):
        bracketed = _first(BRACKETED_END, text, 0, end if marker < 0 else marker)
        marker = marker if bracketed < 0 else bracketed
    return marker


def _has_brackets(text: str) -> bool:
    """Whether a marker in brackets may be in the text."""
    return _occurs(text, "INST]") or _occurs(text, "|]") or ("~" in text and ("[e~" in text or "]~" in text))


def _occurs(text: str, part: str) -> bool:
    """Whether a part is in a text, whose first character is rare in it. Again, a search for that one comes first."""
    at = text.find(part[0])
    for _ in range(MARKER_CANDIDATES):
        if at < 0 or text.startswith(part, at):
            return at >= 0
        at = text.find(part[0], at + 1)
    return part in text


def _first(pattern: re.Pattern[str], text: str, at: int, end: int) -> int:
    for marker in pattern.finditer(text, at):
        if marker.start() >= end:
            return -1
        if _ends(text, marker.start()):
            return marker.start()
    return -1


def _ends(text: str, at: int) -> bool:
    """Whether the marker at ``at`` is one. ``<s>72</s>`` strikes a number out; a turn may begin with its own header."""
    if at == 0:
        return OWN_HEADER.match(text) is None
    if text.startswith("<EOT>", at):
        return not text.startswith("<<", at - 1) or text.startswith("<<", at - 2)  # "cat <<EOT>file" is a here-document
    if text.startswith(ROLE_IN_BRACKETS, at):
        return IN_CODE.search(text[max(at - 2, 0) : at]) is None
    return not text.startswith("</s>", at) or not _is_struck_out(text, at)


def _is_struck_out(text: str, at: int) -> bool:
    """Whether the ``</s>`` at ``at`` closes an element ``<s>`` of HTML or SSML, on one line or each on its own."""
    begins = max(at - STRIKE_CHARACTERS, 0)
    inside = text[begins:at]
    struck = inside.rfind(STRUCK_OUT)
    if struck < 0 or "</s>" in inside[struck:]:
        return False
    content = inside[struck + len(STRUCK_OUT) :]
    if "\n" not in content or begins + struck > 0:  # only at the very start is <s> the beginning of a turn
        return True
    return not content.partition("\n")[0].strip() and not content.rpartition("\n")[2].strip()
