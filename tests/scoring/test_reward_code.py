"""When the code of a reward is another one: what it does counts, also in what it calls, and nothing else."""

import os
import subprocess
import sys

import pytest
from own_rewards import mine  # noqa: F401  # a fixture
from places import ROOT

import grpo_rewards as gr
from grpo_rewards.scoring.reward_code import reward_code

BEFORE = (
    "FACTOR = 2.0\nclass Scale:\n    by = 3\ndef helper(text):\n    'Says.'\n    return len(text) * FACTOR * Scale.by"
)


def test_what_it_does_counts_and_not_how_it_is_written(mine):  # noqa: F811
    first = reward_code([mine("return 1.0")])
    assert list(first) == ["mine"]
    assert reward_code([mine("# why\n    return (1.0)")]) == first
    assert reward_code([mine("return 1.5")]) != first


@pytest.mark.parametrize(("old", "new"), [("2.0", "3.0"), ("by = 3", "by = 4"), ("len(text)", "-len(text)")])
def test_so_does_what_it_calls_and_reads(old, new, mine):  # noqa: F811
    body = "return helper(completion)"
    first = reward_code([mine(body, BEFORE)])
    assert reward_code([mine(body, BEFORE.replace("Says.", "Said."))]) == first
    assert reward_code([mine(body, BEFORE.replace(old, new))]) != first


def test_what_it_reads_is_the_same_in_every_process(mine, tmp_path):  # noqa: F811
    before = "WORDS = {'a': {'x', 'y', 'z', 'u', 'v'}}\nWIDE = object()\nimport re\nLOOK = re.compile('a', re.I)"
    mine("return float(completion in WORDS['a'] or WIDE is None or bool(LOOK.search(completion)))", before)
    where = reward_code.__module__
    script = f"from own_module import mine; from {where} import reward_code; print(reward_code([mine]))"
    said = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONPATH": f"{ROOT}:{tmp_path}", "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1
    assert "mine" in said.pop()


def test_rewards_inside_composites_and_those_that_are_called_are_looked_at(mine):  # noqa: F811
    def gated(body):
        return reward_code([gr.gated(gr.think_format, by=mine(body), above=0.5)])

    assert list(gated("return 1.0")) == ["mine"]
    assert gated("return 1.0") != gated("return 0.0")


def test_those_of_the_package_are_reported_by_its_version():
    assert reward_code([gr.get_reward(name) for name in ("boxed_answer", "expression_reaches")]) == {}
