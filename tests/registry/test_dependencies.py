"""A reward that depends on another one reads, logs and can be bound to what both can, wherever rewards are used."""

import asyncio
import pickle
from typing import Any

import pytest
from contract_cases import chat
from tables import each_row, refused, tables_beside
from trainer_log import Log

import grpo_rewards as gr
from grpo_rewards import DependencyVerdict, RewardError, Verdict, check_answers, check_rewards, get_reward, reward

TABLES = tables_beside(__file__)

LONG = gr.cosine_length.bind(max_tokens=100)
NUMERIC = LONG.bind(correct=gr.numeric_answer.bind(rel_tol=0.01))
IDS = [range(50)] * 2
ASKED: list[str] = []


@reward(reasons=("liked", "disliked"))
async def slow_taste(completion: str, wanted: str) -> Verdict:
    ASKED.append(completion)
    await asyncio.sleep(0)
    return Verdict(1.0, "liked") if completion == wanted else Verdict(0.0, "disliked")


@reward(dependencies={"judged": "slow_taste"}, reasons=("unsure",), range=(0.0, 0.5))
def half_as_much(completion: str, judged: DependencyVerdict) -> float | Verdict:
    return judged.verdict._replace(reward=0.5 * float(bool(judged.is_best)))


@reward(dependencies={"judged": "slow_taste"})
async def waits_itself(completion: str, judged: DependencyVerdict, *, points: float = 2.0) -> Verdict:
    return Verdict(points * float(bool(judged.is_best)), judged.verdict.reason)


def test_what_is_right_is_up_to_the_reward_that_is_called() -> None:
    texts, answer = ["about 3.14", r"\boxed{3.1416}"], ["3.1416", "3.1416"]
    given = {"completions": texts, "completion_ids": IDS, "answer": answer}
    # halfway between right at 0 and at max_tokens, 1.0 and 0.5; wrong with 3 telling tokens of a hundred for either
    assert NUMERIC(**given) == [0.75, 0.75]
    assert LONG(**given)[0] < 0 < LONG(**given)[1]
    assert LONG.bind(correct="numeric_answer")(**given) == NUMERIC(**given)
    for spec in ("numeric_answer(rel_tol=0.01)", "'numeric_answer(rel_tol=0.01)'"):
        assert get_reward(f"cosine_length(max_tokens=100, correct={spec})") == NUMERIC != LONG


def test_the_default_is_called_by_whoever_binds_nothing() -> None:
    assert gr.cosine_length.options["correct"] == gr.boxed_answer
    assert LONG == LONG.bind(correct="boxed_answer") == LONG.bind(correct=gr.boxed_answer)
    assert LONG.reasons == ("tokens_unknown", *gr.boxed_answer.reasons)
    assert gr.relative_length.reasons == ("group_unknown", "tokens_unknown", *gr.boxed_answer.reasons)


def test_composites_can_be_called_and_ask() -> None:
    one = gr.gated(LONG.bind(correct="gated(numeric_answer, by=boxed_format)"), by=gr.max_length.bind(max_tokens=60))
    assert one.columns == ("answer",)
    given = {"completion_ids": range(50), "answer": "4"}
    assert one.score(r"\boxed{4}", **given) == 0.75
    assert one.score("4", **given) < 0  # right, but the dependency is stopped by its gate
    assert gr.scheduled(LONG, start=0.0, end=1.0, steps=10).score(r"\boxed{4}", **given) == 0.75


def test_columns_go_to_the_reward_that_is_called_and_a_new_one_is_taken_as_it_is() -> None:
    own = gr.numeric_answer.bind(think_opened=False, columns={"answer": "gold"})
    one = LONG.bind(columns={"answer": "solution"}, correct="numeric_answer")
    assert one == LONG.bind(correct="numeric_answer").bind(columns={"answer": "solution"})
    assert one == get_reward(repr(one)) == pickle.loads(pickle.dumps(one))
    assert one.columns == ("solution",)
    assert one.bind(correct=own).options["correct"] == own
    with pytest.raises(RewardError, match="reads no column 'answer'"):
        LONG.bind(correct=slow_taste, columns={"answer": "solution"})
    assert LONG.bind(correct=slow_taste, columns={"wanted": "gold"}).columns == ("gold",)


