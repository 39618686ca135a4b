"""What holds for every reward: how trainers call it, what it returns, and what a model cannot do to it."""

from __future__ import annotations

import asyncio
import functools
import gzip
import inspect
import json
import math
import pickle
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import contract_rewards
import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import grpo_rewards as gr
from grpo_rewards import Reward, RewardError, get_reward, list_rewards

# A text that each reward should like and one that it should not, with the points by the reward's own documentation.
RIGHT = "<think>2 + 2</think><answer>\\boxed{4}</answer>"
WRONG = "again again again again again again \\boxed{5"
IDS = [list(range(50)), [7] * 100]


@dataclass
class Case:
    """A reward with its options bound, and what it must give for ``RIGHT`` and ``WRONG``."""

    spec: str
    points: list[float | None]
    columns: dict[str, Any] = field(default_factory=dict)


GOLD = {"answer": ["4", "4"]}
CASES = {
    "arithmetic_steps": Case("arithmetic_steps", [None, None]),  # neither text has an equation
    "code_block_format": Case("code_block_format", [0.0, 0.0]),
    "exact_match": Case("exact_match", [1.0, 0.0], GOLD),
    "json_format": Case("json_format", [0.0, 0.0]),
    "keywords": Case("keywords(include=['2 + 2', 'hence'])", [0.5, 0.0]),
    "language_consistency": Case("language_consistency(script='Latin')", [0.0, 1.0]),  # formulas and tags are no words
    "max_length": Case("max_length(max_tokens=60)", [1.0, 0.0]),
    "multiple_choice": Case("multiple_choice", [1.0, 0.0], {"answer": ["B", "B"], "choices": [["3", "4"], ["3", "4"]]}),
    "numeric_answer": Case("numeric_answer(abs_tol=0.5)", [1.0, 0.0], {"answer": ["4.2", "5.6"]}),
    "reasoning_steps": Case("reasoning_steps", [0.0, 0.0]),
    # 50 tokens against 100, right and wrong: 0.5 - 0 and min(0, 0.5 - 1)
    "relative_length": Case("relative_length", [0.5, -0.5], GOLD),
    "tag_count": Case("tag_count", [1.0, 0.0]),
    "tagged_answer": Case("tagged_answer", [1.0, 0.0], GOLD),
    # 10 of 20 tokens off; a hundred times one token is one that says something new, and 97 that do not
    "target_length": Case("target_length(target=60, tolerance=20)", [0.5, 0.0]),
    # no word is in both; "\\boxed{4}" is the word 4
    "token_f1": Case("token_f1", [1.0, 0.0], GOLD),
    "xml_format": Case("xml_format(tags=['think', 'answer'])", [1.0, 0.0]),
    "boxed_answer": Case("boxed_answer", [1.0, 0.0], GOLD),
    "boxed_format": Case("boxed_format", [1.0, 0.0]),
    # 50 of 100 tokens: halfway between 1.0 and 0.5; a wrong answer of one token again and again is as good as empty
    "cosine_length": Case("cosine_length(max_tokens=100)", [0.75, -1.0], GOLD),
    "final_answer": Case("final_answer", [1.0, 0.0], GOLD),
    "pattern": Case(r"pattern(regex=r'\\boxed\{\d\}')", [1.0, 0.0]),
    # 98 trigrams of which one is distinct: -(1 - 1/98)
    "repetition": Case("repetition", [0.0, -(1 - 1 / 98)]),
    # 50 tokens are 10 into a buffer of 20 before 60
    "soft_overlong": Case("soft_overlong(max_tokens=60, buffer=20)", [-0.5, -1.0]),
    "think_answer_format": Case("think_answer_format", [1.0, 0.0]),
    "think_format": Case("think_format", [1.0, 0.0]),
    "sample_ends_with": Case("sample_ends_with(ending='>')", [1.0, 0.0]),
    "sample_renamed": Case("sample_renamed", [1.0, -1.0], {"gold": [RIGHT, "4"]}),
    "sample_distinct": Case("sample_distinct", [1.0, 1.0]),
    "sample_value": Case("sample_value", [0.25, None], {"value": [0.25, None]}),
}
SUM = gr.weighted({gr.boxed_format: 0.5, gr.boxed_answer: 1.0})


