"""The tags with which common chat templates delimit calls, and the text of a completion without its calls."""

import re

# Opening and closing tags, and whose they are.
PAIRED_TAGS = {
    "<tool_call>": "</tool_call>",  # Hermes, Qwen, Granite 4, ERNIE; with XML inside Qwen3-Coder, GLM, Nemotron
    "<function=": "</function>",  # Llama; Qwen3-Coder where it leaves out the outer tag
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
FUNCTION_OPEN, PYTHON_TAG = "<function=", "<|python_tag|>"
SEVERAL_TAGS = frozenset(["<tool_calls>", "<function_calls>"])  # that hold several calls, one a line
PYTHON_LINES_TAG, BARE_ARGUMENTS_TAG = "<function_calls>", "<|tool_call>"  # with f(a=1) and f{a: 1} in it
# Tags behind which calls follow as JSON, to the end of the message: Llama 3; Mistral; Granite 3 and Phi-4-mini, which
# also writes functools[…]; Granite 20B.
LEADING_TAGS = (PYTHON_TAG, "[TOOL_CALLS]", "<|tool_call|>", "<function_call>")
OPENING_TAGS = (*PAIRED_TAGS, *LEADING_TAGS)
# First what stands around all calls of a turn, each of which has tags of its own, and tags whose calls are not read.
CUT_OUT = {
    "<|tool_calls_section_begin|>": "<|tool_calls_section_end|>",  # Kimi
    "<｜tool▁calls▁begin｜>": "<｜tool▁calls▁end｜>",  # DeepSeek
    "<longcat_tool_call>": "</longcat_tool_call>",
    **PAIRED_TAGS,
}
# A call goes to its closing tag; without one, to the end of the text.
PAIRED_CALLS = (f"{re.escape(begin[1:])}(?:.*?{re.escape(end)}|.*)" for begin, end in CUT_OUT.items())
PAIRED_CALL = re.compile(f"<(?:{'|'.join(PAIRED_CALLS)})", re.DOTALL)
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
    text = PAIRED_CALL.sub("", text)
    for leading in (*LEADING_TAGS, "functools["):
        text = text.partition(leading)[0]
    if "Action Input" in text and (call := REACT_CALL.search(text)) is not None:
        text = text[: call.start()]
    return "" if BARE_CALL.match(text) is not None and text.rstrip().endswith(BARE_ENDS) else text
