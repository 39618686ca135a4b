"""The calls of a transcript, and of one turn's text in the formats of the model families; what only looks like one."""

from tables import each_row, tables_beside

from grpo_rewards.completion.tool_calls.calls import MALFORMED, key_of
from grpo_rewards.completion.tool_calls.reading import calls_in_messages, calls_in_text

TABLES = tables_beside(__file__)

A, B = '{"city": "Oslo", "days": 3}', '{"zone": "Europe/Oslo"}'
J, K = f'{{"name": "get_weather", "arguments": {A}}}', f'{{"name": "get_time", "arguments": {B}}}'
P, Q = J.replace("arguments", "parameters"), K.replace("arguments", "parameters")
WEATHER, TIME = calls_in_text(f"<tool_call>{J}</tool_call><tool_call>{K}</tool_call>")
XML = "<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n<parameter=days>\n3\n</parameter>\n</function>"
GLM = "get_weather\n" + "\n".join(
    f"<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>" for key, value in [("city", "Oslo"), ("days", "3")]
)
CITY, DAYS = '<parameter name="city">Oslo</parameter>', '<parameter name="days">3</parameter>'
INVOKE = f'<invoke name="get_weather">\n{CITY}\n{DAYS}\n</invoke>'
ECHOED = INVOKE.replace('name="city"', 'name="city" type="string"').replace('weather"', 'weather" description="x"')
TYPED = INVOKE.replace('"city"', '"city" string="true"').replace('"days"', '"days" string="false"')
DSML = TYPED.replace("<", "<｜DSML｜").replace("<｜DSML｜/", "</｜DSML｜")
CHANNEL = "<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>" + A