def of_the_package(name: str) -> bool:
    return str(get_reward(name).__module__).startswith("grpo_rewards.")


# A reward that is added to the catalogue comes in here by itself, and fails for want of a case.
LISTED = [name for name in list_rewards() if of_the_package(name)]
NAMES = [*LISTED, *(name for name in CASES if name not in LISTED)]
every_reward = pytest.mark.parametrize("name", NAMES)


def case_of(name: str) -> tuple[Reward, Case]:
    assert name in CASES, f"give '{name}' a case in this file"
    return get_reward(CASES[name].spec), CASES[name]


def call(name: str, completions: list[Any] | None = None, **more: Any) -> list[float | None]:
    one, case = case_of(name)
    given_completions = [RIGHT, WRONG] if completions is None else completions
    return one(**{"completions": given_completions, "completion_ids": IDS, **case.columns, **more})


def chat(text: str) -> list[dict[str, Any]]:
    return [{"role": "assistant", "content": text}]


@every_reward
def test_a_reward_gives_the_points_that_it_documents(name: str) -> None:
    assert call(name) == pytest.approx(CASES[name].points, nan_ok=False)


# Every form of a completion.

FORMS: dict[str, Callable[[str], Any]] = {
    "messages": chat,
    "content blocks": lambda text: [{"role": "assistant", "content": [{"type": "text", "text": text}]}],
    "tool transcript": lambda text: [
        {"role": "assistant", "content": None, "tool_calls": [{"type": "function"}]},
        {"role": "tool", "name": "calculator", "content": "\\boxed{4}"},
        {"role": "assistant", "content": text},
    ],
}


@every_reward
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_every_form_of_a_completion_earns_what_its_text_does(name: str, form: Callable[[str], Any]) -> None:
    assert call(name, [form(RIGHT), form(WRONG)]) == call(name)


@every_reward
def test_one_call_may_mix_the_forms(name: str) -> None:
    assert call(name, [RIGHT, chat(WRONG)]) == call(name, [chat(RIGHT), WRONG]) == call(name)


EMPTY = [
    None,
    [],
    [{"role": "assistant", "content": None}],
    [{"role": "assistant"}],
    [{"role": "tool", "content": "4"}],
]


@every_reward
@pytest.mark.parametrize("nothing", EMPTY, ids=repr)
def test_a_completion_without_a_text_is_the_empty_one(name: str, nothing: Any) -> None:
    # a text beside it, for some rewards compare the completions of a call
    assert call(name, [nothing, RIGHT]) == call(name, ["", RIGHT])


# How trainers call.


class TrainerState:
    """Stands for transformers' TrainerState."""

    global_step, max_steps, epoch = 3, 100, 0.5


def ignore(*_: Any) -> None:
    """Stands for the trainer's loggers."""


PROMPTS = [[{"role": "user", "content": "What is 2 + 2?"}]] * 2
EXTRA = {"question": ["?", "?"], "level": [1, 2], "source": [{"of": "a"}, None]}
RLOO = {
    "prompts": PROMPTS,
    "trainer_state": TrainerState(),
    "log_extra": ignore,
    "log_metric": ignore,
    **EXTRA,
}
TRAINERS: dict[str, dict[str, Any]] = {
    "GRPO": RLOO,
    "GRPO with environments": {**RLOO, "environments": [object(), object()]},
    "asynchronous GRPO": {"prompts": PROMPTS, **EXTRA},
    "plain prompts": {**RLOO, "prompts": ["What is 2 + 2?"] * 2},
}


