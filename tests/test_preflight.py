"""What can be checked before a model is loaded."""

from __future__ import annotations

import functools
from typing import Any

import contract_rewards
import pytest

import grpo_rewards as gr
from grpo_rewards import Reward, RewardError, check_answers, check_rewards


def plain(completions: list[Any], **kwargs: Any) -> list[float]:
    """A reward as TRL takes it, without this package."""
    return [0.0 for _ in completions]


class Callable_:
    """A plain reward may be an object; TRL then logs its class's name."""

    def __call__(self, completions: list[Any], **kwargs: Any) -> list[float]:
        return [0.0 for _ in completions]


POINTS = gr.weighted({gr.boxed_format: 0.5, gr.boxed_answer: 1.0}, name="points")


def test_what_fits_comes_back_as_a_fresh_list() -> None:
    funcs = [gr.boxed_answer, plain, functools.partial(gr.final_answer), Callable_()]
    checked = check_rewards(funcs, columns=["prompt", "answer"], weights=[1.0, 0.5, 2, 0])
    assert checked == funcs
    assert checked is not funcs  # TRL changes the list that it is given


@pytest.mark.parametrize("one", [gr.boxed_answer, plain])
def test_a_single_reward_becomes_a_list(one: Any) -> None:
    assert check_rewards(one) == [one]


def test_no_rewards_are_refused() -> None:
    with pytest.raises(RewardError, match=r"there are no rewards\. Name at least one"):
        check_rewards([])


@pytest.mark.parametrize("thing", ["boxed_answer", 3, None])
def test_what_is_no_reward_is_refused_before_trl_takes_it_for_a_model(thing: Any) -> None:
    with pytest.raises(RewardError) as error:
        check_rewards([plain, thing])
    assert f"{thing!r} is not a reward" in str(error.value)


def test_a_name_in_place_of_a_reward_is_pointed_to_get_reward() -> None:
    with pytest.raises(RewardError, match=r"TRL would take it for a model's id. Use get_reward\('boxed_answer'\)"):
        check_rewards(["boxed_answer"])


@pytest.mark.parametrize("unbound", [[gr.soft_overlong], [gr.weighted({gr.soft_overlong: 1.0})]])
def test_an_option_that_is_not_bound_is_found(unbound: list[Reward]) -> None:
    with pytest.raises(
        RewardError, match=r"reward 'soft_overlong' needs max_tokens, buffer\. Bind it: soft_overlong\."
    ):
        check_rewards(unbound)


@pytest.mark.parametrize(
    ("funcs", "name"),
    [
        ([gr.boxed_answer, gr.boxed_answer], "boxed_answer"),
        ([gr.pattern.bind(regex="a"), gr.pattern.bind(regex="b")], "pattern"),
        ([gr.boxed_answer, gr.final_answer.bind(name="boxed_answer")], "boxed_answer"),
        ([plain, functools.partial(functools.partial(plain), b=1)], "plain"),
        ([gr.boxed_answer.bind(name="plain"), plain], "plain"),
        ([Callable_(), Callable_()], "Callable_"),
        ([POINTS, gr.boxed_answer], "boxed_answer"),  # a part logs under its own name
        ([POINTS, gr.boxed_answer.bind(name="points")], "points"),
    ],
)
def test_two_rewards_of_one_name_are_refused(funcs: list[Any], name: str) -> None:
    with pytest.raises(RewardError) as error:
        check_rewards(funcs)
    said = str(error.value)
    assert f"two rewards are called '{name}'; their metrics would overwrite one another." in said
    assert "bind(name=" in said


def test_the_same_reward_may_run_twice_under_two_names() -> None:
    check_rewards([gr.pattern.bind(regex="a"), gr.pattern.bind(regex="b", name="has_b")])


@pytest.mark.parametrize(
    ("funcs", "columns", "said"),
    [
        (
            [gr.boxed_answer],
            ["question", "solution"],
            "reward 'boxed_answer' reads column 'answer', which the dataset does not have. "
            'Columns: question, solution. Rename one with dataset.rename_column("solution", "answer").',
        ),
        ([POINTS], ["question"], "reward 'points' reads column 'answer', which the dataset does not have."),
        ([gr.boxed_format, gr.final_answer.bind(name="mine")], ["id"], "reward 'mine' reads column 'answer'"),
        ([gr.boxed_answer], ["id"], "Columns: id. Add it to the dataset: one 'answer' per row."),
        ([gr.boxed_answer], [], "Columns: none."),
        ([contract_rewards._registered_under_another_name], ["golds"], 'rename_column("golds", "gold")'),
    ],
)
def test_a_missing_column_is_named_with_those_there_are(funcs: list[Reward], columns: list[str], said: str) -> None:
    with pytest.raises(RewardError) as error:
        check_rewards(funcs, columns=columns)
    assert said in str(error.value)


