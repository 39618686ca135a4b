"""The chat templates of TRL: what a model writes by them gets one verdict, raw and taken apart by TRL's parser."""

import itertools
from pathlib import Path
from typing import Any

import pytest
from tables import each_row

trl = pytest.importorskip("trl", reason="trl is not installed")
parsing = pytest.importorskip(
    "transformers.utils.chat_parsing.response_parser", reason="transformers does not parse by templates yet"
)

from transformers.utils.chat_template_utils import render_jinja_template  # noqa: E402  # skipped without it
from trl import chat_template_utils  # noqa: E402  # skipped without it

import grpo_rewards as gr  # noqa: E402  # skipped without them

FOLDER = Path(trl.__file__).parent / "chat_templates"
USER = [{"role": "user", "content": "1 + 1?"}]
CALLS = [{"type": "function", "function": {"name": "add", "arguments": {"a": 1, "b": 2}}}]
GEMMA_MARKS = ("<|channel>thought", "<channel|>")
REASONING = [None, r"so \boxed{4}", "so it is 2. Hmm", "a <answer>2</answer> and 4"]
CONTENT = [r"It is \boxed{2}.", "The answer is 2.", "So 4, or rather 5.", ""]


class Tokenizer:
    """What check_rewards and TRL need of a tokenizer: its chat template, and the parser's rules."""

    response_template: dict[str, Any] | None = None

    def __init__(self, template: str) -> None:
        self.chat_template = template

    def apply_chat_template(self, turns: list[dict[str, Any]], **options: Any) -> str:
        options.pop("tokenize", None)
        rendered, _ = render_jinja_template(
            [turns], chat_template=self.chat_template, bos_token="", eos_token="<eos>", **options
        )
        return str(rendered[0])


def tokenizers() -> list[Any]:
    """Those whose outcome TRL can parse; templates for training write the same turns."""
    found = []
    for path in sorted(FOLDER.glob("*.jinja")):
        one = Tokenizer(path.read_text())
        try:
            chat_template_utils.add_response_schema(one)
        except ValueError:  # TRL has no rules for it
            continue
        if one.response_template is not None and "_training" not in path.name:
            found.append(pytest.param(one, id=path.stem))
    return found


def raw_texts(one: Tokenizer, prompt: str) -> list[str]:
    """What the model would have written, by its template, for messages with and without reasoning and calls."""
    field = "thinking" if "thinking" in one.response_template["fields"] else "reasoning_content"
    texts = []
    for reasoning, content, calls in itertools.product(REASONING, CONTENT, [None, CALLS]):
        message: dict[str, Any] = {"role": "assistant", "content": content}
        message |= {field: reasoning} if reasoning else {}
        message |= {"tool_calls": calls} if calls else {}
        try:
            whole = one.apply_chat_template([*USER, message])
        except Exception:  # noqa: BLE001  # a template refuses what its model cannot write
            continue
        if whole.startswith(prompt.rstrip()) and (content or calls):  # an empty response is lost in parsing
            text = whole[len(prompt) :] if whole.startswith(prompt) else whole[len(prompt.rstrip()) :]
            if reasoning is None and is_blank_reasoning(text, prompt):
                continue  # the parser drops it
            texts.append(text)
            if reasoning is not None and reasoning in text and not calls:
                texts.append(text[: text.index(reasoning) + len(reasoning) - 1])  # cut off in the reasoning
    if not texts:  # a template that shows no reasoning of earlier turns
        texts = [f"{reasoning}\n</think>\n\n{content}" for reasoning in REASONING[1:] for content in CONTENT[:-1]]
        texts += [reasoning for reasoning in REASONING if reasoning]
    return texts


def is_blank_reasoning(text: str, prompt: str) -> bool:
    return "</think>" in text or "<channel|>" in text or prompt.rstrip().endswith("<think>")


@each_row("one", tokenizers())
def test_raw_and_parsed_forms_get_one_verdict(one: Tokenizer) -> None:
    prompt = one.apply_chat_template(USER, add_generation_prompt=True)
    told = {"reasoning": GEMMA_MARKS} if "<|channel>" in one.chat_template else {}
    rewards = [each.bind(**told) for each in (gr.think_format, gr.boxed_answer, gr.final_answer)]
    rewards = gr.check_rewards(rewards, {"prompt": [USER], "answer": ["2"]}, tokenizer=one).rewards
    texts = raw_texts(one, prompt)
    assert len(texts) > 3
    for text in texts:
        parsed = parsing.parse_response(text, one.response_template, prefix=prompt)
        parsed["content"] = parsed.get("content") or ""  # as TRL does
        for each in rewards:
            gold = {} if each.name == "think_format" else {"answer": "2"}
            raw = each.explain(text, prompt=USER, **gold)
            assert each.explain([parsed], prompt=USER, **gold)[:2] == raw[:2], (each.name, text, parsed)
            as_message = [{"role": "assistant", "content": text}]
            assert each.explain(as_message, prompt=USER, **gold) == raw