@every_reward
@pytest.mark.parametrize("given", TRAINERS.values(), ids=TRAINERS.keys())
def test_a_reward_takes_what_each_trainer_passes_and_ignores_what_it_does_not_read(
    name: str, given: dict[str, Any]
) -> None:
    assert call(name, [chat(RIGHT), chat(WRONG)], **given) == call(name)


@every_reward
def test_a_trainer_sees_one_callable_with_a_name(name: str) -> None:
    one, _ = case_of(name)
    # a str would be a model's id, a coroutine function would be awaited, a list would be several rewards
    assert callable(one)
    assert not isinstance(one, str | list)
    assert not inspect.iscoroutinefunction(one)
    assert not inspect.iscoroutinefunction(one.__call__)
    assert one.__name__ == name
    assert functools.partial(one, prompts=PROMPTS).func.__name__ == name


@every_reward
@pytest.mark.parametrize("size", [0, 1, 2, 7])
def test_a_reward_gives_one_float_or_none_per_completion(name: str, size: int) -> None:
    columns = {column: (values * 4)[:size] for column, values in CASES[name].columns.items()}
    values = call(name, ([RIGHT, WRONG] * 4)[:size], completion_ids=(IDS * 4)[:size], **columns)
    assert type(values) is list
    assert len(values) == size
    assert all(value is None or type(value) is float for value in values)


@every_reward
def test_a_reward_states_its_range_and_reasons_unless_a_user_left_them_out(name: str) -> None:
    one, _ = case_of(name)
    if name in LISTED:
        low, high = one.range
        assert low < high
        assert one.reasons
        assert len(set(one.reasons)) == len(one.reasons)
        # each is documented where a user looks for it, there or in the reward that it refers to
        documented = f"{one.__doc__}{gr.boxed_answer.__doc__}{gr.think_format.__doc__}"
        assert [reason for reason in one.reasons if f"``{reason}``" not in documented] == []


@every_reward
def test_a_reward_does_not_change_what_it_is_given(name: str) -> None:
    given_now = {"completions": [chat(RIGHT), chat(WRONG)], "completion_ids": IDS, **RLOO, **CASES[name].columns}
    before = repr(given_now)
    case_of(name)[0](**given_now)
    assert repr(given_now) == before


@every_reward
def test_a_reward_is_found_again_by_its_own_repr(name: str) -> None:
    one, _ = case_of(name)
    assert get_reward(repr(one)) == one


# Threads and processes.


@every_reward
def test_threads_at_once_get_what_one_gets(name: str) -> None:
    one, case = case_of(name)
    calls = [
        {"completions": [first, second], "completion_ids": IDS, **case.columns}
        for first, second in [(RIGHT, WRONG), (WRONG, RIGHT), ("", RIGHT), (RIGHT, RIGHT)] * 8
    ]
    alone = [one(**given_now) for given_now in calls]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lambda given_now: one(**given_now), calls)) == alone

    async def gathered() -> list[Any]:  # as an asynchronous trainer does
        return await asyncio.gather(*(asyncio.to_thread(one, **given_now) for given_now in calls))

    assert asyncio.run(gathered()) == alone


SPAWNER = """
import json, multiprocessing, pickle, sys

def work(pickled, results):
    results.put([one(**given) for one, given in pickle.loads(pickled)])

if __name__ == "__main__":
    spawn = multiprocessing.get_context("spawn")
    results = spawn.Queue()
    child = spawn.Process(target=work, args=(open("pickled", "rb").read(), results), daemon=True)
    child.start()
    print(json.dumps(results.get(timeout=60)))
    child.join()
"""


def test_every_reward_survives_the_way_into_a_spawned_daemon(run_python: Callable[..., str], tmp_path: Path) -> None:
    calls = []
    for name in NAMES:
        one, case = case_of(name)
        calls.append((one, {"completions": [RIGHT, WRONG], "completion_ids": IDS, **case.columns}))
    calls.append((SUM, {"completions": [RIGHT, WRONG], **GOLD}))
    (tmp_path / "pickled").write_bytes(pickle.dumps(calls))
    (tmp_path / "spawner.py").write_text(SPAWNER)
    there = json.loads(run_python("spawner.py"))
    assert there == [one(**given_now) for one, given_now in calls]