FORMATS = {
    "Hermes": (f"<tool_call>\n{J}\n</tool_call>\n<tool_call>\n{K}\n</tool_call><|im_end|>", 2),
    "Hermes, a list": (f"<tool_call>[{J}, {K}]</tool_call>", 2),
    "Hermes behind a mention": (f"I use `<tool_call>`.\n<tool_call>{J}</tool_call>", 1),
    "Hermes behind reasoning": (f"<think><tool_call>{K}</tool_call></think><tool_call>{J}</tool_call>", 1),
    "Hermes in a fenced block": (f"```xml\n<tool_call>{J}</tool_call>\n```", 1),
    "Qwen3-Coder": (f"<tool_call>\n{XML}\n</tool_call>", 1),
    "Qwen3-Coder without the outer tag": (XML, 1),
    "Seed-OSS": (f"<seed:tool_call>\n{XML}\n</seed:tool_call>", 1),
    "GLM": (f"\n<tool_call>{GLM}\n</tool_call>", 1),
    "GLM 4.7": (f"<tool_call>{GLM.replace(chr(10), '')}</tool_call>", 1),
    "MiniMax M2": (f"<minimax:tool_call>\n{INVOKE}\n</minimax:tool_call>", 1),
    "MiniMax M2 with more attributes": (f"<minimax:tool_call>\n{ECHOED}\n</minimax:tool_call>", 1),
    "MiniMax M1": (f"<tool_calls>\n{J}\n{K}\n</tool_calls>", 2),
    "DeepSeek V3.2": (f"<｜DSML｜function_calls>\n{DSML}\n</｜DSML｜function_calls>", 1),
    "DeepSeek V3": (
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n"
        f"{A}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>",
        1,
    ),
    "DeepSeek V3.1": (f"<｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{A}<｜tool▁call▁end｜>", 1),
    "Kimi K2": (
        f"<|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{A}<|tool_call_end|>"
        f"<|tool_call_begin|>functions.get_time:1<|tool_call_argument_begin|>{B}<|tool_call_end|>",
        2,
    ),
    "Kimi K2, decoded": (f"functions.get_weather:0{A}", 1),
    "gpt-oss": (f"<|channel|>analysis<|message|>to=functions.x<|end|><|start|>assistant{CHANNEL}<|call|>", 1),
    "gpt-oss, the recipient first": (f" to=functions.get_weather<|channel|>commentary json<|message|>{A}<|call|>", 1),
    "gpt-oss, decoded": (f"analysisHm.assistantcommentary to=functions.get_weather json{A}", 1),
    "Llama": (f"{P}; {Q}<|eot_id|>", 2),
    "Llama with its tag": (f"<|python_tag|>{P}<|eom_id|>", 1),
    "Llama's function tag": (f"<function=get_weather>{A}</function><|eot_id|>", 1),
    "Llama in Python": ('[get_weather(city="Oslo", days=3), get_time(zone="Europe/Oslo")]', 2),
    "Llama 4": ('<|python_start|>[get_weather(city="Oslo", days=3)]<|python_end|><|eot|>', 1),
    "LFM2": ("<|tool_call_start|>[get_weather(city='Oslo', days=3)]<|tool_call_end|><|im_end|>", 1),
    "OLMo 3": ('<function_calls>\nget_weather(city="Oslo", days=3)\n</function_calls>', 1),
    "Gemma 4": ('<|tool_call>call:get_weather{city:<|"|>Oslo<|"|>,days:3}<tool_call|>', 1),
    "Mistral": (f"[TOOL_CALLS] [{J}, {K}]</s>", 2),
    "Mistral v11": (f"[TOOL_CALLS]get_weather[ARGS]{A}[TOOL_CALLS]get_time[ARGS]{B}</s>", 2),
    "Mistral v11 with an id": (f"[TOOL_CALLS]get_weather[CALL_ID]abc123def[ARGS]{A}</s>", 1),
    "Mistral v11, decoded": (f"get_weather{A}", 1),
    "Mistral, decoded": (f"[{J}]", 1),
    "Granite 3": (f"<|tool_call|>[{J}, {K}]", 2),
    "Granite 20B": (f"<function_call> {J} <function_call> {K}", 2),
    "Phi-4-mini": (f"functools[{J}]", 1),
    "Command": (f'<|START_ACTION|>[{{"tool_name": "get_weather", "parameters": {A}}}]<|END_ACTION|>', 1),
    "InternLM": (f"<|action_start|><|plugin|>\n{P}<|action_end|>", 1),
    "a fenced block": (f"```json\n{J}\n```", 1),
    "ReAct": (f"Thought: x\nAction: get_weather\nAction Input: {A}\nObservation: 3\nFinal Answer: 3", 1),
    "ReAct in bold": (f"**Action:** get_weather\n**Action Input:** {A}", 1),
    "ReAct, fenced": (f"Action: get_weather\nAction Input:\n```json\n{A}\n```", 1),
    "ReAct in one": (f'Action:\n```json\n{{"action": "get_weather", "action_input": {A}}}\n```', 1),
}  # fmt: skip


@each_row("text, calls", FORMATS.values())
def test_a_call_is_read_in_every_format(text: str, calls: int) -> None:
    found = calls_in_text(text)
    assert found is not None
    assert [call.name for call in found] == ["get_weather", "get_time"][:calls]
    for call, meant in zip(found, [WEATHER, TIME], strict=False):
        assert call.arguments is not None
        # text in XML may be a number; what it may mean includes what is meant
        assert all(meant.arguments[name] <= values for name, values in call.arguments.items())
        assert call.arguments.keys() == meant.arguments.keys()


