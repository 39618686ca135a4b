"""The generated problems of all recipes, and the tiny models that ship with them."""

import json
import re
from hashlib import sha256
from itertools import pairwise

import pytest
from embedded import TINY_ALGEBRA, TINY_COUNTDOWN, TINY_WORD_PROBLEMS, algebra, countdown_numbers, word_problems
from embedded.calculator_problems import TINY_CALCULATOR, calculator_problems
from embedded.word_problems import long_word_problems
from places import RECIPES
from tables import each_row
from transformers import AutoTokenizer

COUNTED = {  # those that know how many problems there are; and what makes two of them the same
    "algebra": (algebra.algebra, algebra.count_problems, lambda row: row["problem"]),
    "countdown": (
        countdown_numbers.countdown_numbers,
        countdown_numbers.count_problems,
        lambda row: (*sorted(row["nums"]), row["target"]),
    ),
    "word problems": (word_problems.word_problems, word_problems.count_problems, json.dumps),
}
ALL = {name: made for name, (made, _, _) in COUNTED.items()}
ALL |= {"long word problems": long_word_problems, "calculator": calculator_problems}
NUMBERS = tuple(map(str, range(100)))
MODELS = [
    (TINY_ALGEBRA, ("<think>", "</think>", "\\boxed{", "\\frac{", "\\sqrt{", "\\infty")),
    (TINY_COUNTDOWN, ("<think>", "</think>", "<answer>", "</answer>")),
    (TINY_WORD_PROBLEMS, ("<think>", "</think>", "\\boxed{")),
    (TINY_CALCULATOR, ("<tool_call>", "\\boxed{")),
]


def every(name, split):
    made, count, _ = COUNTED[name]
    return made(count(split), 0, split)


@each_row("name", ALL)
def test_a_seed_gives_the_same_problems_in_each_split_and_another_seed_others(name):
    made = ALL[name]
    assert made(50, 1) == made(50, 1) != made(50, 2)
    texts = [{json.dumps(row) for row in made(1800, 0, split)} for split in ("train", "test")]
    assert not texts[0] & texts[1]


@each_row("name", COUNTED)
def test_more_problems_than_there_are_is_an_error_that_counts_them(name):
    made, count, _ = COUNTED[name]
    with pytest.raises(ValueError, match=rf"has {count('test')} different problems"):
        made(10**7, 0, "test")
    assert len({json.dumps(row) for row in every(name, "test")}) == count("test")


@each_row("name", COUNTED)
def test_no_held_out_problem_can_be_drawn_for_training(name):
    train, test = ({COUNTED[name][2](row) for row in every(name, split)} for split in ("train", "test"))
    assert train
    assert test
    assert not train & test


@each_row("name, key, digest", [("algebra", "problem", "b5012c642984374d"), ("countdown", "nums", "e072e0b6ca2b91df")])
def test_what_is_held_out_is_what_was_held_out_when_the_tiny_model_was_warmed_up(name, key, digest):
    # of the problems as they were when the model was made; another digest asks for another model
    rows = every(name, "test")
    held_out = sorted(row[key] if key == "problem" else [*sorted(row["nums"]), row["target"]] for row in rows)
    assert sha256(json.dumps(held_out).encode()).hexdigest()[:16] == digest


def test_word_problems_and_long_ones_are_the_same_in_every_process(run_python):
    script = "from embedded.word_problems import long_word_problems as long; print(long(5, 7))"
    assert run_python("-c", script, path=(RECIPES,)) == f"{long_word_problems(5, 7)}\n"


def test_a_word_problems_solution_is_true_and_ends_in_the_result():
    for problem in word_problems.word_problems(500, seed=0):
        *steps, result = problem["answer"].split("\n")
        assert all(eval(step.replace(" = ", " == ")) for step in steps)  # noqa: S307  # of our own making
        assert result == f"#### {steps[-1].split(' = ')[1]}"
        assert all(2 <= int(number) <= 9 for number in re.findall(r"\d+", problem["question"]))


WORDS = {"+": ("finds", "gives", "buys"), "-": ("loses", "sells", "takes"), "*": ("times",)}


def told(question):
    """The result by the sentences of a long word problem alone."""
    first, *sentences, _ = re.split(r"(?<=[.?]) ", question)
    result = int(re.search(r"\d+", first)[0])
    for sentence in sentences:
        number = int(re.search(r"\d+", sentence)[0])
        (sign,) = {sign for sign, words in WORDS.items() if any(word in sentence for word in words)}
        result = {"+": result + number, "-": result - number, "*": result * number}[sign]
    return result


def calculation(row):
    return tuple(re.sub(r" = \d+", "", row["answer"]).splitlines()[:-1])


def test_the_answer_of_a_long_word_problem_is_what_its_question_tells():
    train, test = long_word_problems(300, 0, "train"), long_word_problems(300, 0, "test")
    assert len({*map(calculation, train), *map(calculation, test)}) == 600
    for row in train + test:
        *steps, last = row["answer"].splitlines()
        assert last == f"#### {told(row['question'])}"
        results = [int(step.split(" = ")[1]) for step in steps]
        assert 3 <= len(steps) <= 5
        assert all(1 <= result <= 999 for result in results)
        assert all(eval(step.replace(" = ", " == ")) for step in steps)  # noqa: S307  # of our own making
        assert all(later.startswith(f"{earlier.split(' = ')[1]} ") for earlier, later in pairwise(steps))


@each_row("model, tokens", MODELS)
def test_a_tiny_model_is_small_and_its_tokenizer_is_its_own(model, tokens):
    assert sum(path.stat().st_size for path in model.iterdir()) < 700_000
    assert json.loads((model / "config.json").read_text())["model_type"] == "qwen3"
    tokenizer = AutoTokenizer.from_pretrained(model)
    assert len(tokenizer) < 600  # Qwen's own has 151,643
    assert [len(tokenizer.encode(token)) for token in (*tokens, *NUMBERS)] == [1] * len((*tokens, *NUMBERS))
    text = f"{tokens[0]}3 + 4 = 7{tokens[1]} She sold 1,250 for $3.50  each —\n\tnaïve 数学 🍎?"
    assert tokenizer.decode(tokenizer.encode(text), skip_special_tokens=True) == text
