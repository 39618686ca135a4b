"""grpo-rewards explain: the number and why, columns as the reward wants them, and text that wants to do harm."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from invoked import invoke
from tables import each_row, tables_beside

from grpo_rewards.command_line import rewards

TABLES = tables_beside(__file__)


def run(*arguments: str, stdin: str | bytes | None = None) -> Any:
    return invoke(["explain", *arguments], stdin, COLUMNS="100")


def words(result: Any) -> str:
    return " ".join(result.output.split())


def as_json(*arguments: str, stdin: str | bytes | None = None) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*arguments, "--json", stdin=stdin).stdout)
    return found


def test_the_reward_the_reason_both_sides_and_the_step_are_printed() -> None:
    result = run("boxed_answer", "--answer", "1/2", r"\boxed{0.6}")
    assert result.exit_code == 0
    text = words(result)
    assert text.startswith("boxed_answer 0 wrong prediction 0.6")
    assert "answer 1/2 " in text
    assert "decided by value: the two values" in text


def test_json_has_the_whole_tree() -> None:
    found = as_json("gated(boxed_answer, by=think_answer_format)", "--answer", "4", r"\boxed{4}")
    assert (found["reward"], found["reason"]) == (0.0, "stopped")
    assert [(one["role"], one["reward"], one["was_asked"]) for one in found["parts"]] == [
        ("reward", 1.0, True),
        ("gate", 0.0, True),
    ]
    assert found["parts"][0]["details"]["step"] == "string"
    assert found["reason_says"].startswith("the gate was not passed")


def test_a_row_that_cannot_be_scored_is_a_finding() -> None:
    result = run("boxed_answer", "--answer", "", r"\boxed{4}")
    assert (result.exit_code, words(result)[:34]) == (1, "boxed_answer not scored bad_answer")


@each_row("arguments, said", TABLES["what_is_used_wrongly_is_told_in_a_line_with_what_to_do"])
def test_what_is_used_wrongly_is_reported_in_a_line_with_what_to_do(arguments: list[str], said: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""


def test_a_column_that_is_not_read_is_noted_with_the_one_that_may_be_meant() -> None:
    result = run("multiple_choice", "--answer", "A", "--column", "choises=x", "A")
    assert result.exit_code == 0
    said = "note: the column 'choises' is not read; did you mean 'choices'? It reads: answer, choices.\n"
    assert result.stderr == said
    assert as_json("boxed_format", "--answer", "4", "x")["columns_not_read"] == ["answer"]


def received(write_module: Callable[[str, str], Any], *columns: str) -> list[Any]:
    """What a reward gets for a text, a number and a list, by its example, and for a fourth that has none."""
    source = (
        "from grpo_rewards import reward\nGOT = []\n@reward(example={'gold': '4', 'count': 2, 'items': [1]})\n"
        "def receiving(completion, gold, count, items, other):\n"
        "    GOT[:] = [gold, count, items, other]\n    return 1.0\n"
    )
    module = write_module("receiving_columns", source)
    names = ("gold", "count", "items", "other")
    pairs = [part for name, value in zip(names, columns, strict=True) for part in ("--column", f"{name}{value}")]
    result = run("receiving_columns.receiving", *pairs, "x")
    assert result.exit_code == 0, result.output
    got: list[Any] = module.GOT
    return got


def test_a_value_is_text_unless_the_reward_wants_something_else_or_a_colon_makes_it_json(
    write_module: Callable[[str, str], Any],
) -> None:
    assert received(write_module, "=4", "=4", "=[1, 2]", "=4") == ["4", 4, [1, 2], "4"]
    assert received(write_module, ":=4", "=four", "=true", ':={"a": null}') == [4, "four", True, {"a": None}]
    assert received(write_module, "=a=b", "=1e3", "={}", "==")[:2] == ["a=b", 1000.0]  # only the first = divides


def test_standard_input_is_the_completion_without_the_line_break_of_echo() -> None:
    assert as_json("boxed_answer", "--answer", "4", "-", stdin="\\boxed{4}\n")["reward"] == 1.0
    ends = ["pattern(regex='x$', engine='re')", "-"]
    assert as_json(*ends, stdin="x\r\n")["reward"] == 1.0
    assert as_json("pattern(regex='^x\\\\n$')", "-", stdin="x\n\n")["reward"] == 1.0  # one of the two


@each_row("stdin", [b"", b"\x00\xff\xfe\\boxed{\x80}", b"\xed\xa0\x80", bytes(range(256)) * 50])
def test_any_bytes_on_standard_input_are_a_completion(stdin: bytes) -> None:
    result = run("boxed_answer", "--answer", "4", "-", stdin=stdin)
    assert result.exit_code == 0, result.output
    assert words(result).startswith("boxed_answer 0 ")
    assert all(one.isprintable() or one == "\n" for one in result.output)


@each_row("text", ["\x1b]0;title\x07\x1b[2J", "\u202egpj", "\x9b31m", "a\rb", "\ud800", "\x7f"])
def test_what_a_model_wrote_is_shown_harmless(text: str) -> None:
    arguments = ("exact_match", "--answer", text + "x", f"<answer>{text}</answer>")
    result = run(*arguments)
    assert result.exit_code in (0, 1)
    assert all(one.isprintable() or one == "\n" for one in result.output)
    printed = run(*arguments, "--json").output
    assert printed.isascii()
    assert all(one.isprintable() or one == "\n" for one in printed)
    json.loads(printed)


def test_megabytes_are_cut_and_markup_is_text() -> None:
    result = run("boxed_answer", "--answer", "4", "-", stdin="\\boxed{[red]" + "y" * 3_000_000 + "[/blue]}")
    assert result.exit_code == 0
    assert "[red]yyy" in result.output
    assert "… (3,000,012 characters)" in words(result)  # 5 + 3,000,000 + 7
    assert len(result.output) < 10_000


def test_details_of_any_kind_are_shown_and_are_json(write_module: Callable[[str, str], Any]) -> None:
    source = (
        "from grpo_rewards import Verdict, reward\n@reward\ndef detailed(completion):\n"
        "    details = {'huge': 10**5000, 'some': {10**5000},\n"
        "        'long': [1] * 99999, 3: {4: {5}}, 'nan': float('nan'), 'esc': '\\x1b'}\n"
        "    return Verdict(1.0, 'fine', details=details)\n"
    )
    write_module("detailed_reward", source)
    result = run("detailed_reward.detailed", "x")
    assert result.exit_code == 0
    assert len(result.output) < 10_000
    details = as_json("detailed_reward.detailed", "x")["details"]
    assert [details[name].endswith("of thousands of digits") for name in ("huge", "some")] == [True, True]
    assert (len(details["long"]), details["3"], details["nan"], details["esc"]) == (99999, {"4": "{5}"}, None, "\x1b")


def write(folder: Path, value: Any) -> str:
    path = folder / "messages.json"
    path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    return str(path)


USER, SAYS_FOUR = {"role": "user", "content": "2 + 2?"}, {"role": "assistant", "content": r"It is \boxed{4}"}


@each_row("conversation", [{"prompt": [USER], "completion": [SAYS_FOUR]}, {"completion": SAYS_FOUR["content"]}])
def test_a_row_in_a_file_is_a_completion(conversation: Any, tmp_path: Path) -> None:
    found = as_json("boxed_answer", "--answer", "4", "--messages", write(tmp_path, conversation))
    assert (found["reward"], found["prediction"]) == (1.0, "4")
    in_row = as_json("boxed_answer", "--messages", write(tmp_path, {**conversation, "answer": "5", "id": 1}))
    assert (in_row["reward"], in_row["columns_not_read"]) == (0.0, [])


def test_what_stands_before_the_first_answer_of_the_assistant_is_the_prompt(
    write_module: Callable[[str, str], Any], tmp_path: Path
) -> None:
    source = (
        "from grpo_rewards import reward\nGOT = []\n@reward\ndef prompted(completion, messages, prompt):\n"
        "    GOT[:] = [prompt, messages]\n    return 1.0\n"
    )
    got = write_module("reads_the_prompt", source).GOT
    turns = [{"role": "system", "content": "Be brief."}, USER, SAYS_FOUR, USER, SAYS_FOUR]
    assert run("reads_the_prompt.prompted", "--messages", write(tmp_path, turns)).exit_code == 0
    assert got == [turns[:2], turns[2:]]
    assert run("reads_the_prompt.prompted", "--messages", write(tmp_path, turns[2:]), "--prompt", "a").exit_code == 0
    assert got == ["a", turns[2:]]
    result = run("reads_the_prompt.prompted", "--messages", write(tmp_path, turns), "--prompt", "a")
    assert (result.exit_code, "holds a prompt already" in result.stderr) == (2, True)


def test_a_prompt_may_open_the_reasoning() -> None:
    assert as_json("think_format", "--prompt", "<think>", "so</think> It is 4.")["reward"] == 1.0
    assert as_json("think_format", "so</think> It is 4.")["reward"] == 0.0


@each_row(
    "content, said",
    [
        (b"\xff\xfe", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        ({"messages": []}, "must hold messages"),
        ([1], "must hold messages"),
        ([USER], "one of them the assistant's"),
        ({"completion": 3}, "completion 0 of 1 is 3"),
    ],
)
def test_a_file_that_holds_no_completion_is_reported(content: Any, said: str, tmp_path: Path) -> None:
    result = run("boxed_format", "--messages", write(tmp_path, content))
    assert result.exit_code == 2
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_tokens_and_steps_are_stated_by_number() -> None:
    # by the docstring: (100 - 20 - 90) / 20
    assert as_json("soft_overlong(max_tokens=100, buffer=20)", "", "--tokens", "90")["reward"] == -0.5
    spec = "scheduled(boxed_format, start=1.0, end=0.0, over=0.5)"
    assert as_json(spec, r"\boxed{4}", "--step", "50/200")["reward"] == 0.5  # half of the first 100 steps


def test_tokens_are_counted_by_a_tokenizer() -> None:
    pytest.importorskip("transformers", reason="transformers is not installed")
    from places import TINY

    text = "Tom has 3 apples ."
    from transformers import AutoTokenizer

    count = len(AutoTokenizer.from_pretrained(TINY)(text, add_special_tokens=False)["input_ids"])
    rewards = [
        as_json(f"max_length(max_tokens={most})", text, "--tokenizer", str(TINY))["reward"]
        for most in (count, count - 1)
    ]
    assert rewards == [1.0, 0.0]
    assert "cannot be loaded" in run("max_length(max_tokens=3)", "x", "--tokenizer", "/no/such/folder").stderr


def test_the_steps_of_a_comparison_all_have_words() -> None:
    from grpo_rewards.answers import STEPS

    assert tuple(rewards.COMPARED_BY) == STEPS
