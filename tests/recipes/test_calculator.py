"""The recipe with a tool and an environment: its problems, its tiny model, its rewards, and a run."""

import json
import sys
from pathlib import Path

import calculator
import pytest
from calculator import REWARDS, Calculator, display_shows
from embedded.calculator_problems import TINY_CALCULATOR, WARM_UP, calculator_problems, demonstrations
from places import ROOT
from tables import each_row
from transformers import AutoTokenizer
from trl.chat_template_utils import is_chat_template_prefix_preserving, parse_response, supports_tool_calling

from grpo_rewards import check_rewards, soft_overlong
from grpo_rewards.answers import NotArithmetic


@pytest.fixture(scope="module")
def tokenizer():
    return AutoTokenizer.from_pretrained(TINY_CALCULATOR)


def product(row):
    (call,) = json.loads(row["calls"])
    return tuple(call["arguments"]["expression"].split()[:3])


def test_the_problems_are_what_a_calculator_solves_and_a_tiny_model_cannot_know():
    train, test = calculator_problems(500, 1), calculator_problems(500, 1, "test")
    for row in train + test:
        (call,) = json.loads(row["calls"])
        assert Calculator().calculate(**call["arguments"]) == row["answer"]
        assert all(number in row["question"] for number in call["arguments"]["expression"].split()[::2])
        assert int(row["answer"]) > 0
    assert not {product(row) for row in train} & {product(row) for row in test}
    assert len({row["question"] for row in train}) > 490


def test_what_the_model_was_warmed_up_on_is_parsed_as_what_it_was_rendered_from(tokenizer):
    assert supports_tool_calling(tokenizer)
    assert is_chat_template_prefix_preserving(tokenizer)
    kinds = set()
    for chat in demonstrations(40):
        kinds.add(len(chat))
        for place, message in enumerate(chat):
            if message["role"] != "assistant":
                continue
            before = tokenizer.apply_chat_template(
                chat[:place], tools=WARM_UP.tools, add_generation_prompt=True, return_dict=False
            )
            whole = tokenizer.apply_chat_template(chat[: place + 1], tools=WARM_UP.tools, return_dict=False)
            assert whole[: len(before)] == before
            parsed = parse_response(tokenizer, whole[len(before) :], prefix=before)
            assert parsed["content"] == message["content"]
            assert parsed.get("tool_calls") == message.get("tool_calls")
            assert len(whole) - len(before) <= 16  # so that 32 tokens hold a call, its result and an answer
    assert kinds == {2, 4}


@each_row("expression, shows", [("47 * 86 + 529", "4571"), ("(1 + 2) / 4", "3/4"), ("2 - 5", "-3")])
def test_the_calculator_computes(expression, shows):
    one, other = Calculator(), Calculator()
    one.reset(answer="3")
    other.reset()
    assert one.calculate(expression) == one.display == shows
    assert other.display == ""
    one.reset()
    assert one.display == ""


@each_row("expression", ["9**9**9", "__import__('os')", "1 +", "", "9" * 5000, "7 / 0"])
def test_what_is_no_arithmetic_is_an_error_of_the_tool_and_leaves_the_display(expression):
    one = Calculator()
    one.reset()
    with pytest.raises((NotArithmetic, ZeroDivisionError)):
        one.calculate(expression)
    assert one.display == ""


def test_the_reward_reads_the_environment_of_each_completion():
    shown, blank = Calculator(), Calculator()
    shown.reset()
    blank.reset()
    shown.calculate("2 * 2")
    assert display_shows(completions=["", ""], environments=[shown, blank], answer=["4", "4"]) == [1.0, 0.0]
    assert display_shows.score("4", answer="4") is None


def test_the_check_finds_nothing_wrong_with_the_recipe(tokenizer):
    rows = calculator.problems(20, "train", "")
    report = check_rewards(REWARDS, rows, tokenizer=tokenizer, environment_factory=Calculator)
    assert not report.errors
    assert not report.warnings
    no_tools = AutoTokenizer.from_pretrained(ROOT / "recipes" / "embedded" / "tiny_word_problems")
    (error,) = check_rewards(REWARDS, rows, tokenizer=no_tools, environment_factory=Calculator).errors
    assert error.message.startswith("the chat template cannot render a conversation with calls of tools")


def run(monkeypatch, *options):
    monkeypatch.setattr(sys, "argv", ["calculator.py", "--use_cpu", "true", "--bf16", "false", *options])
    calculator.main()
    return json.loads(Path("outputs/tiny-calculator/eval.json").read_text())


def test_a_run_trains_through_the_tool_and_evaluates_before_and_after(monkeypatch, tmp_path, capsys):
    few = ("--max_steps", "1", "--per_device_train_batch_size", "16", "--eval_size", "16", "--train_size", "32")
    results = run(monkeypatch, *few, "--per_device_eval_batch_size", "16")
    for when in ("before", "after"):
        for mean, low, high in results[when].values():
            assert 0 <= low <= mean <= high <= 1
    assert results["before"]["tool_calls"][0] > 0  # so calls were made, executed and parsed
    assert results["before"]["display_shows"][0] > 0
    said = capsys.readouterr().out
    assert "1 steps on 32 problems" in said
    assert "boxed_answer: " in said
    assert (tmp_path / "outputs" / "tiny-calculator" / "model.safetensors").exists()


def test_what_the_check_of_the_rewards_finds_is_printed(monkeypatch, capsys):
    monkeypatch.setattr(calculator, "REWARDS", [*REWARDS, soft_overlong.bind(max_tokens=16, buffer=8)])
    monkeypatch.setattr(calculator, "GRPOTrainer", lambda **_: sys.exit("checked"))
    with pytest.raises(SystemExit, match="checked"):
        run(monkeypatch, "--reward_weights", "1", "1", "1", "1")
    assert "warning: reward 'soft_overlong'" in capsys.readouterr().out  # the limit is 32 tokens


@each_row("option", ["--eval_size", "--train_size"])
def test_a_run_needs_problems(option):
    with pytest.MonkeyPatch.context() as monkeypatch, pytest.raises(SystemExit, match="must be at least 1"):
        run(monkeypatch, option, "0")


@pytest.mark.full
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_it_learns_to_call_and_to_box_the_result(monkeypatch, seed):
    results = run(monkeypatch, "--seed", seed)
    for name in ("boxed_answer", "tool_calls", "display_shows"):
        assert results["before"][name][2] < results["after"][name][1]  # the intervals are apart


def test_the_script_is_short_enough_to_be_read():
    lines = [(ROOT / "recipes" / name).read_text() for name in ("calculator.py", "embedded/calculator_problems.py")]
    assert sum(text.count("\n") for text in lines) < 350
