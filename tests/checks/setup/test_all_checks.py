"""What can be checked before a model is loaded."""

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import contract_rewards
import pytest
from tables import each_row

import grpo_rewards as gr
from grpo_rewards import Reward, RewardError, check_rewards
from grpo_rewards.answers.symbolic import pool
from grpo_rewards.checks import find_breaches


def plain(completions: list[Any], **kwargs: Any) -> list[float]:
    """A reward as TRL takes it, without this package."""
    return [0.0 for _ in completions]


def plain_with_answer(completions: list[Any], answer: list[str], **kwargs: Any) -> list[float]:
    return [float(gold in one) for one, gold in zip(completions, answer, strict=True)]


@gr.reward
def reads_ground_truth(completion: str, ground_truth: str) -> float:
    return float(ground_truth in completion)


class Callable_:
    """A plain reward may be an object; TRL then logs its class's name."""

    def __call__(self, completions: list[Any], **kwargs: Any) -> list[float]:
        return [0.0 for _ in completions]


POINTS = gr.weighted({gr.boxed_format: 0.5, gr.boxed_answer: 1.0}, name="points")


class Tokenizer:
    """Stands for a tokenizer whose chat template is a format string."""

    def __init__(self, template: str | None) -> None:
        self.chat_template = template

    def apply_chat_template(self, turns: list[dict[str, str]], *, thinking: bool = True, **options: Any) -> str:
        assert options == {"tokenize": False, "add_generation_prompt": True}
        assert self.chat_template is not None
        return self.chat_template.format(turns[0]["content"], "<think>" if thinking else "")


OPENING = Tokenizer("<user>{}<assistant>{}\n")


class Picky(Tokenizer):
    """A template that takes content blocks only, as those of some models for images do."""

    def apply_chat_template(self, turns: list[dict[str, Any]], **options: Any) -> str:
        (block,) = turns[0]["content"]
        return super().apply_chat_template([{"content": block["text"]}], **options)


class Processor:
    """Stands for a processor that leaves the template to its tokenizer."""

    chat_template = None
    tokenizer = OPENING


UNBOUND = "reward 'soft_overlong' needs max_tokens, buffer. Bind it: soft_overlong."
TWO = [gr.boxed_answer, plain]
WEIGHTS = "reward_weights must be a finite number for each of 2 rewards (boxed_answer, plain), and not all 0; they are "
ADDED = (
    "Columns: id. Add it to the dataset: one 'answer' per row. Is it there as NAME? Rename one with dataset."
    'rename_column("NAME", "answer"), or read it as it is: boxed_answer.bind(columns={"answer": "NAME"}). In '
    "grpo-rewards commands: --column answer=NAME."
)
RENAMED = (
    "reward 'boxed_answer' reads column 'answer', which the dataset does not have. Columns: question, solution. Rename "
    'one with dataset.rename_column("solution", "answer"), or read it as it is: boxed_answer.bind(columns={"answer": '
    '"solution"}). In grpo-rewards commands: --column answer=solution.'
)
NO_PROMPT = (
    "GRPOTrainer reads column 'prompt', which the dataset does not have. Columns: question, answer. "
    'Rename one with dataset.rename_column("question", "prompt").'
)
ROUTED = gr.routed({"math": gr.boxed_answer}, by="task")
CHATS = {"prompt": ["?"] * 2, "task": ["math", "chat"], "answer": ["4", "4"]}
MISNAMED = gr.multiple_choice.bind(columns={"choices": "opts"})
EIGHT_AT_ONCE = SimpleNamespace(num_generations=2, generation_batch_size=8)  # completions of 4 prompts


def columns(*names: str) -> dict[str, Any]:
    return {"columns": list(names)}


def weights(*given: Any) -> dict[str, Any]:
    return {"weights": list(given)}


