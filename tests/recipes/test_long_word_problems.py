"""Longer word problems: what they ask has the answer that they say, and no calculation is in both splits."""

import re
from itertools import pairwise

import pytest
from embedded.long_word_problems import long_word_problems

WORDS = {"+": ("finds", "gives", "buys"), "-": ("loses", "sells", "takes"), "*": ("times",)}


def told(question):
    """The result by the sentences of a question alone."""
    first, *sentences, _ = re.split(r"(?<=[.?]) ", question)
    result = int(re.search(r"\d+", first)[0])
    for sentence in sentences:
        number = int(re.search(r"\d+", sentence)[0])
        (sign,) = {sign for sign, words in WORDS.items() if any(word in sentence for word in words)}
        result = {"+": result + number, "-": result - number, "*": result * number}[sign]
    return result


def calculation(row):
    return tuple(re.sub(r" = \d+", "", row["answer"]).splitlines()[:-1])


@pytest.mark.parametrize("split", ["train", "test"])
def test_the_answer_is_what_the_question_tells(split):
    rows = long_word_problems(300, 0, split)
    assert len({calculation(row) for row in rows}) == 300
    for row in rows:
        *steps, last = row["answer"].splitlines()
        assert last == f"#### {told(row['question'])}"
        results = [int(step.split(" = ")[1]) for step in steps]
        assert 3 <= len(steps) <= 5
        assert all(1 <= result <= 999 for result in results)
        assert all(eval(step.replace(" = ", " == ")) for step in steps)  # noqa: S307  # of our own making
        assert all(later.startswith(f"{earlier.split(' = ')[1]} ") for earlier, later in pairwise(steps))


def test_no_calculation_is_in_both_splits():
    train, test = ({calculation(row) for row in long_word_problems(2000, 0, split)} for split in ("train", "test"))
    assert not train & test


def test_a_seed_gives_the_same_problems_in_every_process(run_python):
    from places import RECIPES

    script = "from embedded.long_word_problems import long_word_problems; print(long_word_problems(5, 7))"
    assert run_python("-c", script, path=(RECIPES,)) == f"{long_word_problems(5, 7)}\n"
    assert long_word_problems(5, 7) != long_word_problems(5, 8)


def test_an_unknown_split_is_reported():
    with pytest.raises(ValueError, match="the splits are 'train' and 'test'"):
        long_word_problems(1, 0, "held out")
