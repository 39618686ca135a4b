"""What a thorough check finds: rewards that are tried, sent away, constant; golds that are not paid; prompts."""

from typing import Any

import pytest
from quick_probes import quick_probes
from tables import each_row

import grpo_rewards as gr
from grpo_rewards import Reward, RewardError, check_answers, check_rewards
from grpo_rewards.checks.findings import Report
from grpo_rewards.checks.setup.trials import spec_of

ROWS = [{"prompt": [{"role": "user", "content": f"What is {n} + {n}?"}], "answer": str(2 * n)} for n in range(3, 15)]


def checked(rewards: Any, rows: Any = ROWS, **more: Any) -> Report:
    with quick_probes():
        return check_rewards(rewards, rows, thorough=True, **more)


def said(report: Report, check: str, severity: str) -> list[str]:
    return [str(one) for one in report if (one.check, one.severity) == (check, severity)]


def test_sound_rewards_leave_nothing_but_notes() -> None:
    report = check_rewards([gr.boxed_answer, gr.think_format], ROWS, thorough=True)  # with all that it takes
    assert (report.errors, report.warnings) == ([], [])
    assert said(report, "golds", "fine") == ["boxed_answer rewards the gold of each of 12 rows, written in a box."]
    assert said(report, "cheats", "note")[0].startswith("think_format: cannot separate right from wrong")


def test_what_weighs_less_than_a_reward_that_separates_right_from_wrong_is_fine() -> None:
    form = [gr.think_format, gr.think_answer_format]
    light = checked([gr.boxed_answer, *form], weights=[1.0, 0.2, 0.3])
    assert said(light, "cheats", "note") == []
    assert "think_format, think_answer_format: cannot separate" in "".join(said(light, "cheats", "fine"))
    (note,) = said(checked([gr.boxed_answer, *form], weights=[1.0, 0.5, 0.5]), "cheats", "note")
    assert "Give them together less weight than boxed_answer" in note


@gr.reward
def mentions_gold(completion: str, answer: str) -> float:
    return float(answer in completion)


@gr.reward
def first_word(completion: str) -> float:
    return float(len(completion.split()[0]))


def test_a_spec_has_rewards_of_other_modules_by_their_paths() -> None:
    gated = gr.gated(mentions_gold, by=gr.boxed_answer.bind(think_opened=True))
    assert spec_of(gated) == f"gated({__name__}.mentions_gold, by=boxed_answer(think_opened=True))"
    assert spec_of(reads_answer) == f"{__name__}.reads_answer"


@each_row(
    "rewards, check, start",
    [
        ([mentions_gold], "cheats", "mentions_gold rewards "),
        ([gr.think_format], "cheats", "no reward of this run separates right from wrong"),
        ([gr.boxed_answer, gr.max_length.bind(max_tokens=10**6)], "constant", "max_length gave 1 to everything"),
        (
            [gr.boxed_answer, first_word],
            "cheats",
            "first_word: it raised IndexError: list index out of range (nothing, white space).",
        ),
    ],
)
def test_a_reward_that_teaches_nothing_or_the_wrong_thing_is_a_warning(
    rewards: list[Any], check: str, start: str
) -> None:
    assert [one for one in said(checked(rewards), check, "warning") if one.startswith(start)]


def test_a_reward_that_wants_a_form_of_its_own_is_not_called_constant() -> None:
    rows = [{"prompt": "Reach it.", "nums": [n, 2, 3], "target": n + 6} for n in range(4, 9)]
    report = checked([gr.expression_reaches], rows)
    assert (report.warnings, said(report, "constant", "warning")) == ([], [])
    (note,) = said(report, "golds", "note")
    assert note.startswith("expression_reaches gave 0, its least, to everything")
    assert "it wants a form of its own" in note
    (note,) = said(checked([gr.think_answer_format, gr.expression_reaches], rows), "cheats", "note")
    assert "Give them together less weight than expression_reaches, or gate them by it." in note
    assert said(checked([gr.think_answer_format], rows), "cheats", "warning")  # alone, form is all that is taught
    found = gr.probe(gr.expression_reaches, rows)
    assert (found.rewards_nothing, found.is_sound) == (True, False)
    assert "gave 0, its least, to everything" in found.messages[-1]
    known = gr.probe(gr.expression_reaches, rows, right=lambda row: f"<answer>{row['nums'][0]} + 2 * 3</answer>")
    assert (known.right, known.rewards_nothing, known.is_sound) == (1.0, False, True)


def test_golds_that_their_own_reward_does_not_reward_are_named() -> None:
    @gr.reward
    def whole(completion: str, answer: str) -> float:  # wants a number in a box
        box = completion.rpartition("\\boxed{")[2].partition("}")[0]
        return float(box.isdigit() and box == answer)

    rows = [{"prompt": "?", "answer": one} for one in ("4", "5", "Paris", "6 or 7", "8")]
    report = checked([whole], rows)
    (finding,) = [one for one in report.warnings if one.check == "golds"]
    assert finding.rows == (2, 3)
    assert "in 2 of 5 rows: rows 2, 3. Row 2 has 'Paris'" in finding.message