@each_row(
    "rewards, given, said, severity",
    [
        # what is no reward, before TRL takes it for a model
        ([plain, "boxed_anser"], {}, "'boxed_anser' is not a reward: unknown reward 'boxed_anser'; did you mean 'boxe"),
        ([plain, "soft_overlong(max_tokens)"], {}, "'soft_overlong(max_tokens)' is not a reward"),
        ([plain, "no_module.reward"], {}, "'no_module.reward' is not a reward"),
        ([plain, 3], {}, "3 is not a reward"),
        ([plain, None], {}, "None is not a reward"),
        ([gr.weighted], {}, "weighted is not a reward, it makes one. Call it: weighted("),
        ([Callable_], {}, "Callable_ is not a reward, it makes one. Call it: Callable_()."),
        ([gr.soft_overlong], {}, UNBOUND),
        ([gr.weighted({gr.soft_overlong: 1.0})], {}, UNBOUND),
        # columns that are missing, with those there are
        ([gr.boxed_answer], columns("question", "solution"), RENAMED),
        ([gr.boxed_answer], columns("q", "a"), 'Rename one with dataset.rename_column("a", "answer"), or'),
        ([gr.boxed_answer], columns("id", "Gold_Answer"), 'rename_column("Gold_Answer", "answer")'),
        ([gr.boxed_answer], columns("id"), ADDED),
        ([gr.boxed_answer], columns(), "Columns: none."),
        ([gr.boxed_answer.bind(columns={"answer": "key"})], columns("gt"), "Add it to the dataset: one 'key' per row."),
        ([reads_ground_truth], columns("a"), 'bind(columns={"ground_truth": "a"}). In grpo-rewards commands: --'),
        ([plain_with_answer], columns("a"), 'Rename one with dataset.rename_column("a", "answer"). In grpo-rewards co'),
        ([POINTS], columns("question"), "reward 'points' reads column 'answer', which the dataset does not have."),
        ([gr.boxed_format, gr.final_answer.bind(name="mine")], columns("id"), "reward 'mine' reads column 'answer'"),
        ([contract_rewards._registered_under_another_name], columns("golds"), 'rename_column("golds", "gold")'),
        # columns that do harm, that were named by hand
        ([gr.boxed_format], columns("log_extra"), 'dataset.remove_columns("log_extra")'),
        ([plain], columns("prompt", "completions"), "column 'completions', and TRL passes something else under that"),
        ([MISNAMED], columns("answer"), "is bound to read 'opts' as 'choices', and there is no such column", "warning"),
        # weights
        (TWO, weights(1.0), WEIGHTS + "[1.0]. Give one weight per reward, in their order."),
        (TWO, weights(), WEIGHTS + "[]."),
        (TWO, weights(1.0, float("nan")), WEIGHTS + "[1.0, nan]."),
        (TWO, weights(1.0, "0.5"), WEIGHTS),
        (TWO, {"weights": "11"}, WEIGHTS + "'11'."),
        (TWO, weights(0, 0.0), WEIGHTS + "[0, 0.0]."),
        (TWO, {"weights": 1.0}, WEIGHTS),
        (TWO, {"args": SimpleNamespace(reward_weights=[1.0])}, WEIGHTS + "[1.0]."),
        (TWO, {"args": SimpleNamespace(reward_weights=[1.0]), **weights(1.0, 0.5)}, None),
        # rows
        ([gr.boxed_format], {"dataset": {"prompt": []}}, "the dataset has no rows."),
        ([gr.boxed_answer], {"dataset": [{"question": "1 + 1?", "answer": "2"}]}, NO_PROMPT),
        ([ROUTED], {"dataset": CHATS}, "has no route for 'chat', which is 'task' of row 1"),
        (
            [gr.boxed_format],
            {"dataset": {"prompt": ["?"] * 3}, "args": EIGHT_AT_ONCE},
            "3 rows are fewer than the 4 of",
        ),
        ([gr.boxed_format], {"dataset": {"prompt": ["?"] * 4}, "args": EIGHT_AT_ONCE}, None),
        ([gr.think_format], {"tokenizer": Tokenizer("{2}")}, "the chat template fails on a single user", "warning"),
        # what is fine
        ([gr.pattern.bind(regex="a"), gr.pattern.bind(regex="b", name="has_b")], {}, None),
        ([gr.boxed_format, gr.soft_overlong.bind(max_tokens=2, buffer=1)], columns("prompt", "completion"), None),
        ([gr.boxed_format], columns("completion_ids"), None),
        (POINTS.funcs, {"weights": POINTS.weights, **columns("answer")}, None),
    ],
)
def test_what_is_amiss_is_one_finding(
    rewards: list[Any], given: dict[str, Any], said: str | None, severity: str | None
) -> None:
    found = [str(one) for one in check_rewards(rewards, **given) if one.severity == (severity or "error")]
    assert len(found) == (said is not None), found
    assert said is None or said in found[0], found[0]


