"""A model that is not there, or not whole, is reported in one line before anything is loaded."""

import json
import shutil

import pytest

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

from places import TINY
from training.checks import require_model


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("./nowhere", "there is no such folder"),
        ("outputs/some/run", "there is no such folder"),
        ("empty", "empty has no model that can be read, in a folder or on the hub"),
        ("strange", "The checkpoint you are trying to load has model type `unheard_of`"),
        ("bare", "bare has a configuration and no weights"),
        ("nobody/nothing", "nobody/nothing has no model that can be read"),
    ],
)
def test_a_folder_without_a_model_is_reported(name, says, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("empty", "strange", "bare"):
        (tmp_path / folder).mkdir()
    (tmp_path / "strange" / "config.json").write_text('{"model_type": "unheard_of"}')
    shutil.copy(TINY / "config.json", tmp_path / "bare")
    with pytest.raises(SystemExit) as stopped:
        require_model(name)
    assert says in str(stopped.value)
    assert "\n" not in str(stopped.value)


def test_an_adapters_configuration_is_that_of_its_model(tmp_path):
    (tmp_path / "adapter_config.json").write_text(
        json.dumps({"base_model_name_or_path": str(TINY), "peft_type": "LORA"})
    )
    assert require_model(str(tmp_path)).to_dict() == require_model(str(TINY)).to_dict()
