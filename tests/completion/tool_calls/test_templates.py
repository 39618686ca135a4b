"""What the chat templates that TRL ships write for a call is read as that call."""

import importlib.util
import json
import re
from collections.abc import Callable
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

import grpo_rewards as gr

sandbox = pytest.importorskip("jinja2.sandbox", reason="jinja2, which comes with transformers, is not installed")
TRL = importlib.util.find_spec("trl")
FOLDER = Path(TRL.origin).parent / "chat_templates" if TRL is not None and TRL.origin else Path("none")
TEMPLATES = """
gemma4 glm4moe gptoss lfm2_2_5_vl llama3_1 llama3_2 muse_glimmer nemotron_3_nano qwen2_5 qwen3 qwen3_5_think qwen3_6
qwen3_vl
""".split()

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="there are no chat templates of TRL's")

CALLS: list[list[tuple[str, dict[str, Any]]]] = [
    [("get_weather", {"city": "Oslo", "days": 3})],
    [("book", {"guest": {"name": "Åsa", "age": 41}, "nights": [1, 2, 3], "vip": True, "note": None})],
    [("list_files", {})],
    [("write", {"text": 'It is "quoted"\nand <b>bold</b>, ok?', "n": "3"})],
    [("f", {"flag": False, "items": ["a, b", "c)"], "empty": "", "x": -1.5})],
    [("get_weather", {"city": "Oslo"}), ("get_time", {"zone": "Europe/Oslo"})],
]
GENERATION_TAG = re.compile(r"\{%-?\s*(?:end)?generation\s*-?%\}")  # for training; it writes nothing
ONE_CALL_ONLY = ("gptoss", "llama3_1", "llama3_2")  # these templates refuse, or leave out, a second one


def template(name: str) -> Callable[..., str]:
    environment = sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = lambda value, **_: json.dumps(value, ensure_ascii=False)
    environment.globals |= {"strftime_now": lambda _: "2026", "raise_exception": pytest.fail}
    source = GENERATION_TAG.sub("", (FOLDER / f"{name}.jinja").read_text())
    render: Callable[..., str] = environment.from_string(source).render
    return render


@pytest.mark.parametrize("name", TEMPLATES)
def test_what_a_template_writes_is_read(name: str) -> None:
    if not (FOLDER / f"{name}.jinja").is_file():
        pytest.skip(f"this version of TRL has no template {name}")
    render = template(name)
    for calls in CALLS:
        if len(calls) == 1 or name not in ONE_CALL_ONLY:
            check(render, calls)


def check(render: Callable[..., str], calls: list[tuple[str, dict[str, Any]]]) -> None:
    tools = [{"type": "function", "function": {"name": one, "description": "", "parameters": {}}} for one, _ in calls]
    made = [{"type": "function", "function": {"name": one, "arguments": given}} for one, given in calls]
    question = [{"role": "user", "content": "?"}]
    options = {"tools": tools, "bos_token": "<s>", "eos_token": "</s>"}
    prompt = render(messages=question, add_generation_prompt=True, **options)
    answered = [*question, {"role": "assistant", "content": "", "tool_calls": made}]
    whole = render(messages=answered, add_generation_prompt=False, **options)
    begun = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(prompt, whole, strict=False)))
    completion = whole[begun:]
    gold = json.dumps([{"name": one, "arguments": given} for one, given in calls])
    assert gr.tool_calls.explain(completion, answer=gold).reason == "correct", completion