# What a model may write.


def check_outcome(one: Reward, completion: Any, **given_now: Any) -> gr.Verdict:
    """Scores a completion, and fails unless the reward keeps to what it states."""
    verdict = one.explain(completion, **given_now)
    value = verdict.reward
    assert value is None or (isinstance(value, int | float) and math.isfinite(value))
    if value is not None and one.range is not None:
        assert one.range[0] <= value <= one.range[1]
    if one.reasons:
        assert verdict.reason in one.reasons
    assert (value is None) <= (verdict.reason in ("bad_answer", "no_gold", "no_equations", ""))
    return verdict


WRITTEN = r"""
<think> </think> <answer> </answer> \boxed \boxed{ \fbox{ { } \{ \} ( ) [ ] | $ $$ \( \) \frac \frac{ \sqrt \text{ \left
\begin{pmatrix} \end{pmatrix} \\ & ^ _ ^{ ! !!!! + - * / = < > , ; : . ... % \% #### <|im_end|> </s> answer is A: or and
0 1 4 9 99999 1e9 1e-9 0x1F 1,000 3/4 0/0 nan inf None x y pi e \pi \infty \cup \in \pm \le \ldots ٧ ½ ² ５ ∞ ∅ √ cm
\circ dollars
"""
PIECES = [*WRITTEN.split(), " ", "\n", "\t", "\x00", "\u200b", "\u3164", "\ud800"]
ANYTHING = st.text(max_size=60) | st.text(st.characters(categories=["Cs", "Cc", "Cf", "Mn", "Nd", "No"]), max_size=30)
HOSTILE = (
    st.lists(st.sampled_from(PIECES) | ANYTHING, max_size=25).map("".join)
    | st.builds("\\boxed{{{}}}".format, st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
    | st.builds(lambda piece, times: piece * times, st.sampled_from(PIECES), st.integers(1, 2000))
    | ANYTHING
)


@pytest.mark.parametrize("name", LISTED)
@settings(max_examples=200, deadline=None)
@given(text=HOSTILE, prompt=HOSTILE, gold=st.sampled_from(["4", r"\frac{1}{2}", "x+1", r"(1,2]", r"\{1,2\}"]) | HOSTILE)
def test_no_text_raises_or_leaves_the_range(name: str, text: str, prompt: str, gold: str) -> None:
    one, case = case_of(name)
    columns = {"answer": gold} if case.columns else {}
    ids = list(text.encode("utf-8", "replace"))
    verdict = check_outcome(one, text, prompt=prompt, completion_ids=ids, **columns)
    assert check_outcome(one, chat(text), prompt=prompt, completion_ids=ids, **columns) == verdict


GOLDS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10) | st.binary(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=4,
)


@pytest.mark.parametrize("name", [name for name in LISTED if CASES.get(name, Case("", [])).columns])
@pytest.mark.parametrize("text", [r"\boxed{4}", "", "<think>"])
@settings(max_examples=40, deadline=None)
@given(gold=GOLDS)
def test_no_gold_raises(name: str, text: str, gold: Any) -> None:
    check_outcome(case_of(name)[0], text, completion_ids=[1], answer=gold)


# What takes an argument may take itself, over and over; a reader that recurses for each runs out of stack.
TAKES_ITSELF = [
    r"\sqrt",
    "\\surd ",
    "√",
    r"\text",
    r"\mathrm",
    r"\operatorname",
    r"\frac",
    "^",
    "_",
    "(",
    "-",
    "!",
    "x^",
]