@each_row(
    "text",
    [
        "Fine.",
        'It would be get_weather(city="Oslo", days=3).',
        f"The format is {J}, I think.",
        '{"name": "Ada", "age": 3}',
        "I could use Action: get_weather but I will not.",
        "<|python_tag|>import os\nprint(os.listdir())",
        "Use functools.partial here.",
        f"Fine.<|im_end|><tool_call>{J}</tool_call>",
        f"<think><tool_call>{J}</tool_call></think>Fine.",
        f"<|channel|>analysis<|message|>Send to=functions.get_weather {A}<|end|><|start|>assistant"
        "<|channel|>final<|message|>Fine.<|return|>",
        f"<|channel|>final<|message|>Fine.<|return|><|start|>assistant{CHANNEL}",
        f"<think>assistant to=functions.get_weather{A}</think>Fine.",
        f"<think><|start|>assistant{CHANNEL}</think>Fine.",
        f"analysisI could send commentary to=functions.get_weather {A} now.assistantfinalFine.",
        "The tag is `<tool_call>`, closed by '</tool_call>'. I write \"<function=\" too.",
        f"<|channel|>analysis<|message|><tool_call>{J}</tool_call><|end|><|start|>assistant"
        "<|channel|>final<|message|>Fine.<|return|>",
        f" to=self<|message|><tool_call>{J}</tool_call><|eom|><|start|>assistant to=user<|message|>Fine.<|eot|>",
        "[1, 2]",
        "[x]",
        "",
    ],
)
def test_what_only_looks_like_a_call_is_none(text: str) -> None:
    assert calls_in_text(text) == []


@each_row(
    "text",
    [
        f"<tool_call>{J}",  # not closed, so no parser runs it
        f"<tool_call>{J}{K}</tool_call>",
        f"<tool_call>{J} yes</tool_call>",
        "<tool_call>{'name': 'get_weather', 'arguments': {}}</tool_call>",
        '<tool_call>{"arguments": {"city": "Oslo"}}</tool_call>',
        '<tool_call>{"name": "a", "name": "b"}</tool_call>',
        '<tool_call>{"name": "a", "arguments": {"x": NaN}}</tool_call>',
        f"<tool_call>{'[' * 100_000}</tool_call>",
        f'<tool_call>{{"name": "a", "arguments": {{"x": {"9" * 5_000}}}}}</tool_call>',
        f"[TOOL_CALLS] [{J}",
        "<|tool_call_start|>[f(open('x'))]<|tool_call_end|>",
        "<|tool_call_start|>[f(1)]<|tool_call_end|>",
        "<function=f><function=g></function>",
        f"<tool_call>{J},</tool_call>",
        '<tool_call>{"name": "f", "arguments": {}, "function": {"name": "g", "arguments": {}}}</tool_call>',
        f"<|tool_call_start|>[f(a=[{'1,' * 9_999}])]<|tool_call_end|>",
    ],
)
def test_a_call_that_cannot_be_read_is_one_call_without_a_name(text: str) -> None:
    assert calls_in_text(text) == [MALFORMED]


def test_arguments_that_cannot_be_read_leave_the_name() -> None:
    for text in (
        "[TOOL_CALLS]f[ARGS]{",
        "Action: f\nAction Input: Oslo",
        '<tool_call>{"name": "f", "arguments": {"a": 1}, "parameters": {"a": 2}}</tool_call>',
        "<function=f>\n<parameter=a>\n1\n</function>",
        "<function=f><parameter=a>1</parameter><parameter=a>1</parameter></function>",
        f'<tool_call>{{"name": "f", "arguments": {{"x": {"[" * 99}{"]" * 99}}}}}</tool_call>',
    ):
        (call,) = calls_in_text(text) or []
        assert (call.name, call.arguments) == ("f", None)


HERMES, OTHER = f"<tool_call>{J}</tool_call>", '<tool_call>{"name": "rm", "arguments": {}}</tool_call>'


@each_row(
    "text, names",
    [
        (f"to=functions.<|message|> {OTHER}", "rm"),
        (f"to=x<|message|> {OTHER}", "rm"),
        (f"commentary{OTHER}assistantcommentary to=functions.get_weather {A}assistantfinalFine.", "rm get_weather"),
        (f"<|channel|>commentary<|message|>{OTHER}<|end|><|start|>assistant<|channel|>final<|message|>Fine.", "rm"),
        (f"Action: rm\nAction Input: {{}}\n{HERMES}", "rm get_weather"),
        (f"{HERMES}\nAction: rm\nAction Input: {{}}\n", "get_weather rm"),
        (f"[rm()]\n{HERMES}\n[ls()]", "rm get_weather ls"),
        (f'{{"name": "rm", "arguments": {{}}}}\n{HERMES}', "rm get_weather"),
        (f"```json\n{J}\n```\n```json\n{K}\n```", "get_weather get_time"),
        # the line only says which call comes
        (f"Action: get_weather\n{HERMES}", "get_weather"),
    ],
)
def test_calls_of_several_formats_count_together(text: str, names: str) -> None:
    assert [call.name for call in calls_in_text(text) or []] == names.split()


