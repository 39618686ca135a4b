"""The tags with which common chat templates delimit calls, and the text of a completion without its calls."""

from __future__ import annotations

import re

__all__ = [
    "CALL_MARKS",
    "FUNCTION_CLOSE",
    "FUNCTION_OPEN",
    "LEADING_TAGS",
    "MISTRAL_TAG",
    "OPENING_TAGS",
    "PAIRED_TAGS",
    "PYTHON_TAG",
    "SECTION_TAGS",
    "without_calls",
]

# Opening and closing tags, and whose they are.
PAIRED_TAGS = {
    "<tool_call>": "</tool_call>",  # Hermes, Qwen, Granite 4, ERNIE; with XML inside Qwen3-Coder, GLM, Nemotron
    "<tool_calls>": "</tool_calls>",  # MiniMax M1, Jamba, Hunyuan
    "<function_calls>": "</function_calls>",  # OLMo 3
    "<minimax:tool_call>": "</minimax:tool_call>",  # MiniMax M2
    "<atem:function_calls>": "</atem:function_calls>",  # Muse
    "<seed:tool_call>": "</seed:tool_call>",  # Seed-OSS
    "<｜DSML｜function_calls>": "</｜DSML｜function_calls>",  # DeepSeek V3.2
    "<｜DSML｜tool_calls>": "</｜DSML｜tool_calls>",  # DeepSeek V4
    "<｜tool▁call▁begin｜>": "<｜tool▁call▁end｜>",  # DeepSeek V3, V3.1 and R1
    "<|tool_call_begin|>": "<|tool_call_end|>",  # Kimi K2
    "<|tool_call_start|>": "<|tool_call_end|>",  # LFM2
    "<|tool_call>": "<tool_call|>",  # Gemma 4
    "<|python_start|>": "<|python_end|>",  # Llama 4
    "<|START_ACTION|>": "<|END_ACTION|>",  # Command R7B and A
    "<|action_start|><|plugin|>": "<|action_end|>",  # InternLM 2.5
}
# Tags behind which calls follow as JSON: Granite 3 and Phi-4-mini, which also writes functools[…]; Granite 20B.
LEADING_TAGS = ("<|tool_call|>", "<function_call>")
MISTRAL_TAG, PYTHON_TAG, PHI_CALL = "[TOOL_CALLS]", "<|python_tag|>", "functools["
FUNCTION_OPEN, FUNCTION_CLOSE = "<function=", "</function>"
OPENING_TAGS = (*PAIRED_TAGS, *LEADING_TAGS, MISTRAL_TAG, PYTHON_TAG, FUNCTION_OPEN)
# Around all calls of a turn, each of which has tags of its own; and tags whose calls are not read.
SECTION_TAGS = {
    "<|tool_calls_section_begin|>": "<|tool_calls_section_end|>",  # Kimi
    "<｜tool▁calls▁begin｜>": "<｜tool▁calls▁end｜>",  # DeepSeek
    "<longcat_tool_call>": "</longcat_tool_call>",
}


# Sections first, for they hold whole blocks; what has no closing tag goes to the end of the turn.
CALL_MARKS = {
    **SECTION_TAGS,
    **PAIRED_TAGS,
    FUNCTION_OPEN: FUNCTION_CLOSE,
    PYTHON_TAG: "<|eom_id|>",
    MISTRAL_TAG: "</s>",
    **dict.fromkeys((*LEADING_TAGS, PHI_CALL), ""),
}
OPENING_TAG = re.compile(f"<(?:{'|'.join(re.escape(one[1:]) for one in CALL_MARKS if one[0] == '<')})")
# Calls without tags: Llama 3's is a JSON object, that of others a list in Python's syntax.
BARE_CALL = re.compile(
    r'\s*(?:\{\s*"name":\s*"[^"]{1,200}",\s*"(?:parameters|arguments)":\s*\{|\[[A-Za-z_][\w.]{0,200}\((?:\w{1,200}=|\)\]))'
)
BARE_ENDS = ("}", ")]")
REACT_CALL = re.compile(r"^[ \t*#]{0,8}Action(?: [0-9]{1,3})?:[^\n]{0,300}\n[ \t*#]{0,8}Action Input", re.MULTILINE)


def without_calls(text: str) -> str:
    """The text without the calls of tools in it; a call that is cut off goes to the end.

    >>> without_calls('It is 4.<tool_call>{"name": "add", "arguments": {"a": 5}}</tool_call>')
    'It is 4.'
    """
    if _may_hold_marks(text):
        for opening, closing in CALL_MARKS.items():
            if opening in text:
                text = _without(text, opening, closing)
    if "Action Input" in text and (call := REACT_CALL.search(text)) is not None:
        text = text[: call.start()]
    return "" if BARE_CALL.match(text) is not None and text.rstrip().endswith(BARE_ENDS) else text


def _may_hold_marks(text: str) -> bool:
    """Whether an opening mark is in the text. A search for its first character comes first, for it is quick."""
    if "<" in text and OPENING_TAG.search(text) is not None:
        return True
    return "[" in text and (MISTRAL_TAG in text or PHI_CALL in text)


def _without(text: str, opening: str, closing: str) -> str:
    kept, at = [], 0
    while (start := text.find(opening, at)) >= 0:
        kept.append(text[at:start])
        end = text.find(closing, start + len(opening)) if closing else -1
        if end < 0:
            return "".join(kept)
        at = end + len(closing)
    return "".join([*kept, text[at:]])