@pytest.mark.parametrize("piece", TAKES_ITSELF)
@pytest.mark.parametrize("times", [400, 3000])
def test_a_construct_in_itself_over_and_over_does_not_raise(piece: str, times: int) -> None:
    for text in (piece * times, piece * times + "4"):
        assert gr.boxed_answer.score(f"\\boxed{{{text}}}", answer="4") == 0.0
        assert gr.boxed_answer.score(r"\boxed{4}", answer=text) in (0.0, None)


@pytest.mark.parametrize("gold", [10**400, -(10**5000)], ids=["400 digits", "5000 digits"])
def test_a_gold_of_many_digits_is_no_exception(gold: int) -> None:
    assert gr.boxed_answer.score(r"\boxed{4}", answer=gold) in (0.0, None)


# The collected attacks.

ATTACKS = Path(__file__).resolve().parents[2] / "shared" / "data" / "attacks" / "attacks.jsonl.gz"


def attacks(wanted: Callable[[dict[str, Any]], bool]) -> list[Any]:
    """The attacks that are ``wanted``, one parameter each; a skipped one where the file is not there."""
    if not ATTACKS.exists():
        return [pytest.param(None, marks=pytest.mark.skip(reason=f"the attacks are not there ({ATTACKS.name})"))]
    with gzip.open(ATTACKS, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [pytest.param(row, id=f"{row['id']} {row['sub']}") for row in rows if wanted(row)]


def completion_of(row: dict[str, Any]) -> Any:
    return row["completion_obj"] if "completion_obj" in row else row["completion"]


@pytest.mark.parametrize("row", attacks(lambda row: row["target"] == "accuracy"))
def test_an_attack_on_correctness_gets_what_it_deserves(
    row: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    memory = psutil.Process().memory_info().rss
    start = time.process_time()
    verdict = check_outcome(gr.boxed_answer, completion_of(row), answer=row["gold"])
    assert time.process_time() - start < row["expect"]["max_s"]
    assert psutil.Process().memory_info().rss - memory < 200 * 2**20
    assert not list(tmp_path.iterdir())  # nothing that the text says was done
    wanted = row["expect"].get("verdict")
    assert wanted is None or verdict.reward == wanted, row["why"]


@pytest.mark.parametrize("row", attacks(lambda row: row["target"] == "accuracy"))
def test_an_attack_is_judged_alike_in_a_thread(row: dict[str, Any]) -> None:
    with ThreadPoolExecutor(1) as pool:
        there = pool.submit(gr.boxed_answer.explain, completion_of(row), answer=row["gold"]).result(timeout=10)
    assert there == gr.boxed_answer.explain(completion_of(row), answer=row["gold"])


@pytest.mark.parametrize("row", attacks(lambda row: row["class"] == "E"))
def test_an_attack_on_the_format_gets_what_it_deserves(row: dict[str, Any]) -> None:
    prompt = row.get("prompt_prefix")
    for one, wanted in (
        (gr.think_answer_format, row["expect"].get("verdict")),
        (gr.think_format, row["expect"].get("think_only")),
    ):
        verdict = check_outcome(one, row["completion"], prompt=prompt)
        assert wanted is None or verdict.reward == wanted, f"{one.__name__}: {verdict}"
        # the same where the chat template is known instead of looked for
        assert one.bind(think_opened=prompt is not None).explain(row["completion"]) == verdict


@pytest.mark.parametrize("row", attacks(lambda row: row["class"] in "CEF"))
def test_every_reward_stands_malformed_input_in_a_thread_as_well(row: dict[str, Any]) -> None:
    def scored() -> list[gr.Verdict]:
        found = []
        for name in LISTED:
            one, case = case_of(name)
            columns = {"answer": row["gold"]} if case.columns else {}
            given = {"prompt": row.get("prompt_prefix"), "completion_ids": [1, 2, 3]}
            start = time.process_time()
            found.append(check_outcome(one, completion_of(row), **given, **columns))
            assert time.process_time() - start < row["expect"]["max_s"], name
        return found

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(scored).result(timeout=30) == scored()


LENGTHS = [
    gr.soft_overlong.bind(max_tokens=2000, buffer=1000),
    gr.cosine_length.bind(max_tokens=2000),
    gr.relative_length,
    gr.target_length.bind(target=1000, tolerance=1000),
    gr.max_length.bind(max_tokens=1000),
]


@pytest.mark.parametrize("row", attacks(lambda row: row["class"] == "F" and row["target"] == "length"))
@pytest.mark.parametrize("one", LENGTHS, ids=lambda one: one.__name__)
def test_padding_pays_nothing(row: dict[str, Any], one: Reward) -> None:
    def points(text: str) -> float:
        # a token for every four characters, equal where these are
        ids = [hash(text[at : at + 4]) for at in range(0, len(text), 4)]
        value = one.score(text, completion_ids=ids, answer=row["gold"])
        assert value is not None
        return value

    assert points(row["completion"]) <= points(row["base_completion"]) + row["expect"]["eps"]


@pytest.mark.parametrize("row", attacks(lambda row: row["class"] == "F" and row["target"] == "repetition"))
def test_repetition_is_within_what_an_attack_expects(row: dict[str, Any]) -> None:
    low, high = row["expect"]["range"]
    assert low <= gr.repetition.score(row["completion"]) <= high


# Sums of rewards, which are rewards too; what they sum to is tested with them.


@pytest.mark.parametrize("form", [str, *FORMS.values()], ids=["text", *FORMS])
def test_a_sum_reads_every_form_of_a_completion(form: Callable[[str], Any]) -> None:
    # 0.5 · 1 + 1.0 · 1, a box with a wrong answer, no box
    assert SUM(completions=[form(r"\boxed{4}"), form(r"\boxed{5}"), form("4")], answer=["4"] * 3) == [1.5, 0.5, 0.0]


@pytest.mark.parametrize("given", TRAINERS.values(), ids=TRAINERS.keys())
def test_a_sum_takes_what_each_trainer_passes(given: dict[str, Any]) -> None:
    assert SUM(completions=[RIGHT, WRONG], completion_ids=IDS, **GOLD, **given) == [1.5, 0.0]


def test_a_sum_of_sums_adds_them_up() -> None:
    outer = gr.weighted({"boxed_format": 1.0, "pattern(regex='so')": 2, SUM: -1.0}, name="outer")
    # 1 for the box, 2 for the word, less the 1.5 of the inner sum
    assert outer.score(r"so \boxed{4}", answer="4") == 1.0 + 2.0 - 1.5
    assert outer.columns == ("answer",)


@pytest.mark.parametrize(
    ("parts", "bounds"),
    [
        ({gr.boxed_format: -2.0, gr.boxed_answer: 1.0}, (-2.0, 1.0)),  # a negative weight turns a range round
        ({gr.repetition.bind(max_penalty=-3.0): 0.5}, (-1.5, 0.0)),
        ({contract_rewards.sample_value: 1.0, gr.boxed_format: 1.0}, None),  # one part states none
    ],
)
def test_the_range_of_a_sum_follows_from_those_of_its_parts(parts: Any, bounds: tuple[float, float] | None) -> None:
    assert gr.weighted(parts).range == bounds


def test_a_sum_is_renamed_by_bind() -> None:
    assert SUM.bind(name="points").__name__ == "points"
    assert SUM.bind(name="points").funcs == SUM.funcs
    assert SUM.__name__ == "weighted"


def test_a_sum_may_not_be_called_as_one_of_its_parts() -> None:
    with pytest.raises(RewardError, match="two rewards called 'boxed_answer'"):
        gr.weighted({gr.boxed_answer: 1.0}, name="boxed_answer")


def test_a_sum_of_rewards_that_are_not_bound_says_so_when_it_is_called() -> None:
    with pytest.raises(RewardError, match="reward 'soft_overlong' needs max_tokens, buffer"):
        gr.weighted({gr.soft_overlong: 1.0})(completions=["a"], completion_ids=[[1]])
