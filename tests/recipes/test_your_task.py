"""The template as it stands, and a copy of it in which data, prompt and rewards are filled in and nothing else."""

import json
import runpy
import sys

import pytest
from places import RECIPES
from tables import tables_beside

import grpo_rewards as gr

TABLES = tables_beside(__file__)

TEMPLATE = RECIPES / "your_task.py"
QUICK = "--max_steps 2 --eval_size 4 --eval_samples 1 --max_completion_length 8 --per_device_train_batch_size 8"
# What one fills in, in place of what stands there. The rows are made for this test.
FILLED = TABLES["filled"]
WORDS = [{"word": f"{a}{b}", "loud": f"{a}{b}".upper()} for a in "abcdefgh" for b in "klmnop"]


def run(script, monkeypatch, *more):
    monkeypatch.setattr(sys, "argv", [str(script), *QUICK.split(), *more])
    return runpy.run_path(str(script), run_name="__main__")


@pytest.mark.full
def test_a_copy_with_data_prompt_and_rewards_filled_in_trains(tmp_path, monkeypatch):
    text = TEMPLATE.read_text()
    for old, new in FILLED.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    (tmp_path / "shouting.py").write_text(text)
    (tmp_path / "shouted.jsonl").write_text("".join(json.dumps(row) + "\n" for row in WORDS))
    run(tmp_path / "shouting.py", monkeypatch)
    folder = tmp_path / "outputs" / "tiny-shouting"
    results = json.loads((folder / "eval.json").read_text())
    assert results["steps"] == 2
    assert results["problems"] == 4
    state = json.loads((folder / "checkpoint-2" / "trainer_state.json").read_text())
    (last,) = [log for log in state["log_history"] if log.get("step") == 2 and "reward" in log]
    parts = last["rewards/shouts/mean"] + 0.5 * last["rewards/soft_overlong/mean"]
    assert last["reward"] == pytest.approx(parts, abs=1e-5)


def test_the_template_trains_as_it_stands(tmp_path, monkeypatch, capsys):
    run(TEMPLATE, monkeypatch)
    assert json.loads((tmp_path / "outputs" / "tiny-your_task" / "eval.json").read_text())["steps"] == 2
    assert "boxed_answer" in capsys.readouterr().out


def test_the_templates_data_can_be_read_and_are_what_its_prompt_asks():
    template = runpy.run_path(str(TEMPLATE))
    rows = [json.loads(line) for line in template["DATA"].read_text().splitlines()]
    assert len(rows) == len({row["question"] for row in rows}) == 400
    assert gr.check_answers([gr.boxed_answer], {"answer": [row["answer"] for row in rows]}) == {}
    for row in rows:
        a, b = (int(word) for word in row["question"].replace(".", " ").split() if word.isdigit())
        assert row["answer"] == str(a + b if "finds" in row["question"] else a - b)
    assert template["user_turn"](rows[0]) == rows[0]["question"] + " Put the result in \\boxed{}."


def test_a_recipe_without_problems_says_how_to_name_them(tmp_path, monkeypatch):
    (tmp_path / "empty.py").write_text(TEMPLATE.read_text().replace("args.dataset_path = str(DATA)", "pass"))
    with pytest.raises(SystemExit, match="makes no problems of its own: name them with --dataset_path"):
        run(tmp_path / "empty.py", monkeypatch)