def test_what_fits_comes_back_as_a_fresh_list() -> None:
    funcs = [gr.boxed_answer, plain, functools.partial(gr.final_answer), Callable_()]
    report = check_rewards(funcs, columns=["prompt", "answer"], weights=[1.0, 0.5, 2, 0]).raise_for_errors()
    checked = report.rewards
    assert checked == funcs
    assert checked is not funcs  # TRL changes the list that it is given
    assert [check_rewards(one).rewards for one in (gr.boxed_answer, plain, (plain,))] == [
        [gr.boxed_answer],
        [plain],
        [plain],
    ]


@each_row(
    "funcs, rewards",
    [
        (["boxed_answer"], [gr.boxed_answer]),
        ("boxed_answer", [gr.boxed_answer]),
        (["max_length(max_tokens=9)", plain], [gr.max_length.bind(max_tokens=9), plain]),
        (["pattern(regex='a/b')"], [gr.pattern.bind(regex="a/b")]),
        (["gated(think_format, by=boxed_answer)"], [gr.gated("think_format", by="boxed_answer")]),
        (["grpo_rewards.boxed_answer"], [gr.boxed_answer]),
    ],
)
def test_specs_are_looked_up_and_the_trainer_is_to_be_given_the_rewards(funcs: Any, rewards: list[Any]) -> None:
    report = check_rewards(funcs, columns=["prompt", "answer"]).raise_for_errors()
    assert report.rewards == rewards
    (note, *_) = [one for one in report if one.check == "rewards"]
    assert "is a spec; TRL would take it for a model's id. Pass report.rewards to the trainer" in str(note)


@each_row(
    "reads, severity",
    [
        ("env_reward", "note"),
        ("rollout_score", "note"),
        ("environments", None),
        ("envelope", "error"),
        ("hint", "error"),
    ],
)
def test_a_column_that_only_a_rollout_can_return_is_no_error(reads: str, severity: str | None) -> None:
    module: dict[str, Any] = {"__name__": "strangers"}
    exec(f"def of_it(completions, {reads}, **kwargs): return [float(bool(one)) for one in {reads}]", module)  # noqa: S102
    report = check_rewards([module["of_it"]], columns=["prompt", "answer"])
    found = [one for one in report if one.check == "columns"]
    assert [one.severity for one in found] == ([severity] if severity else [])
    assert all("rollout_func=…" in one.remedy for one in found)


def test_an_adapter_is_read_by_its_own_signature_whatever_it_wraps() -> None:
    def of_one(completion: str, answer: str) -> float:
        return float(answer in completion)

    @functools.wraps(of_one)
    def adapter(completions: list[Any], answer: list[str], **kwargs: Any) -> list[float]:
        texts = [one if isinstance(one, str) else one[-1]["content"] for one in completions]
        return [of_one(text, gold) for text, gold in zip(texts, answer, strict=True)]

    assert check_rewards([adapter], columns=["prompt", "answer"]).findings == []
    assert gr.probe(adapter).right == 1.0
    without = ["linear", "spawned", "pickled", "unscorable"]
    rows = [{"completion": "It is 4.", "answer": "4"}]
    breaches = [one.clause for one in find_breaches(adapter, rows, without=without)]
    assert breaches == ["forms", "empty_completions"]  # of what it does itself, and none of how it is called


# The data set, the tokenizer and the settings of the run.


@each_row(
    "dataset",
    [
        {"prompt": ["?", "?"], "answer": ["4", "5"]},
        [{"prompt": "?", "answer": "4"}, {"prompt": "?", "answer": "5"}],
        [{"prompt": "?", "answer": "4"}, {"prompt": "?", "answer": "5", "level": 2}],
    ],
)
def test_a_data_set_may_be_columns_or_rows(dataset: Any) -> None:
    assert check_rewards([gr.boxed_answer], dataset).errors == []
    (error,) = check_rewards([gr.numeric_answer.bind(columns={"answer": "number"})], dataset).errors
    assert "Columns: prompt, answer" in error.message


class DatasetDict(dict[str, Any]):
    """Stands for the class of that name of datasets."""

    column_names: ClassVar = {"train": ["prompt"]}


class IterableDataset:
    column_names = None


