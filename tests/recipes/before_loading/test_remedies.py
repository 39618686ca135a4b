"""What is proposed where TRL refuses settings is what TRL then accepts."""

import re
from types import SimpleNamespace

import pytest
from tables import tables_beside

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

from running.before_loading import remedies
from trl import GRPOConfig

TABLES = tables_beside(__file__)

DEFAULTS = {
    "per_device_train_batch_size": 8,
    "per_device_eval_batch_size": 8,
    "gradient_accumulation_steps": 1,
    "num_generations": 8,
    "num_generations_eval": None,
    "generation_batch_size": None,
    "steps_per_generation": None,
}
REFUSED = TABLES["refused"]


def made(given, monkeypatch, processes):
    """TRL's settings as ``processes`` processes would make them."""
    monkeypatch.setattr(GRPOConfig, "world_size", processes)
    return GRPOConfig(output_dir="out", use_cpu=True, bf16=False, **given)


@pytest.mark.parametrize("processes", [1, 2, 8])
@pytest.mark.parametrize("given", REFUSED, ids=str)
def test_each_setting_that_is_proposed_is_accepted(given, processes, monkeypatch):
    monkeypatch.setattr(remedies, "PartialState", lambda: SimpleNamespace(num_processes=processes))
    try:
        made(given, monkeypatch, processes)
    except ValueError as error:
        message = str(error)
    else:
        pytest.skip("so many processes make it whole")
    said = remedies.remedy(message, {**DEFAULTS, **given})
    proposed = re.findall(r"--(\w+) (\d+)", said)
    assert proposed, (message, said)
    for name, number in proposed:
        made({**given, name: int(number)}, monkeypatch, processes)


def test_a_batch_is_reported_with_the_processes_that_run(monkeypatch):
    monkeypatch.setattr(remedies, "PartialState", lambda: SimpleNamespace(num_processes=3))
    given = {**DEFAULTS, "per_device_train_batch_size": 4}
    said = remedies.remedy("generation_batch_size (12) must be divisible by num_generations (8).", given)
    # 3 · 8 is a multiple of 8, and 6 of 12 is the nearest whole number of groups
    expected = " That is 12 completions on 3 processes: set --per_device_train_batch_size 8, or --num_generations 6."
    assert said == expected


def test_what_is_not_known_gets_no_advice():
    assert remedies.remedy("the moon is in the wrong phase", DEFAULTS) == ""
