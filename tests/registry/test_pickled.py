"""A reward travels by plain pickle: to a spawned child, to a daemon, to another interpreter."""

import json
import pickle
from collections.abc import Callable
from pathlib import Path

import contract_rewards
import pytest
from tables import each_row

import grpo_rewards as gr
from grpo_rewards import Reward, RewardError, reward

TRAVELLERS: dict[str, Reward] = {
    "as registered": gr.boxed_answer,
    "bound": gr.soft_overlong.bind(max_tokens=100, buffer=20),
    "partly bound": gr.cosine_length.bind(max_tokens=100),
    "bound and renamed": gr.pattern.bind(regex=r"\d", name="has_digit"),
    "range of the options": gr.repetition.bind(max_penalty=-0.5),
    "of a user": contract_rewards.sample_ends_with,
    "of a user, bound": contract_rewards.short,
    "registered under another name": contract_rewards._registered_under_another_name,
    "in a class": contract_rewards.Family.sample_in_class,
    "batch": contract_rewards.sample_distinct,
    "with a column of another name": gr.boxed_answer.bind(columns={"answer": "solution"}),
    "with a dependency": gr.get_reward("cosine_length(max_tokens=9, correct='numeric_answer(rel_tol=0.01)')"),
    "gate with a column": gr.gated("boxed_answer", by="think_format").bind(columns={"answer": "solution"}),
    "routes with columns": gr.routed({"a": "boxed_answer", "b": "exact_match"}, by="task").bind(
        columns={"task": "kind", "answer": "key"}
    ),
    "composite of a dependency": gr.get_reward(
        "gated(cosine_length(max_tokens=100, correct=gated(numeric_answer, by=boxed_format)), "
        "by=max_length(max_tokens=60))"
    ),
    "sum": gr.weighted({gr.boxed_format: 0.5, gr.boxed_answer: 1.0}),
    "sum of sums": gr.weighted(
        {contract_rewards.short: 2.0, gr.weighted({gr.boxed_format: 1.0}, name="inner"): -1.0}, name="outer"
    ),
}


@each_row("one", TRAVELLERS.values())
@each_row("protocol", [2, pickle.DEFAULT_PROTOCOL, pickle.HIGHEST_PROTOCOL])
def test_a_reward_comes_back_from_a_pickle_and_a_spec_as_it_was(one: Reward, protocol: int) -> None:
    back = pickle.loads(pickle.dumps(one, protocol=protocol))
    assert back == one == gr.get_reward(repr(one))
    assert hash(back) == hash(one) == hash(gr.get_reward(repr(one)))
    assert back.__name__ == one.__name__
    assert repr(back) == repr(one)
    assert (back.columns, back.reasons, back.range) == (one.columns, one.reasons, one.range)
    assert getattr(back, "options", None) == getattr(one, "options", None)


def test_what_is_pickled_is_a_reference_and_small() -> None:
    # a trainer sends its rewards to every worker; the code itself is imported there
    assert len(pickle.dumps(gr.cosine_length.bind(max_tokens=100))) < 1000


def local_reward() -> Reward:
    @reward
    def defined_inside(completion: str) -> float:
        return 1.0

    return defined_inside


@pytest.mark.parametrize(
    "wrap", [lambda one: one, lambda one: one.bind(name="bound"), lambda one: gr.weighted({one: 1})]
)
def test_a_reward_defined_inside_a_function_says_so_when_it_is_pickled(wrap: Callable[[Reward], Reward]) -> None:
    place = r"is defined inside a function \(local_reward.<locals>.defined_inside, .*test_pickled.py:\d+\)"
    with pytest.raises(RewardError, match=place + ".* Move it to the top level of a module."):
        pickle.dumps(wrap(local_reward()))
    with pytest.raises(RewardError, match=r"reward 'nameless'.*cannot be pickled"):
        pickle.dumps(reward(name="nameless")(lambda completion: 1.0))


# The script of a user: rewards of its own, of a module beside it and of the package, sent to a spawned child.
SCRIPT = r'''
"""Sends rewards to spawned children, scores there in the main thread and in others, and prints what came out."""
import json
import multiprocessing
import pickle
from concurrent.futures import ThreadPoolExecutor

import contract_rewards
import grpo_rewards as gr


@gr.reward(reasons=("long", "short"))
def of_the_script(completion: str, *, least: int = 3) -> gr.Verdict:
    return gr.Verdict(1.0, "long") if len(completion) >= least else gr.Verdict(0.0, "short")


def make_rewards():
    return [
        of_the_script,
        of_the_script.bind(least=9, name="very_long"),
        contract_rewards.sample_distinct,
        gr.weighted({of_the_script: 0.5, gr.boxed_answer.bind(name="right"): 1.0}, name="points"),
        gr.gated(
            "weighted({boxed_answer: 1.0, scheduled(boxed_format, start=0, end=0.5, over=9): 1.0})", by="boxed_format"
        ),
        gr.routed({"4": "scaled(boxed_answer, by=2)"}, by="answer", default=of_the_script),
    ]


CALL = {"prompts": ["?"] * 3, "completions": [r"so \boxed{4}", "no", "no"], "completion_ids": [[1]] * 3,
        "answer": ["4", "4", None]}


def score(one):
    return [one.__name__, one(**CALL)]


def work(pickled, results):
    rewards = pickle.loads(pickled)  # plain pickle, as a trainer sends them
    with ThreadPoolExecutor(4) as threads:
        in_threads = list(threads.map(score, rewards * 4))
    results.put([[score(one) for one in rewards], in_threads, multiprocessing.current_process().daemon])


if __name__ == "__main__":
    spawn = multiprocessing.get_context("spawn")
    children = []
    for daemon in (True, False):
        results = spawn.Queue()
        child = spawn.Process(target=work, args=(pickle.dumps(make_rewards()), results), daemon=daemon)
        child.start()
        children.append((child, results))
    print(json.dumps([score(one) for one in make_rewards()]))
    for child, results in children:
        print(json.dumps(results.get(timeout=300)))
        child.join()
'''

# By hand, for CALL: a right answer, a word without a box, and the same word in a row without a gold.
SCORED = [
    ["of_the_script", [1.0, 0.0, 0.0]],  # 11, 2 and 2 characters, at least 3
    ["very_long", [1.0, 0.0, 0.0]],  # at least 9
    ["sample_distinct", [1.0, 0.0, 0.0]],  # "no" is there twice
    ["points", [1.5, 0.0, 0.0]],  # 0.5 · 1 + 1.0 · 1; in the last row the answer is None and left out
    ["gated_weighted", [1.5, 0.0, 0.0]],  # 1.0 + 0.5 at the end of the schedule, behind a box
    ["routed", [2.0, 0.0, 0.0]],
]


@pytest.mark.parametrize("how", [["script.py"], ["-m", "script"]], ids=["script", "module"])
def test_rewards_of_a_running_script_work_in_a_spawned_child_and_its_threads(
    how: list[str], run_python: Callable[..., str], tmp_path: Path
) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    here, *there = run_python(*how, path=(tmp_path,)).splitlines()
    assert json.loads(here) == SCORED
    for line, is_daemon in zip(there, (True, False), strict=True):
        in_child, in_threads, daemon = json.loads(line)
        assert in_child == SCORED
        assert in_threads == SCORED * 4
        assert daemon == is_daemon