@each_row(
    "given, said",
    [
        ({"dataset": 3}, "dataset cannot be of class int. Give a datasets.Dataset of one split, columns by name, or a"),
        ({"dataset": ["a"]}, "dataset cannot be of class list."),
        ({"dataset": DatasetDict(train={})}, "cannot be of class DatasetDict. Give a datasets.Dataset of one split"),
        ({"dataset": IterableDataset()}, "in place of a data set without rows to look at, columns=[…]."),
        ({"dataset": {"a": [1], "b": [1, 2]}}, "the columns of the data set have different lengths: {'a': 1, 'b': 2}."),
        ({"args": {"reward_weights": [1.0]}}, "args must be the GRPOConfig of the run"),
        ({"tokenizer": "Qwen/Qwen3-0.6B"}, "AutoTokenizer.from_pretrained('Qwen/Qwen3-0.6B')"),
        ({"columns": "answer"}, "columns must be a list of names"),
    ],
)
def test_an_argument_of_another_kind_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(RewardError) as error:
        check_rewards([gr.boxed_format], **given)
    assert said in str(error.value)


class ModelConfig:
    _name_or_path = "someone/reward-model"


class RewardModel:
    """Stands for an nn.Module, which TRL calls by the name of its model."""

    config = ModelConfig()

    def __call__(self, *_: Any) -> None: ...


def test_reward_models_are_named_as_trl_names_them() -> None:
    report = check_rewards([gr.boxed_format, "someone/another-model", RewardModel()], weights=[1.0, 1.0])
    assert [one.check for one in report.warnings] == ["rewards"]
    assert "(boxed_format, another-model, reward-model)" in report.errors[0].message


SENTENCE = "See the figure in the appendix."
SOLUTION = "We proceed by induction on the number of vertices of the graph."


@each_row(
    "golds, found",
    [
        (["4", "5", "6", "7"], {"answers": "fine"}),
        (["4", "", "5", "6", None], {"answers": "warning"}),
        (["4", "", None, "5"], {"answers": "error"}),  # from half of the rows on
        (["", None], {"answers": "error"}),
        ([SENTENCE, "4", "5", "6"], {"spellings": "note"}),
        ([SENTENCE, SOLUTION, "5", "6"], {"spellings": "error"}),
        ([SENTENCE, SOLUTION], {"spellings": "error"}),
        ([SENTENCE, "", "5", "6"], {"answers": "error", "spellings": "error"}),  # half of them together
        ([SENTENCE, "", "5", "6", "7"], {"answers": "warning", "spellings": "note"}),
        (["Evelyn", "Quadrant II", "no such integer exists", "cannot be determined"], {"answers": "fine"}),
    ],
)
def test_what_is_found_about_golds_depends_on_how_many_cannot_be_met(golds: list[Any], found: dict[str, str]) -> None:
    report = check_rewards([gr.boxed_answer], {"answer": golds})
    assert {one.check: one.severity for one in report if one.check != "columns"} == found


def test_what_is_found_about_golds_names_the_rows_and_what_to_do() -> None:
    rows = {"prompt": ["?"] * 5, "answer": ["4", "", None, "5", "6"]}
    (warning,) = check_rewards([gr.boxed_answer], rows).warnings
    assert (warning.reward, list(warning.rows)) == ("boxed_answer", [1, 2])
    assert (
        "boxed_answer cannot read the answers of 2 of 5 rows: rows 1, 2. There, answer is '' or None."
        in warning.message
    )
    (error,) = check_rewards([gr.boxed_answer], {"prompt": ["?"] * 2, "answer": [SENTENCE, SOLUTION]}).errors
    assert (
        f"does not understand the answers of 2 of 2 rows: rows 0, 1. There, answer is '{SENTENCE}' or" in error.message
    )
    assert "put the answer alone into the column" in error.remedy


def test_rewards_are_reported_that_the_template_opens_the_thinking() -> None:
    given = [gr.think_format, gr.weighted({gr.boxed_answer: 1.0}), gr.soft_overlong.bind(max_tokens=2, buffer=1), plain]
    report = check_rewards(given, tokenizer=OPENING)
    bound = [gr.think_format.bind(think_opened=True), gr.weighted({gr.boxed_answer.bind(think_opened=True): 1.0})]
    assert report.rewards == [*bound, *given[2:]]
    (finding,) = [one for one in report if one.check == "template"]
    assert "bound in: think_format, weighted." in finding.message
    assert finding.severity == "warning"  # the prompts may be plain text
    chats = {"prompt": [[{"role": "user", "content": "?"}]], "answer": ["4"]}
    assert check_rewards(given, chats, tokenizer=OPENING).warnings == []
    texts = check_rewards([gr.think_format], {"prompt": ["1 + 1?"]}, tokenizer=OPENING)
    assert texts.rewards == [gr.think_format]
    assert "plain text: no chat template is applied" in str(texts)


