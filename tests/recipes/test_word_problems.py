"""The generated problems and the tiny model that ships with them."""

import json
import re

import pytest
from embedded.word_problems import count_problems, word_problems
from places import TINY


def test_a_seed_gives_the_same_problems_and_another_seed_others():
    assert word_problems(50, seed=1) == word_problems(50, seed=1)
    assert word_problems(50, seed=1) != word_problems(50, seed=2)


def test_the_worked_solution_is_true_and_ends_in_the_result():
    for problem in word_problems(500, seed=0):
        *steps, result = problem["answer"].split("\n")
        for step in steps:
            a, sign, b, c = re.fullmatch(r"(\d+) ([+*-]) (\d+) = (\d+)", step).groups()
            assert {"+": int(a) + int(b), "-": int(a) - int(b), "*": int(a) * int(b)}[sign] == int(c)
        assert result == f"#### {steps[-1].split(' = ')[1]}"
        assert all(2 <= int(number) <= 9 for number in re.findall(r"\d+", problem["question"]))


@pytest.mark.full
def test_no_held_out_problem_can_be_drawn_for_training():
    train = {problem["question"] for problem in word_problems(count_problems("train"), seed=0)}
    held_out = {problem["question"] for problem in word_problems(count_problems("test"), seed=0, split="test")}
    assert len(train) == count_problems("train")
    assert not train & held_out


def test_more_problems_than_there_are_is_an_error_that_counts_them():
    with pytest.raises(ValueError, match=rf"has {count_problems('test')} different problems"):
        word_problems(10**7, seed=0, split="test")


def test_the_tiny_model_is_small_and_its_tokenizer_is_its_own():
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    assert (TINY / "model.safetensors").stat().st_size < 1_000_000
    assert json.loads((TINY / "config.json").read_text())["model_type"] == "qwen3"
    tokenizer = transformers.AutoTokenizer.from_pretrained(TINY)
    assert len(tokenizer) == 480  # Qwen's own has 151,643
    for token in ("<think>", "</think>", "\\boxed{", *map(str, range(100))):
        assert len(tokenizer.encode(token)) == 1
    text = "<think>3 + 4 = 7</think>\\boxed{7} naïve 数学 🍎"
    assert tokenizer.decode(tokenizer.encode(text), skip_special_tokens=True) == text