SUM = gr.weighted(boxed_answer=1.0, boxed_format=0.5)
SUMS = [
    SUM,
    gr.scaled(SUM, by=2, offset=1),
    gr.clipped(SUM, low=0, high=1.5),
    gr.gated(SUM, by=gr.boxed_format),
    gr.routed({"a": SUM, "b": gr.exact_match}, by="kind"),
    gr.weighted(boxed_answer=1.0, boxed_format=0.5, renormalise=True),
    gr.weighted({SUM: 1.0}, name="sum of sums"),
]


@each_row("asked", SUMS)
def test_of_a_sum_that_is_right_which_is_right_in_every_part(asked: gr.Reward) -> None:
    one = LONG.bind(correct=asked)
    texts = [r"\boxed{4}", r"\boxed{5}", "4", r"\boxed{4}", "4"]
    answer = ["4", "4", "4", "", None]
    log = Log()
    given = {"completions": texts, "completion_ids": [range(50)] * 5, "answer": answer, "kind": ["a"] * 5}
    verdicts = one.explain_all(**given)
    # half of the way from 1.0 to 0.5; a row without a gold is no fault of the model
    assert [None if found.reward is None else found.reward > 0 for found in verdicts][:4] == [True, False, False, None]
    assert verdicts[4].reward is None or asked.name.startswith("gated")
    assert {found.reason for found in verdicts} <= {*one.reasons}
    assert one(**given, **log.loggers) == [found.reward for found in verdicts]
    shares = {name: share for name, share in log.metrics if name.removeprefix("cosine_length/") in one.reasons}
    assert sum(shares.values()) == pytest.approx(sum(share for name, share in log.metrics if name in shares))
    assert sum(shares.values()) == 1.0


@pytest.mark.parametrize(
    "asked",
    [
        gr.gated(gr.exact_match, by=gr.boxed_format),
        gr.routed({"a": gr.exact_match, "b": gr.boxed_answer}, by="kind"),
        gr.clipped(gr.gated(gr.exact_match, by=gr.boxed_format), low=0.0, high=1.0),
    ],
    ids=str,
)
def test_what_it_asks_declares_the_reasons_of_its_parts(asked: gr.Reward, recwarn: pytest.WarningsRecorder) -> None:
    one, log = LONG.bind(correct=asked), Log()
    assert set(gr.exact_match.reasons) < {*one.reasons}
    given = {"completions": ["4", r"\boxed{4}"], "completion_ids": IDS, "answer": ["4", "4"], "kind": ["a", "a"]}
    one(**given, **log.loggers)
    assert not recwarn.list
    assert sum(share for name, share in log.metrics if name.removeprefix("cosine_length/") in one.reasons) == 1.0


def test_its_columns_are_its_own_and_those_of_what_it_asks() -> None:
    one = gr.relative_length.bind(correct=slow_taste)
    assert (one.columns, half_as_much.columns) == (("wanted",), ("wanted",))
    with pytest.raises(RewardError, match=r"reward 'half_as_much' reads column 'wanted', which the dataset does not"):
        half_as_much.score("a")
    (error,) = check_rewards([half_as_much], columns=["prompt", "wantd"]).errors
    assert "reads column 'wanted'" in error.message
    bound = half_as_much.bind(columns={"wanted": "gold"})
    assert bound.columns == ("gold",)
    assert bound.score("a", gold="a") == 0.5
    assert get_reward(repr(bound)) == bound == pickle.loads(pickle.dumps(bound))
    assert get_reward("half_as_much(columns={'wanted': 'gold'})") == bound
    weighted = gr.weighted({half_as_much: 1.0}).bind(columns={"wanted": "gold"})
    assert weighted.score("a", gold="a") == 0.5
    with pytest.raises(RewardError, match="reads no column 'wnted'"):
        half_as_much.bind(columns={"wnted": "gold"})


def test_golds_are_checked_as_the_reward_that_is_called_reads_them() -> None:
    rows = {"answer": ["4", "four apples and more", ""]}
    assert check_answers([LONG], rows) == {"cosine_length": [2]}
    assert check_answers([NUMERIC], rows) == {"cosine_length": [1, 2]}
    assert check_answers([gr.relative_length.bind(num_generations=2)], rows) == {"relative_length": [2]}


def test_what_a_template_opens_is_advised_to_the_one_that_is_called() -> None:
    class Tokenizer:
        chat_template = "{{ '<think>' }}"

        def apply_chat_template(self, *_: Any, **__: Any) -> str:
            return "<think>\n"

    rows = [{"prompt": [{"role": "user", "content": "2 + 2?"}], "answer": "4"}]
    told, weighted = check_rewards([LONG, gr.weighted({NUMERIC: 1.0})], rows, tokenizer=Tokenizer()).rewards
    assert told.options["correct"].options["think_opened"] is True
    (inner,) = weighted.parts
    assert inner.options["correct"].options["think_opened"] is True
    assert told == LONG.bind(correct="boxed_answer(think_opened=True)")
    # reasoning that is not finished is no answer
    assert told.explain(r"so \boxed{4}", completion_ids=range(9), answer="4").reason == "unfinished_thinking"