MAGISTRAL = Tokenizer("<user>{}[THINK]")
REASONING = gr.boxed_answer.bind(reasoning="<reasoning>")
THINK_TAGS, PLAN_TAGS = gr.xml_format.bind(tags=["think", "answer"]), gr.xml_format.bind(tags=["plan", "code"])
SECTIONS = gr.xml_format.bind(tags=[("[THINK]", "[/THINK]"), "answer"])


@each_row(
    "tokenizer, one, options",
    [
        (OPENING, THINK_TAGS, {"opened": True}),
        (OPENING, gr.tag_count, {"opened": True}),
        (OPENING, PLAN_TAGS, {}),
        (MAGISTRAL, gr.think_format, {"think_opened": True, "reasoning": ("[THINK]", "[/THINK]")}),
        (MAGISTRAL, REASONING, {}),
        (MAGISTRAL, THINK_TAGS, {}),
        (MAGISTRAL, SECTIONS, {"opened": True}),
        (Tokenizer("<user>{}<reasoning>\n"), REASONING, {"think_opened": True}),
        (Picky("<user>{}<assistant>{}"), gr.think_format, {"think_opened": True}),
        (Processor(), gr.think_format, {"think_opened": True}),
        (Tokenizer(None), gr.think_format, {}),
    ],
)
def test_what_the_template_opens_is_bound_where_a_reward_looks_for_it(
    tokenizer: Any, one: Reward, options: dict[str, Any]
) -> None:
    assert check_rewards([one], tokenizer=tokenizer).rewards == [one.bind(**options) if options else one]


def test_delimiters_that_the_template_writes_and_does_not_open_are_a_note() -> None:
    magistral = Tokenizer("{}{{% if thinking %}}[THINK]…[/THINK]{{% endif %}}")
    (note,) = [one for one in check_rewards([gr.think_format], tokenizer=magistral) if one.severity == "note"]
    assert "reasoning=('[THINK]', '[/THINK]') for think_format" in note.remedy
    told = check_rewards([gr.think_format.bind(reasoning="[THINK]")], tokenizer=magistral)
    assert [one for one in told if one.severity == "note"] == []


def test_behind_a_prompt_that_ends_in_the_assistants_turn_a_trainer_begins_another() -> None:
    turns = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "Let me see. "}]
    report = check_rewards([gr.think_format], {"prompt": [turns[:1], turns]}, tokenizer=OPENING)
    assert report.rewards == [gr.think_format.bind(think_opened=True)]
    (warning,) = report.warnings
    assert "prompts end in the assistant's turn: row 1. The model does not go on with it" in warning.message


@each_row(
    "one, said",
    [
        (
            gr.cosine_length.bind(max_tokens=9, correct="boxed_answer(think_opened=False)"),
            "'boxed_answer' is bound with think_opened=False",
        ),
        (
            gr.gated(gr.relative_length.bind(correct="boxed_answer(think_opened=False)"), by=gr.boxed_format),
            "'boxed_answer' is bound with",
        ),
        (gr.weighted({gr.think_format.bind(think_opened=False): 1.0}), "template opens <think>"),
        (gr.cosine_length.bind(max_tokens=9, correct=gr.weighted(final_answer=1.0)), None),
        (gr.tag_count.bind(opened=False), "opened=False, but the chat template opens <think>"),
        (gr.xml_format.bind(tags=["answer"], opened=True), "opened=True, but the chat template does not open <answer>"),
        (gr.tag_count.bind(opened=True), None),
        (gr.xml_format.bind(tags=["answer"], opened=False), None),
    ],
)
def test_what_contradicts_the_template_is_reported_wherever_it_was_bound(one: Any, said: str | None) -> None:
    report = check_rewards([one], tokenizer=OPENING)
    assert repr(report.rewards[0]).count("opened=False") == repr(one).count("opened=False")  # as it was bound
    warnings = report.warnings
    told = [warning.message for warning in warnings if "is bound with" in warning.message]
    assert len(told) == (said is not None)
    assert said is None or said in told[0]