@each_row(
    "rows, expected",
    [
        ([{"question": "1 + 1?", "answer": "2"}], 'Rename one with dataset.rename_column("question", "prompt").'),
        ([{"asked": "1 + 1?", "answer": "2"}], "Add it: one prompt per row"),
        ([{"prompt": 3, "answer": "2"}], "1 prompts are neither a text nor messages, row 0 for one: 3."),
        ([{"prompt": [{"content": "1 + 1?"}], "answer": "2"}], "neither a text nor messages"),
    ],
)
def test_a_prompt_that_cannot_be_called_is_an_error(rows: Any, expected: str) -> None:
    assert any(expected in str(one) for one in checked([gr.boxed_answer], rows).errors)


def test_golds_are_looked_at_although_their_column_has_another_name() -> None:
    rows = [{"prompt": row["prompt"], "solution": row["answer"]} for row in ROWS]
    rows[4]["solution"] = ""
    report = checked([gr.boxed_answer], rows)
    assert [one.check for one in report.errors] == ["columns"]
    (warning,) = said(report, "answers", "warning")
    assert "row 4." in warning


class Tokenizer:
    name_or_path = ""
    all_special_tokens = ("<think>", "</think>")
    chat_template = "made by hand"

    def __init__(self, said: str) -> None:
        self.said = said

    def apply_chat_template(self, turns: Any, **options: Any) -> str:
        return self.said


def test_delimiters_that_a_trainer_does_not_decode_are_a_warning() -> None:
    report = check_rewards([gr.think_format], ROWS, tokenizer=Tokenizer("user: ?"))
    warnings = said(report, "template", "warning")
    assert any(one.startswith("<think> is a special token of the tokenizer") for one in warnings)
    parsing = Tokenizer("user: ?")
    parsing.response_template = object()  # type: ignore[attr-defined]  # what TRL looks for
    assert not said(check_rewards([gr.think_format], ROWS, tokenizer=parsing), "template", "warning")


def test_reasoning_that_the_template_closes_is_a_warning_for_what_rewards_for_it() -> None:
    closed = Tokenizer("user: ?\nassistant: <think>\n\n</think>\n\n")
    closed.all_special_tokens = ()
    (warning,) = said(check_rewards([gr.think_format, gr.boxed_answer], ROWS, tokenizer=closed), "template", "warning")
    assert warning.startswith("the chat template closes the reasoning in the prompt; think_format would reward only")
    assert not said(check_rewards([gr.boxed_answer], ROWS, tokenizer=closed), "template", "warning")


def without_keywords(completions: list[Any]) -> list[float]:
    return [1.0 for _ in completions]


def reads_answer(completions: list[Any], answer: list[str], **kwargs: Any) -> list[float]:
    return [float(gold in one[0]["content"]) for one, gold in zip(completions, answer, strict=True)]


def too_few(completions: list[Any], **kwargs: Any) -> list[float]:
    return [1.0 for _ in completions[:1]]


def leaves(completions: list[Any], **kwargs: Any) -> list[float]:
    raise SystemExit(len(completions))


def raises(completions: list[Any], **kwargs: Any) -> list[float]:
    raise KeyError(f"no such key in {len(completions)}")


def scheduled_by_hand(completions: list[Any], trainer_state: Any, **kwargs: Any) -> list[float]:
    return [trainer_state.global_step / trainer_state.max_steps for _ in completions]


def of_environments(completions: list[Any], environments: list[Any], **kwargs: Any) -> list[float]:
    return [one.score for one in environments]


@each_row(
    "function, said, remedy",
    [
        (
            without_keywords,
            "takes no prompts, completion_ids, trainer_state, log_extra, log_metric, answer",
            "**kwargs",
        ),
        (too_few, "it gave back [1.0] for", "a list with a finite number, or None, for each completion"),
        (raises, "it raised KeyError", "stop or stall a training"),
        (leaves, "it raised SystemExit", "stop or stall a training"),
    ],
)
def test_a_plain_function_that_fails_in_the_first_step_is_one_error(function: Any, said: str, remedy: str) -> None:
    (error,) = checked([gr.boxed_answer, function]).errors
    assert said in error.message
    assert remedy in error.remedy


def test_a_column_that_a_plain_function_misses_is_an_error_with_a_remedy_that_it_has() -> None:
    rows = [{"prompt": row["prompt"], "solution": row["answer"]} for row in ROWS]
    report = checked([reads_answer], rows)
    (error,) = report.errors
    assert "reward 'reads_answer' reads column 'answer'" in error.message
    command = "In grpo-rewards commands: --column answer=solution."
    assert error.remedy == f'Rename one with dataset.rename_column("solution", "answer"). {command}'
    assert not [one for one in report.warnings if "could not be tried" in one.message]
    assert not checked([reads_answer]).errors