@each_row("before", TABLES["what_is_not_closed_is_one_call_too_many"])
def test_what_is_not_closed_is_one_call_too_many(before: str) -> None:
    unread, *read = calls_in_text(before + HERMES) or []
    assert unread.arguments is None
    assert read == [WEATHER]
    assert calls_in_text(HERMES + before) == [WEATHER, unread]


def test_tags_in_the_texts_of_arguments_are_text() -> None:
    for inside in ("<tool_call>", "</tool_call>", OTHER.replace('"', "'")):
        (call,) = (
            calls_in_text(f'<tool_call>{{"name": "write", "arguments": {{"text": "{inside}"}}}}</tool_call>') or []
        )
        assert call.arguments == {"text": {key_of(inside)}}


def test_names_of_several_words_are_read() -> None:
    (call,) = calls_in_text('[Market Trends API(trend_type="X")]') or []
    assert call.shown == 'Market Trends API(trend_type="X")'


def test_a_call_is_shown_with_values_as_json_writes_them() -> None:
    assert [call.shown for call in calls_in_text("[f(a=1), f(a='1'), f(a=None, b={'c': [True]})]") or []] == [
        "f(a=1)",
        'f(a="1")',
        'f(a=null, b={"c": [true]})',
    ]


def test_reasoning_that_never_ends_hides_whether_there_are_calls() -> None:
    assert calls_in_text(f"<think>I call <tool_call>{J}</tool_call>") is None
    assert calls_in_text(f"<tool_call>{J}</tool_call>", opened=True) is None
    assert calls_in_text(f"<think>to=functions.get_weather<|message|>{A}") is None
    assert calls_in_text("<|channel|>analysis<|message|>I could use to=functions.") is None


LS = {"type": "function", "function": {"name": "ls", "arguments": '{"path": "/"}'}}
WRITTEN = '<tool_call>{"name": "ls", "arguments": {"path": "/"}}</tool_call>'


ONCE = ['ls(path="/")']


@each_row(
    "messages, shown",
    [
        # all turns count, and the tool's words do not
        ([{"tool_calls": [LS]}, {"role": "tool", "content": WRITTEN}, {"content": WRITTEN}], ONCE * 2),
        # a turn that was parsed is not read again
        ([{"tool_calls": [LS], "content": WRITTEN}], ONCE),
        ([{"tool_calls": [], "content": WRITTEN}], ONCE),
        ([{"content": WRITTEN}], ONCE),
        ([{"reasoning_content": WRITTEN, "content": "Fine."}], []),
        # only the last turn must end its reasoning
        ([{"content": "<think>"}], None),
        ([{"reasoning_content": "I add", "content": ""}], None),
        ([{"tool_calls": [LS]}, {"content": "<think>"}], None),
        ([{"content": "<think>"}, {"tool_calls": [LS]}], ONCE),
    ],
)
def test_the_calls_of_all_turns_count(messages, shown):
    found = calls_in_messages([{"role": "assistant", **one} for one in messages])
    assert shown == (None if found is None else [call.shown for call in found])


def test_what_is_no_call_counts_as_one_that_cannot_be_read():
    assert calls_in_messages([{"role": "assistant", "tool_calls": [{"type": "function"}, None]}]) == [MALFORMED] * 2


def test_values_that_no_json_would_hold_are_no_error():
    deep = {}
    for _ in range(900):
        deep = {"x": deep}
    for value in (10**5_000, float("nan"), b"x", {3, 4}, deep):
        (call,) = calls_in_messages([{"role": "assistant", "tool_calls": [{"name": "f", "arguments": {"x": value}}]}])
        assert call.name == "f"
