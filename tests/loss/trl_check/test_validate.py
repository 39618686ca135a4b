"""TRL compared with the loss: that it passes as it is, that a wrong one does not, and what a changed one comes to."""

import tomllib
from collections import Counter
from contextlib import nullcontext
from pathlib import Path

import pytest
import torch
import trl
from step_mutants import Planted, plant
from tables import each_row, tables_beside
from trl import GRPOTrainer
from trl.trainer import grpo_trainer

from grpo_rewards.loss import LOSS_TYPES, validate_trl_loss, watch_loss
from grpo_rewards.loss.trl_check import cases, tiny, validate
from grpo_rewards.loss.trl_check.contract import ACCEPTED_TRL, TESTED_TRL, is_within, verdict
from grpo_rewards.loss.trl_check.report import kinds

A_STEP, TWO_RANKS = validate.A_STEP, validate.TWO_RANKS


@pytest.mark.full
def test_the_installed_trl_computes_the_loss_of_the_papers():
    report = validate_trl_loss()
    assert report.mismatches == []
    assert report.trl == trl.__version__
    assert (report.failed, report.lacking, report.changed, report.short) == ({}, {}, {}, {})
    assert report.status == "agrees"
    assert list(kinds(report)) == [*LOSS_TYPES, "advantages", "importance ratio", A_STEP, TWO_RANKS]
    for kind in (*LOSS_TYPES, "advantages", "importance ratio"):
        assert 0 <= report.largest(kind, torch.float64)["value"] <= 1e-12
    found = Counter(one.kind for one in report.differences)
    assert all(0 <= found[kind] - least <= 1 for kind, least in validate.LEAST_COMPARISONS.items())
    assert torch.get_default_dtype() == torch.float32