def test_what_a_check_cannot_hand_over_is_no_error() -> None:
    assert checked([scheduled_by_hand]).errors == []
    assert checked([of_environments]).errors == []


def test_an_error_that_quotes_its_text_is_reported_once() -> None:
    @gr.reward
    def as_number(completion: str, answer: str) -> float:
        return float(int(completion) == int(answer))

    (told,) = [one for one in checked([as_number]) if "ValueError" in one.message]
    assert "invalid literal for int()" in told.message


def test_golds_that_cannot_be_scored_are_not_stated_to_be_rewarded() -> None:
    unread = {0: {"value": 1}, 4: "See the figure in the appendix."}
    rows = [{**row, "answer": unread.get(place, row["answer"])} for place, row in enumerate(ROWS)]
    report = checked([gr.boxed_answer], rows)
    assert said(report, "golds", "fine") == ["boxed_answer rewards the gold of each of 11 rows, written in a box."]
    assert said(report, "answers", "fine") == []


@each_row(
    "reward, begun",
    [
        (gr.think_format, "<think>\n"),
        (gr.think_answer_format, "<think>"),
        (gr.xml_format.bind(tags=["plan", "answer"]), "<plan>\n"),
        (gr.think_format.bind(think_opened=False), "<think>\n"),
    ],
)
def test_a_text_prompt_that_opens_the_reasoning_is_gone_on_from(reward: Reward, begun: str) -> None:
    rows = [{"prompt": f"What is {n} + {n}?{begun}", "answer": str(2 * n)} for n in range(3, 7)]
    assert said(checked([gr.boxed_answer, reward], rows), "constant", "warning") == []
    found = gr.probe(reward, rows)
    assert found.best == 1.0
    assert any(one.reward == 1.0 for one in found.earned)


GOLDS = {"answer": ["4", "", None, r"\frac{1}{2}", "nan", 5, [], r"\frac{1}{", True]}
UNREADABLE = [1, 2, 4, 6, 7, 8]  # nothing, nothing, nothing, no alternatives, broken LaTeX, a truth value


POINTS = gr.weighted({gr.boxed_format: 0.5, gr.boxed_answer: 1.0}, name="points")


def plain(completions: list[Any], **kwargs: Any) -> list[float]:
    """A reward as TRL takes it, without this package."""
    return [0.0 for _ in completions]


def test_rows_whose_gold_is_not_understood_have_a_list_of_their_own() -> None:
    rows = {"answer": ["4", "see @ figure 7", r"\text{yes}", "x = 7 @ noon, 5", ["see @ figure 7", "5"]]}
    found = check_answers([gr.boxed_answer], rows)
    assert (found, found.as_spelled) == ({}, {"boxed_answer": [1, 3]})
    # what is said of them: such a gold is met by its own spelling, and by nothing else
    assert gr.boxed_answer.score(r"\boxed{see @ figure 7}", answer=rows["answer"][1]) == 1.0


def test_rows_are_looked_at_for_every_reward_that_reads_a_gold_and_for_parts() -> None:
    funcs = [gr.final_answer, plain, gr.boxed_format, POINTS, gr.cosine_length.bind(max_tokens=9, name="cosine")]
    found = check_answers(funcs, GOLDS)
    assert found == {"final_answer": UNREADABLE, "boxed_answer": UNREADABLE, "cosine": UNREADABLE}
    assert check_answers(funcs, {"answer": ["4", 5]}) == check_answers(funcs, {"answer": []}) == {}


def test_rows_without_the_column_are_reported_so() -> None:
    with pytest.raises(RewardError, match=r'rename_column\("solution", "answer"\)'):
        check_answers([gr.boxed_answer], {"solution": ["4"]})


def test_a_row_that_is_reported_is_one_that_a_call_does_not_score() -> None:
    size = len(GOLDS["answer"])
    scored = gr.boxed_answer(completions=[r"\boxed{4}"] * size, **GOLDS)
    assert [index for index, value in enumerate(scored) if value is None] == UNREADABLE


def test_a_part_is_called_of_its_own_rows_alone_and_they_keep_their_index() -> None:
    routed = gr.routed({"math": gr.boxed_answer, "words": gr.boxed_format}, by="task")
    rows = {"task": ["words", "math", "math"], "answer": ["", "4", ""]}  # row 0 needs no gold
    assert check_answers(routed, rows) == {"boxed_answer": [2]}


def test_the_index_of_a_choice_is_tried_as_its_letter() -> None:
    rows = [{"prompt": f"{at}?", "answer": at % 3, "choices": ["Oslo", "Rome", "Bern"]} for at in range(9)]
    report = gr.check_rewards([gr.multiple_choice], rows, thorough=True)
    assert not any("no reward of this run separates" in one.message for one in report.warnings)