def test_other_delimiters_are_noted_for_what_is_called_too() -> None:
    def noted(one: gr.Reward) -> bool:
        findings = check_rewards([one], tokenizer=Tokenizer("[THINK]{}{}[/THINK]")).findings
        return any(found.severity == "note" and "bind reasoning=" in found.remedy for found in findings)

    one = gr.cosine_length.bind(max_tokens=9)
    assert noted(one)
    assert not noted(one.bind(correct=gr.boxed_answer.bind(reasoning="[THINK]")))


def test_the_template_is_called_as_the_trainer_asks_it() -> None:
    args = SimpleNamespace(chat_template_kwargs={"thinking": False})
    assert check_rewards([gr.think_format], tokenizer=OPENING, args=args).rewards == [gr.think_format]


def test_what_this_machine_cannot_compare_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRPO_REWARDS_WORKERS", "0")
    points = gr.weighted({gr.boxed_answer: 1.0, gr.think_format: 0.5})
    (warning,) = check_rewards([points, gr.boxed_format]).warnings
    assert (warning.check, warning.reward) == ("symbolic", "boxed_answer")
    assert "GRPO_REWARDS_WORKERS" in warning.message
    assert check_rewards([gr.boxed_format]).warnings == []
    assert check_rewards([gr.boxed_answer.bind(workers=0)]).warnings == []  # who turns it off knows
    asking = gr.cosine_length.bind(max_tokens=9)
    assert len(check_rewards([asking]).warnings) == 1
    assert (
        check_rewards(
            [asking.bind(correct="boxed_answer(workers=0)"), asking.bind(correct="numeric_answer", name="other")]
        ).warnings
        == []
    )


@pytest.fixture
def no_workers_yet() -> Iterator[None]:
    pool.close()
    yield
    pool.close()


@pytest.fixture
def light_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file by which workers find all equal, without computer algebra, which takes half a second to import."""
    decider = tmp_path / "decide.py"
    decider.write_text("def decide(*_): return True")
    monkeypatch.setattr(pool, "DECIDER", decider)
    return decider


@pytest.mark.usefixtures("light_workers", "no_workers_yet")
@each_row(
    "reward, are_started",
    [
        (gr.boxed_answer, True),
        (gr.final_answer.bind(workers=1), True),
        (gr.cosine_length.bind(max_tokens=9), True),
        (POINTS, True),
        (gr.boxed_format, False),
        (gr.boxed_answer.bind(workers=0), False),
        (plain, False),
    ],
)
def test_workers_are_started_where_a_reward_may_need_them(reward: Any, are_started: bool) -> None:
    pool.close()
    assert check_rewards([reward]).errors == []
    assert (pool._broker is not None) == are_started


@pytest.mark.usefixtures("no_workers_yet")
@each_row(
    "decider, said",
    [
        ("import no_such_package", "No module named 'no_such_package'"),
        ("import no_such_package", "Install math-verify"),
        ("import os\ndef decide(*_): os._exit(0)", "do not work (crashed)"),
    ],
)
def test_workers_that_do_not_work_are_found_before_a_training(
    decider: str, said: str, light_workers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool.close()
    light_workers.write_text(decider)
    (error,) = check_rewards([gr.boxed_answer, gr.boxed_format]).errors
    assert (error.check, error.reward) == ("symbolic", "boxed_answer")
    assert said in error.message
    assert "workers=0" in error.remedy


def test_too_few_file_descriptors_are_found_before_a_training(
    run_forked: Callable[..., str], light_workers: Path
) -> None:
    script = f"""
import os, resource
from pathlib import Path
import grpo_rewards as gr
from grpo_rewards.answers.symbolic import pool
pool.DECIDER = Path({str(light_workers)!r})
gr.boxed_answer.score("4", answer="4")
resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))
held = []
try:
    while True: held.append(os.open(os.devnull, os.O_RDONLY))
except OSError: pass
for one in held[-4:]: os.close(one)  # as many as a script needs for itself
(error,) = gr.check_rewards([gr.boxed_answer]).errors
print(error.check, "Too many open files" in error.message)
for one in held:
    try: os.close(one)
    except OSError: pass
print(gr.check_rewards([gr.boxed_answer]).errors)
"""
    assert run_forked(script) == "symbolic True\n[]\n"