def test_it_logs_what_it_called_as_its_own_and_the_other_one_logs_nothing() -> None:
    log = Log()
    half_as_much(completions=["a", "b"], wanted=["a", "a"], **log.loggers)
    assert log.metrics == [
        ("half_as_much/unsure", 0.0),
        ("half_as_much/liked", 0.5),
        ("half_as_much/disliked", 0.5),
        ("half_as_much/failed", 0.0),
        ("half_as_much/timeout", 0.0),
    ]
    assert ("half_as_much/reason", ["liked", "disliked"]) in log.columns
    assert {name.partition("/")[0] for name, _ in (*log.metrics, *log.columns)} == {"half_as_much"}


@pytest.mark.parametrize("asker_first", [True, False])
def test_in_one_call_a_reward_decides_once_and_logs_under_its_own_name(asker_first: bool) -> None:
    parts = [half_as_much, slow_taste] if asker_first else [slow_taste, half_as_much]
    points, log = gr.weighted(dict.fromkeys(parts, 1.0)), Log()
    ASKED.clear()
    assert points(completions=["a", "b"], wanted=["a", "a"], **log.loggers) == [1.5, 0.0]
    assert sorted(ASKED) == ["a", "b"]
    names = [name for name, _ in (*log.metrics, *log.columns)]
    assert {"slow_taste/liked", "half_as_much/liked", "slow_taste/reason", "half_as_much/reason"} <= set(names)
    assert len(names) == len(set(names))


def test_of_a_kind_that_waits_either_may_ask_the_other() -> None:
    assert asyncio.run(waits_itself(completions=["a", "b"], wanted=["a", "a"])) == [2.0, 0.0]
    assert waits_itself.bind(points=3.0).score("a", wanted="a") == 3.0
    assert waits_itself.bind(judged="boxed_format").score(r"\boxed{1}") == 2.0
    assert gr.cosine_length.bind(max_tokens=9, correct=waits_itself).score("a", completion_ids=[], wanted="a") == 1.0

    async def in_a_loop() -> Any:
        return await asyncio.gather(*(waits_itself(completions=[one], wanted=["a"]) for one in "abc"))

    assert asyncio.run(in_a_loop()) == [[2.0], [0.0], [0.0]]


@each_row("asked, completion, best", TABLES["right_is_what_earns_the_most_that_there_is"])
def test_right_is_what_earns_the_most_that_there_is(asked: str, completion: str, best: bool | None) -> None:
    found: list[DependencyVerdict] = []

    @reward(dependencies={"judged": asked})
    def notes(completion: str, judged: DependencyVerdict) -> float:
        found.append(judged)
        return 0.0

    notes.score(chat(completion), answer="4", wanted="4", none="")
    assert [one.is_best for one in found] == [best]


@each_row(
    "wrong, said",
    [
        (
            lambda: LONG.bind(correct=len),
            "option 'correct' of reward 'cosine_length' must be a reward or the spec of one",
        ),
        (lambda: LONG.bind(correct="max_length").score("", completion_ids=[]), "reward 'max_length' needs max_tokens"),
        (lambda: LONG.score("4", completion_ids=[], answer="4", correct="x"), "'correct' is an option of reward"),
        (
            lambda: reward(dependencies={"judged": "boxed_answer"})(lambda completion: 0.0),
            "so it must read 'judged' before the",
        ),
        (
            lambda: reward(dependencies={"name": "boxed_answer"})(lambda completion, name: 0.0),
            "has an option called 'name'",
        ),
    ],
)
def test_what_is_called_wrongly_is_reported(wrong: Any, said: str) -> None:
    with refused(said):
        wrong()


def test_the_former_names_go_on_working() -> None:
    @reward(asks={"judged": "boxed_answer"})
    def written_before(completion: str, judged: gr.Asked) -> Verdict:
        return judged.verdict

    assert gr.Asked is gr.registry.Asked is DependencyVerdict
    assert written_before.asked == written_before.dependencies == {"judged": gr.boxed_answer}
    assert written_before.score("\\boxed{4}", answer="4") == 1.0