@pytest.fixture(autouse=True)
def few(request, monkeypatch):
    """Leaves every so-manieth case, and no ranks, so that a test of a changed TRL is quick."""
    if request.node.get_closest_marker("full"):
        return
    every = list(cases.loss_cases())
    monkeypatch.setattr(validate, "loss_cases", lambda: iter(every[:: len(every) // 40]))
    monkeypatch.setitem(validate.EVERY, torch.float32, 1)
    monkeypatch.setattr(validate, "scoring_cases", lambda dtype: [*cases.scoring_cases(dtype)][8::9])
    monkeypatch.setattr(validate, "two_ranks", lambda folder: nullcontext(list))  # which saw nothing
    monkeypatch.setattr(validate, "LEAST_COMPARISONS", {})


COMPUTE = GRPOTrainer._compute_loss


def times(self, model, inputs):
    return COMPUTE(self, model, inputs) * (1 + 1e-5)


def value_alone(self, model, inputs):
    loss = COMPUTE(self, model, inputs)
    return loss + (loss * 1e-3 - (loss * 1e-3).detach())  # the same number, another gradient


def not_a_number(self, model, inputs):
    return COMPUTE(self, model, inputs) * torch.nan


@pytest.mark.parametrize("changed", [times, value_alone, not_a_number])
def test_a_wrong_loss_is_found(changed, monkeypatch):
    monkeypatch.setattr(GRPOTrainer, "_compute_loss", changed)
    report = validate_trl_loss()
    assert {one.kind for one in report.mismatches} >= {"grpo", "dapo", "vespo"}
    assert report.status == "wrong"


def test_wrong_advantages_are_found_on_tensors_and_in_a_step(monkeypatch):
    score = GRPOTrainer._generate_and_score_completions

    def wrong(self, inputs):
        output = score(self, inputs)
        return {**output, "advantages": output["advantages"] * 1.001}

    monkeypatch.setattr(GRPOTrainer, "_generate_and_score_completions", wrong)
    report = validate_trl_loss()
    assert {one.kind for one in report.mismatches} == {"advantages", A_STEP}
    of_step = next(one for one in report.mismatches if one.kind == A_STEP)
    assert of_step.case.startswith("step 0: advantages at completion 0: TRL has ")
    assert of_step.settings["beta"] == 0.1


def test_the_settings_that_mismatches_share_are_named(monkeypatch):
    def not_corrected(self, model, inputs):
        wrong = self.args.use_bias_correction_kl and self.beta
        return COMPUTE(self, model, inputs) * (1.001 if wrong else 1)

    monkeypatch.setattr(GRPOTrainer, "_compute_loss", not_corrected)
    some = [case for case in cases.loss_cases() if case.settings["loss_type"] in ("grpo", "vespo")]
    monkeypatch.setattr(validate, "loss_cases", lambda: iter([one for one in some if one.ratio is None][::3]))
    report = validate_trl_loss()
    lines = [line for line in report.mismatch_lines() if not line.startswith("steps")]
    assert [line.partition(":")[0] for line in lines] == ["grpo", "vespo"]
    assert all("all of those with beta=0.04, use_bias_correction_kl=True and no other" in line for line in lines), lines


def raising(self, model, inputs):
    raise RuntimeError("not today")


def test_a_loss_that_raises_is_a_failure_of_a_trl_that_is_tested(monkeypatch):
    monkeypatch.setattr(GRPOTrainer, "_compute_loss", raising)
    report = validate_trl_loss()
    assert A_STEP in report.failed
    assert (report.lacking, report.status) == ({}, "wrong")


def test_of_a_newer_trl_failing_to_run_is_unknown(monkeypatch):
    monkeypatch.setattr(validate, "version", lambda name: "1.17.0")

    def of_one_type(self, model, inputs):
        if self.loss_type == "sapo":
            raise ValueError("another way")
        return COMPUTE(self, model, inputs)

    monkeypatch.setattr(GRPOTrainer, "_compute_loss", of_one_type)
    report = validate_trl_loss()
    assert (set(report.lacking), report.failed, report.status) == ({"sapo"}, {}, "unknown")
    assert {"dapo", "advantages", A_STEP} <= {one.kind for one in report.differences}


def test_an_early_stop_goes_on_past_what_a_newer_trl_cannot_run(monkeypatch):
    monkeypatch.setattr(validate, "version", lambda name: "1.17.0")
    monkeypatch.setattr(GRPOTrainer, "_compute_loss", raising)
    report = validate_trl_loss(stop_at_first=True)
    assert {A_STEP, "dapo"} <= set(report.lacking)
    assert {one.kind for one in report.differences} == {"advantages", "importance ratio"}
    assert (report.failed, report.status) == ({}, "unknown")


def test_too_few_comparisons_are_a_failure(monkeypatch):
    monkeypatch.setattr(validate, "LEAST_COMPARISONS", {"dapo": 10_000, "importance ratio": 2})
    report = validate_trl_loss()
    assert list(report.short) == ["dapo"]
    assert (report.mismatches, report.failed, report.status) == ([], {}, "wrong")


SOURCE = Path(grpo_trainer.__file__).read_text()
FORWARD = "_get_per_token_logps_and_entropies"
READS = 'completion_mask if "tool_mask" not in inputs else completion_mask * inputs["tool_mask"]\n\n        # Compute'
HARMLESS = {
    "a new attribute read": [
        ('self._last_world_entropy = float("inf")', 'self._last_world_entropy, self.extra = float("inf"), 1.0'),
        (READS, READS.replace("\n\n", '\n        advantages = inputs["advantages"] * self.extra\n\n')),
    ],
    "an attribute of the training loop read": [
        ("self._step += 1", "self._step, self.of_loop = self._step + 1, 0"),
        (
            READS,
            READS.replace("\n\n", "\n        getattr(self, 'of_loop', None) if self._step == 0 else self.of_loop\n\n"),
        ),
    ],
    "one argument more": [
        ("def _compute_loss(self, model, inputs):", "def _compute_loss(self, model, inputs, scale=1.0):"),
        (
            "def _calculate_rewards(self, inputs, prompts, completions, completion_ids_list):",
            "def _calculate_rewards(self, inputs, prompts, completions, completion_ids_list, weights=None):",
        ),
        (
            "        image_position_ids=None,\n    ) -> tuple",
            "        image_position_ids=None,\n        videos=None,\n    ) -> tuple",
        ),
    ],
}
# what is not compared without each, what is, and what a watched run does not see
RENAMED = {
    FORWARD: ({"grpo", "dapo"}, set(), "losses"),
    "_calculate_rewards": ({"advantages"}, {"grpo", "dapo"}, "batches"),
    "_generate_and_score_completions": ({"advantages", "importance ratio"}, {"grpo", "dapo"}, "batches"),
    "_compute_loss": ({"grpo"}, {"advantages"}, "losses"),
}


def patched(monkeypatch, *pairs):
    """A copy of TRL's trainer with other source."""
    source = SOURCE
    for was, becomes in pairs:
        assert was in source, was
        source = source.replace(was, becomes)
    plant(Planted("grpo_trainer", SOURCE, source), monkeypatch)


def watched(tmp_path):
    trainer = tiny.tiny_trainer(tmp_path, max_steps=2, beta=0.1)
    watch = watch_loss(trainer, every=1)
    trainer.train()
    return watch


@pytest.mark.parametrize("pairs", HARMLESS.values(), ids=HARMLESS)
def test_what_a_trl_adds_changes_nothing_and_a_run_is_watched_whole(pairs, tmp_path, monkeypatch):
    patched(monkeypatch, *pairs)
    report = validate_trl_loss()
    assert (report.changed, report.failed, report.lacking, report.mismatches) == ({}, {}, {}, [])
    assert report.status == "agrees"
    watch = watched(tmp_path)
    assert (watch.changed, watch.mismatches) == ({}, {})
    assert (watch.counts["losses"], watch.counts["batches"], watch.counts["references"]) == (2, 2, 2)


@pytest.mark.parametrize("trl_version", ["1.16.0", "1.17.0"])
@pytest.mark.parametrize("name", RENAMED)
def test_a_method_that_is_renamed_is_named_and_the_rest_compared(name, trl_version, tmp_path, monkeypatch, caplog):
    hidden, compared, unseen = RENAMED[name]
    monkeypatch.setattr(validate, "version", lambda _: trl_version)
    patched(monkeypatch, (name, name + "_of_batch"))
    report = validate_trl_loss()
    assert report.changed[name] == f"`GRPOTrainer` has no `{name}`"
    assert (report.failed, report.mismatches, report.status) == ({}, [], "unknown")
    found = {one.kind for one in report.differences}
    assert not hidden & found
    assert compared <= found
    said = verdict(trl_version, report.changed)
    begins = "TRL 1.17.0 is newer than what was tested (1.16): " if trl_version == "1.17.0" else "TRL 1.16.0 is not as "
    assert said.startswith(begins)
    what = f"`GRPOTrainer` has no `{name}`; nothing is known to be wrong, what could not be compared is"
    assert what in said
    watch = watched(tmp_path)  # what does not hang on it is still compared
    assert (list(watch.changed), watch.mismatches) == ([name], {})
    assert what in caplog.text
    assert what in watch.lines[0]
    assert [one for one in ("losses", "batches") if watch.counts[one] != 2] == [unseen]


@pytest.mark.parametrize(
    ("was", "becomes", "says"),
    [
        (
            "return logps, entropies, aux_loss\n",
            "return logps, entropies, aux_loss, None\n",
            "returns a tuple of 4, not",
        ),
        (
            "def _generate(self, prompts: list):",
            "def _generate(self, batch: list):\n        prompts = batch",
            "takes (batch), not",
        ),
        ("self.epsilon_low", "self.lower_epsilon", "`GRPOTrainer` has no `epsilon_low`"),
    ],
)
def test_what_a_method_returns_or_takes_and_what_is_read_is_looked_at(was, becomes, says, monkeypatch):
    pairs = [(was, becomes)]
    if "aux_loss, None" in becomes:  # where it is called
        pairs += [
            ("_, _ = self." + FORWARD, "_, _, _ = self." + FORWARD),
            ("aux_loss = self." + FORWARD, "aux_loss, _ = self." + FORWARD),
        ]
    patched(monkeypatch, *pairs)
    report = validate_trl_loss()
    assert any(says in change for change in report.changed.values()), report.changed
    assert (report.failed, report.mismatches, report.status) == ({}, [], "unknown")


def test_the_accepted_versions_are_those_that_the_recipes_ask_for():
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())
    wanted = next(one for one in project["project"]["optional-dependencies"]["recipes"] if one.startswith("trl"))
    assert wanted == f"trl>={ACCEPTED_TRL[0]},<{ACCEPTED_TRL[1]}"


@each_row("trl_version, accepted, tested", tables_beside(__file__)["versions"])
def test_which_versions_are_accepted_and_which_tested(trl_version, accepted, tested):
    assert (is_within(trl_version, ACCEPTED_TRL), is_within(trl_version, TESTED_TRL)) == (accepted, tested)
