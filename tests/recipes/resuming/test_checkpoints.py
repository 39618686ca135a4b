"""Which checkpoint a run goes on with, and when it refuses to."""

import json
from pathlib import Path

import pytest
from tables import tables_beside
from training.resume import checkpoint_to_resume, save_between_generations
from trl import GRPOConfig

TABLES = tables_beside(__file__)

RECORD = {"settings": {"seed": 42, "max_steps": 10}, "layout": [1, 8, 1], "versions": {}}


def training(folder, **options):
    given = {"max_steps": 10, "per_device_train_batch_size": 8, "bf16": False, "use_cpu": True, **options}
    return GRPOConfig(output_dir=str(folder), report_to="none", **given)


def run(folder, *steps, record=RECORD, planned=10):
    folder.mkdir(exist_ok=True)
    (folder / "run.json").write_text(json.dumps(record))
    for step in steps:
        checkpoint(folder, step, planned)
    return folder


def checkpoint(folder, step, planned=10):
    path = folder / f"checkpoint-{step}"
    path.mkdir()
    (path / "complete").touch()
    (path / "trainer_state.json").write_text(json.dumps({"global_step": step, "epoch": step / 5, "max_steps": planned}))
    return path


def resumed(folder, overwrite=False, **options):
    found = checkpoint_to_resume(training(folder, **options), RECORD, overwrite=overwrite)
    return None if found is None else Path(found).name


def refused(folder, **options):
    with pytest.raises(SystemExit) as stopped:
        resumed(folder, **options)
    return str(stopped.value)


def test_the_last_whole_checkpoint_is_gone_on_with(tmp_path, capsys):
    assert resumed(tmp_path / "new") is None
    assert json.loads((tmp_path / "new" / "run.json").read_text()) == RECORD
    folder = run(tmp_path / "run", 2, 4, 10)
    (folder / "checkpoint-10" / "complete").unlink()  # killed while one of the processes wrote it
    assert resumed(folder) == "checkpoint-4"
    assert "Resuming from" in capsys.readouterr().out
    (folder / "checkpoint-2-backup").mkdir()  # somebody's copy
    assert resumed(folder) == "checkpoint-4"
    (folder / "eval.json").write_text('{"steps": 10}')
    (folder / "evaluation").mkdir()
    assert resumed(folder, overwrite=True) is None
    assert not (folder / "evaluation").exists()
    assert not (folder / "checkpoint-2").exists()
    assert not (folder / "eval.json").exists()  # or the run that begins would seem to be finished


def test_a_checkpoint_can_be_named(tmp_path):
    folder = run(tmp_path / "run", 2, 4)
    assert resumed(folder, resume_from_checkpoint="True") == "checkpoint-4"
    assert resumed(folder, resume_from_checkpoint=str(folder / "checkpoint-2")) == "checkpoint-2"
    # of the same run, in another folder
    assert resumed(tmp_path / "new", resume_from_checkpoint=str(folder / "checkpoint-2")) == "checkpoint-2"


def test_figures_that_were_not_written_to_their_end_are_none(tmp_path):
    folder = run(tmp_path / "run", 10)
    (folder / "eval.json").write_text('{"steps": 10, "prob')
    assert resumed(folder) == "checkpoint-10"


def test_a_checkpoint_that_is_named_is_refused_if_it_cannot_be_meant(tmp_path):
    folder = run(tmp_path / "run", 2)
    said = refused(folder, resume_from_checkpoint=str(folder / "checkpoint-3"))
    assert f"checkpoint-3 is no whole checkpoint. Those of {folder}: {folder / 'checkpoint-2'}." in said
    assert "false is no whole checkpoint" in refused(folder, resume_from_checkpoint="false")
    assert "pass one of them" in refused(folder, resume_from_checkpoint="true", overwrite=True)
    assert (folder / "checkpoint-2").exists()
    other = run(tmp_path / "other", 2, record={**RECORD, "settings": {"seed": 7}})
    said = refused(tmp_path / "new", resume_from_checkpoint=str(other / "checkpoint-2"))
    assert f"{other} holds a run with other settings (seed was 7, now 42)" in said


def test_a_folder_of_another_run_or_of_nobody_knows_which_is_refused(tmp_path):
    other = run(tmp_path / "other", 2, record={**RECORD, "settings": {"seed": 7}})
    said = refused(other)
    assert said.startswith(f"error: {other} holds a run with other settings (seed was 7, now 42). Pass another")
    # a folder whose run never saved anything is free
    assert resumed(run(tmp_path / "empty", record={**RECORD, "settings": {"seed": 7}})) is None


def test_a_run_is_finished_when_the_evaluation_of_its_last_step_is_written(tmp_path, capsys):
    folder = run(tmp_path / "run", 5, 10)
    assert resumed(folder) == "checkpoint-10"  # killed in the evaluation
    (folder / "eval.json").write_text(json.dumps({"steps": 5}))  # of the run before it was made longer
    assert resumed(folder) == "checkpoint-10"
    (folder / "eval.json").write_text(json.dumps({"steps": 10}))
    with pytest.raises(SystemExit) as stopped:
        resumed(folder)
    assert stopped.value.code == 0
    assert "finished at step 10" in capsys.readouterr().out
    assert resumed(folder, max_steps=12) == "checkpoint-10"
    assert resumed(folder, max_steps=-1, num_train_epochs=3) == "checkpoint-10"  # two epochs are done
    with pytest.raises(SystemExit):
        resumed(folder, max_steps=-1, num_train_epochs=2)


@pytest.mark.parametrize(("options", "asked", "expected"), TABLES["saves_are_rounded_up_to_the_end_of_a_generation"])
def test_saves_are_rounded_up_to_the_end_of_a_generation(options, asked, expected, tmp_path, capsys):
    given = training(tmp_path, save_steps=asked, **options)
    save_between_generations(given)
    said = capsys.readouterr().out
    assert given.save_steps == expected
    assert said.startswith(f"save_steps is {expected} in place of") == (asked != expected)


def test_saves_stay_on_exams_where_the_best_model_is_chosen(tmp_path, capsys):
    best = {"load_best_model_at_end": True, "eval_strategy": "steps", "metric_for_best_model": "sampled/boxed_answer"}
    given = training(tmp_path, save_steps=3, eval_steps=3, num_iterations=2, num_generations_eval=1, **best)
    save_between_generations(given)
    assert given.save_steps == 6  # 4 has no evaluation