def test_columns_that_are_optional_or_given_by_the_trainer_need_not_be_there() -> None:
    check_rewards([gr.boxed_format, gr.soft_overlong.bind(max_tokens=2, buffer=1)], columns=["prompt"])


@pytest.mark.parametrize("column", ["trainer_state", "log_extra", "log_metric", "environments"])
def test_a_column_that_trl_would_overwrite_is_refused(column: str) -> None:
    with pytest.raises(RewardError) as error:
        check_rewards([gr.boxed_format], columns=["prompt", column])
    assert f"the dataset has a column '{column}', and TRL overwrites it with its own." in str(error.value)
    assert f'dataset.remove_columns("{column}")' in str(error.value)


@pytest.mark.parametrize("column", ["prompts", "completions"])
def test_a_column_that_trl_passes_as_an_argument_is_refused(column: str) -> None:
    with pytest.raises(RewardError, match=f"column '{column}', and TRL passes an argument of that name"):
        check_rewards([plain], columns=["prompt", column])


@pytest.mark.parametrize("column", ["prompt", "completion", "completion_ids"])
def test_columns_that_trl_takes_out_of_the_way_do_no_harm(column: str) -> None:
    check_rewards([gr.boxed_format], columns=[column])


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([1.0], "1 reward_weights for 2 rewards (boxed_answer, plain). Give one weight per reward"),
        ([], "0 reward_weights for 2 rewards"),
        ([1.0, 2.0, 3.0], "3 reward_weights for 2 rewards"),
        ([1.0, float("nan")], "reward_weights must be finite numbers, not nan."),
        ([float("inf"), 1.0], "reward_weights must be finite numbers, not inf."),
        ([1.0, "0.5"], "reward_weights must be finite numbers, not '0.5'."),
        ([1.0, None], "reward_weights must be finite numbers, not None."),
        ([1.0, True], "reward_weights must be finite numbers, not True."),
    ],
)
def test_weights_that_do_not_fit_are_refused(weights: list[Any], said: str) -> None:
    with pytest.raises(RewardError) as error:
        check_rewards([gr.boxed_answer, plain], weights=weights)
    assert said in str(error.value)


def test_the_weights_of_a_sum_fit_its_parts() -> None:
    assert check_rewards(POINTS.funcs, weights=POINTS.weights, columns=["answer"]) == POINTS.funcs


# Gold answers.

ROWS = {"answer": ["4", "", None, r"\frac{1}{2}", "nan", 5, ["4"], r"\frac{1}{", True]}
UNREADABLE = [1, 2, 4, 6, 7, 8]  # nothing, nothing, nothing, a list, broken LaTeX, a truth value


def test_rows_whose_gold_cannot_be_read_are_found_by_their_index() -> None:
    assert check_answers([gr.boxed_answer], ROWS) == {"boxed_answer": UNREADABLE}


def test_rows_are_looked_at_for_every_reward_that_reads_a_gold_and_for_parts() -> None:
    funcs = [gr.final_answer, plain, gr.boxed_format, POINTS, gr.cosine_length.bind(max_tokens=9, name="cosine")]
    found = check_answers(funcs, ROWS)
    assert found == {"final_answer": UNREADABLE, "boxed_answer": UNREADABLE, "cosine": UNREADABLE}


@pytest.mark.parametrize("rows", [{"answer": ["4", 5]}, {"answer": []}])
def test_a_dataset_that_can_be_read_has_nothing_to_report(rows: dict[str, list[Any]]) -> None:
    assert check_answers([gr.boxed_answer, gr.boxed_format], rows) == {}


def test_rows_without_the_column_are_told_so() -> None:
    with pytest.raises(RewardError, match=r'rename_column\("solution", "answer"\)'):
        check_answers([gr.boxed_answer], {"solution": ["4"]})


def test_a_row_that_is_reported_is_one_that_a_call_does_not_score() -> None:
    size = len(ROWS["answer"])
    scored = gr.boxed_answer(completions=[r"\boxed{4}"] * size, **ROWS)
    assert [index for index, value in enumerate(scored) if value is None] == UNREADABLE
