"""Which settings make a run another one: all of them, but those that are named."""

import dataclasses
import fnmatch
import json

import gsm8k
from datasets import Dataset
from own_rewards import mine  # noqa: F401  # a fixture
from stopped_recipe import settings
from tables import each_row, tables_beside
from training.arguments import ScriptArguments
from training.resume import MAY_CHANGE, RAISED, other_circumstances, other_settings, record_of
from trl import GRPOConfig, GRPOTrainer, ModelConfig

import grpo_rewards as gr

TABLES = tables_beside(__file__)

DATA = Dataset.from_list([{"question": f"{n} + 1?", "answer": str(n + 1)} for n in range(20)])
FIELDS = {field.name for config in (ScriptArguments, GRPOConfig, ModelConfig) for field in dataclasses.fields(config)}


def record(*arguments, train=DATA, held_out=DATA, rewards=(), **more):
    return record_of(settings(gsm8k, arguments), rewards, train, held_out, **{"trainer": GRPOTrainer, **more})


BEGUN = record()


class OtherTrainer(GRPOTrainer):
    pass


@each_row("arguments", TABLES["a_setting_that_changes_what_is_learnt_makes_another_run"])
def test_a_setting_that_changes_what_is_learnt_makes_another_run(arguments):
    changed = other_settings(BEGUN, record(*arguments))
    assert any(
        one.startswith(f"{arguments[0][2:]} was ") or "completions_per_step was 128, now 64" in one for one in changed
    )


def test_so_do_the_trainer_its_own_options_and_the_problems():
    assert other_settings(BEGUN, record(trainer=OtherTrainer)) == ["trainer was 'GRPOTrainer', now 'OtherTrainer'"]
    assert other_settings(record(most_rounds=2), record(most_rounds=3)) == ["most_rounds was 2, now 3"]


def test_every_problem_counts_in_its_order_and_so_do_those_held_out():
    rows = [{"question": f"{n} + 1?", "answer": str(n + 1)} for n in range(2500)]
    whole = record(train=Dataset.from_list(rows))
    for edited in range(1999, 2003):  # whichever rows a sample of them would leave out
        other = [{**row, "answer": "?"} if n == edited else row for n, row in enumerate(rows)]
        (changed,) = other_settings(whole, record(train=Dataset.from_list(other)))
        assert changed.startswith("training_problems was '2500 rows, ")
    (changed,) = other_settings(whole, record(train=Dataset.from_list(rows[::-1])))
    assert "training_problems" in changed
    assert other_settings(whole, record(train=Dataset.from_list(rows[::-1]).select(range(2499, -1, -1)))) == []
    (changed,) = other_settings(
        BEGUN, record(held_out=DATA.map(lambda row: {"answer": row["answer"].replace("7", "8")}))
    )
    assert changed.startswith("held_out_problems was '20 rows, ")


def test_what_changes_nothing_learnt_may_change_and_is_not_even_in_the_record():
    changed = "--output_dir elsewhere --run_name a --save_steps 7 --logging_steps 5 --report_to none --hub_token secret"
    changed += " --dataloader_num_workers 2 --save_total_limit 9 --max_steps 60"
    other = record(*changed.split())
    assert other_settings(BEGUN, other) == []
    assert other_circumstances(BEGUN, other) == []
    assert "secret" not in json.dumps(other)
    for pattern in (*MAY_CHANGE, *RAISED):  # one that fits no field of TRL would allow nothing
        assert fnmatch.filter(FIELDS, pattern), pattern
    compared = {name for name in other["settings"] if name in FIELDS}
    assert {"seed", "learning_rate", "beta", "loss_type", "dataset_path", "temperature", "use_peft"} <= compared
    assert {"num_iterations", "generation_batch_size", "dataloader_drop_last", "vllm_mode"} <= compared


def test_a_record_is_the_same_in_another_process_and_after_it_was_written():
    assert json.loads(json.dumps(BEGUN)) == BEGUN
    assert " at 0x" not in json.dumps(record(step_rewards=record, thing=object()))


def test_a_batch_may_be_laid_out_otherwise_and_the_run_says_so():
    halves = ("--per_device_train_batch_size", 64, "--gradient_accumulation_steps", 2)
    other = record(*halves)
    assert other_settings(BEGUN, other) == []
    (said,) = other_circumstances(BEGUN, other)
    assert "(processes, batch of each, accumulated) was [1, 128, 1], now [1, 64, 2]" in said
    # as many a step, but generated two steps at a time
    (changed,) = other_settings(BEGUN, record("--steps_per_generation", 2))
    assert changed == "generation_batch_size was 128, now 256"


def test_settings_that_one_record_does_not_have_are_not_compared():
    old = {
        "settings": dict(BEGUN["settings"]),
        "layout": BEGUN["layout"],
        "versions": {**BEGUN["versions"], "trl": "1.15.0"},
    }
    del old["settings"]["use_bias_correction_kl"]
    old["settings"]["gone"] = 3
    assert other_settings(old, BEGUN) == []
    (versions,) = other_circumstances(old, BEGUN)
    assert versions.startswith("trl was '1.15.0', now '")
    first = {"seed": 7, "trainer": "GRPOTrainer"}  # as version 0.1 wrote it
    assert other_settings(first, BEGUN) == ["seed was 7, now 42"]


def test_a_reward_of_ones_own_whose_code_changed_makes_another_run(mine):  # noqa: F811
    begun = record(rewards=[gr.boxed_answer, mine("return 1.0")])
    assert other_settings(begun, record(rewards=[gr.boxed_answer, mine("return 1.0  # as before")])) == []
    (changed,) = other_settings(begun, record(rewards=[gr.boxed_answer, mine("return -5.0")]))
    assert changed.startswith("the code of mine was '")
    assert not any("boxed_answer" in name for name in begun["settings"] if name.startswith("the code"))
