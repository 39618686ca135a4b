"""The arithmetic of batches, groups and lengths."""

from types import SimpleNamespace
from typing import Any

from tables import each_row

import grpo_rewards as gr
from grpo_rewards import Reward, check_rewards
from grpo_rewards.checks.setup.all_checks import batches
from grpo_rewards.checks.setup.names import SetUp


@each_row(
    "settings, batch, prompts",
    [
        ({}, 8, 1),
        ({"num_generations": 4, "gradient_accumulation_steps": 2}, 16, 4),
        ({"num_generations": 4, "gradient_accumulation_steps": 2, "steps_per_generation": 4}, 32, 8),
        ({"num_generations": 4, "generation_batch_size": 12, "processes": 3}, 12, 3),
        ({"num_generations": 4, "world_size": 2}, 16, 4),
        ({"num_generations": 3}, None, None),
        ({"num_generations": 1}, None, None),
        ({"num_generations": "eight"}, 8, 1),  # and this
    ],
)
def test_a_generation_batch_must_not_have_more_prompts_than_there_are_rows(
    settings: dict[str, Any], batch: int | None, prompts: int | None
) -> None:
    args = SimpleNamespace(**{"num_generations": 8, **settings})  # as a file is read
    few, enough = ([str(one) for one in batches(SetUp([], rows_of(size), args=args))] for size in (1, prompts or 0))
    assert (f"a generation batch is {batch} completions of {prompts} prompt" in " ".join(enough)) == (batch is not None)
    assert ("cannot be split into groups" in " ".join(enough)) == (batch is None)
    assert ("; TRL would train zero steps." in " ".join(few)) == (prompts not in (None, 1))
    assert not any("TRL would train zero steps." in one for one in enough)


def rows_of(size: int) -> dict[str, list[str]]:
    return {"prompt": ["?"] * size}


def test_the_settings_of_a_trainer_without_generation_batches_are_left_alone() -> None:
    online_dpo = SimpleNamespace(world_size=1, per_device_train_batch_size=4, gradient_accumulation_steps=1)
    assert list(batches(SetUp([], args=online_dpo))) == []


RELATIVE = gr.relative_length


@each_row(
    "args, bound",
    [(SimpleNamespace(num_generations=8), 8), (SimpleNamespace(num_generations=None), None), (object(), None)],
)
def test_the_size_of_a_group_is_bound_wherever_it_is_needed(args: Any, bound: int | None) -> None:
    report = check_rewards([RELATIVE, gr.weighted({RELATIVE.bind(name="part"): 1.0}), gr.boxed_format], args=args)
    relative, points, untouched = report.rewards
    assert [one.options["num_generations"] for one in (relative, points.parts[0])] == [bound] * 2
    assert untouched == gr.boxed_format
    assert (report.errors, report.warnings) == ([], [])


@each_row(
    "bound, wrong", [(8, []), (2, ["reward 'relative_length' is bound with num_generations=2, but the run draws 8."])]
)
def test_a_size_that_was_bound_by_hand_stays_and_must_be_that_of_the_run(bound: int, wrong: list[str]) -> None:
    relative = RELATIVE.bind(num_generations=bound)
    for given in (relative, gr.gated(relative, by=gr.boxed_format)):
        report = check_rewards([given], args=SimpleNamespace(num_generations=8))
        assert report.rewards == [given]
        assert [one.message for one in report.errors] == wrong


OVERLONG = gr.soft_overlong.bind(max_tokens=512, buffer=128)
COSINE = gr.weighted({gr.boxed_answer: 1.0, gr.cosine_length.bind(max_tokens=5000): 0.2})


@each_row(
    "one, longest, severity, said",
    [
        (OVERLONG, 256, "error", "max_tokens=512, and the run max_completion_length=256"),
        (OVERLONG.bind(name="brief"), 1024, "warning", "max_tokens=512, and the run max_completion_length=1024"),
        (gr.weighted({gr.think_format: 1.0, OVERLONG: 0.2}), 1024, "warning", "Give both the same number"),
        (OVERLONG, 512, None),
        (OVERLONG, None, None),
        (gr.max_length.bind(max_tokens=64), 512, None),
        (gr.max_length.bind(max_tokens=512), 256, "warning", "max_tokens=512"),
        (gr.max_length.bind(max_tokens=200), 256, None),
        (gr.target_length.bind(target=600, tolerance=50), 256, "error", "target=600"),
        (gr.target_length.bind(target=300, tolerance=100), 256, "warning", "target=300"),
        (gr.target_length.bind(target=200, tolerance=50), 256, None),
        (COSINE, 512, "warning", "max_tokens=5000"),
        (COSINE, 5000, None),
    ],
)
def test_a_limit_that_does_not_fit_the_longest_completion_is_reported(
    one: Reward, longest: int | None, severity: str | None, said: str | None
) -> None:
    args = SimpleNamespace(max_completion_length=longest)
    found = [its for its in check_rewards([one], columns=["prompt", "answer"], args=args) if its.check == "lengths"]
    assert [its.severity for its in found] == ([] if severity is None else [severity])
    assert all(str(said) in str(its) for its in found), found
