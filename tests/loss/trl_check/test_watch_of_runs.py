"""Right runs are not ended: refreshed references, interruptions, second runs; and what was looked at is said."""

import pytest
import torch
from datasets import Dataset
from tiny_trainer import trainer, uneven
from trl import GRPOTrainer

from grpo_rewards.loss import LossMismatch, watch_loss
from grpo_rewards.loss.trl_check.contract import Generation
from grpo_rewards.loss.trl_check.report import Finding

SCORE, GENERATE = GRPOTrainer._generate_and_score_completions, GRPOTrainer._generate


def test_a_reference_that_is_refreshed_after_it_scored_a_batch_is_not_called_wrong(tmp_path):
    options = {"beta": 0.1, "sync_ref_model": True, "ref_model_sync_steps": 1, "learning_rate": 1e-2}
    watched = trainer(tmp_path, num_iterations=2, max_steps=4, **options)
    watch = watch_loss(watched, every=1)
    watched.train()
    # generated for steps 0 and 2, refreshed after each step: steps 1 and 3 have the numbers of an earlier reference
    assert "computed again in 2 micro-batches" in str(watch)


def test_a_second_run_goes_on_with_the_batch_of_the_first(tmp_path):
    watched = trainer(tmp_path, steps_per_generation=4, learning_rate=1e-2)
    watch = watch_loss(watched, every=1)
    watched.train()  # three of four micro-batches
    watched.train()  # the fourth, in step 0, by another policy than that of the generation
    assert "MISMATCHES" not in str(watch)


def test_a_run_that_was_interrupted_can_be_taken_up(tmp_path, monkeypatch):
    watched = trainer(tmp_path, gradient_accumulation_steps=2, learning_rate=1e-2)
    watch_loss(watched, every=1)
    backward, calls = watched.accelerator.backward, []

    def interrupted(loss, **given):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        backward(loss, **given)

    monkeypatch.setattr(watched.accelerator, "backward", interrupted)
    with pytest.raises(KeyboardInterrupt):
        watched.train()
    watched.train()


def test_two_small_mismatches_count_in_two_steps_of_one_run_alone(tmp_path):
    watched = trainer(tmp_path)
    watch = watch_loss(watched)

    def small():
        return [Finding("the loss", 1.0, 2.0, excess=5.0)]

    watch._conclude(7, small)
    watch._conclude(7, small)  # another micro-batch of the same step
    watch.began()
    watch._conclude(8, small)  # another run
    with pytest.raises(LossMismatch, match="step 9"):
        watch._conclude(9, small)


@pytest.mark.parametrize(("every", "uses", "taken"), [(10, 1, 10), (10, 2, 11), (4, 10, 7), (1, 3, 1), (3, 3, 4)])
def test_checks_take_turns_among_the_steps_of_a_generation_batch(every, uses, taken, tmp_path):
    watch = watch_loss(trainer(tmp_path, num_iterations=uses), every=every)
    assert watch.every == taken
    steps = [step for step in range(taken * uses * 2) if watch._due(step)]
    assert {step % uses for step in steps} == set(range(uses))


def rolled(self, inputs):
    batch = SCORE(self, inputs)
    return {**batch, "advantages": batch["advantages"].roll(1)}


def test_where_mismatches_are_warnings_the_report_begins_with_them(tmp_path, monkeypatch):
    monkeypatch.setattr(GRPOTrainer, "_generate_and_score_completions", rolled)
    watched = trainer(tmp_path, {"reward_funcs": [uneven]}, max_steps=2)
    watch = watch_loss(watched, every=1, on_mismatch="warn")
    watched.train()
    assert watch.lines[0] == "MISMATCHES, with how often each was found: advantages (2)"
    # neither an error of the check itself nor a step without a loss ends such a run
    monkeypatch.setattr(watch, "_of_inputs", lambda *_: 1 / 0)
    watched.train()
    assert "a check that failed itself (2)" in watch.lines[0]
    watch.stepped(5)
    assert "the loss was not computed by GRPOTrainer._compute_loss (1)" in watch.lines[0]


def test_a_batch_generated_late_in_a_window_is_checked_for_the_step_that_uses_it(tmp_path):
    # windows of three micro-batches, batches of two: the third and the fourth are of one, generated in step 0
    watched = trainer(tmp_path, gradient_accumulation_steps=3, steps_per_generation=2)
    watch = watch_loss(watched, every=3)
    watch._first = 0
    seen = []
    watch._of_generation = lambda generation, due: seen.append(due) or []
    watch._due = lambda step: step == 1
    for micro_step in (0, 2, 4, 6):
        watch.on_generation(Generation(micro_step // 3, micro_step, True))
    assert seen == [False, True, True, False]


def test_each_set_of_an_evaluation_is_checked_and_one_before_training_is_reported(tmp_path):
    rows = Dataset.from_list([{"prompt": f"{n} + 2?\n", "answer": str(n + 2)} for n in range(4)])
    given = {"eval_dataset": {"one": rows, "other": rows}}
    watched = trainer(tmp_path, given, per_device_eval_batch_size=8, num_generations_eval=2)
    watch = watch_loss(watched, every=1)
    watched.evaluate()
    assert watch.lines == ["2 evaluation batches checked: the loss's value, and the batch, but no gradient"]


def test_what_generate_returns_in_another_way_is_reported_as_not_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(GRPOTrainer, "_generate", lambda self, *given: list(GENERATE(self, *given)))
    watched = trainer(tmp_path, max_steps=2)
    watch = watch_loss(watched, every=1)
    watched.train()
    assert "`GRPOTrainer._generate` returns a list, not a tuple of 8; nothing is known to be wrong" in str(watch)
    assert "no advantages were computed again" in str(watch)
    assert "rows of 2 micro-batches found in their generation batch" in str(watch)


def test_a_reference_that_is_the_policy_itself_is_found(tmp_path):
    watched = trainer(tmp_path, beta=0.1)
    watched.ref_model = watched.model
    watch_loss(watched)
    with pytest.raises(LossMismatch, match=r"the reference: TRL has the policy's own .*, a copy was expected"):
        watched.train()


def test_the_first_batch_of_each_evaluation_is_checked(tmp_path):
    options = {"eval_strategy": "steps", "eval_steps": 1, "max_steps": 2, "per_device_eval_batch_size": 8}
    watched = trainer(tmp_path, {"eval_rows": 4}, beta=0.1, num_generations_eval=2, **options)
    watch = watch_loss(watched, every=1)
    watched.train()
    assert "2 evaluation batches checked: the loss's value, and the batch, but no gradient" in str(watch)
    assert [log["eval_loss_check/max_abs_diff"] < 1e-6 for log in watched.state.log_history if "eval_loss" in log] == [
        True
    ] * 2


class Replays(GRPOTrainer):
    """A trainer that puts a row of its last batch in the place of one of the new."""

    last = None

    def _generate_and_score_completions(self, inputs):
        batch = super()._generate_and_score_completions(inputs)
        mixed = dict(batch)
        if self.last is not None:
            for name, old in batch.items():
                if torch.is_tensor(old) and old.dim() and old.shape == self.last[name].shape:
                    mixed[name] = torch.cat([self.last[name][:1], old[1:]])
        self.last = batch
        return mixed


def test_rows_of_a_trainer_with_batches_of_its_own_are_counted_and_not_called_wrong(tmp_path):
    watched = trainer(tmp_path)
    watched.__class__ = Replays
    watch = watch_loss(watched, every=1)
    watched.train()
    said = "3 batches were made in the trainer's own way: their advantages, masks and counts were not checked"
    assert said in str(watch)
    assert "no advantages were computed again" in str(watch)
