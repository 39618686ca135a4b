"""Every option of TRL's GRPOConfig is in the table of the docs, or in the list of those that touch nothing."""

import dataclasses
import re
from importlib.metadata import version

from places import ROOT
from transformers import TrainingArguments
from trl import GRPOConfig


def names(text):
    return re.findall(r"`(\w+)`", text)


def test_no_option_is_missing_named_twice_or_unknown():
    whole = (ROOT / "docs" / "loss.md").read_text().split("## Every option, and what checks it")[1]
    table = [name for line in whole.splitlines() if line.startswith("| `") for name in names(line.split("|")[1])]
    without = names(whole.split("touch neither loss, advantages nor data:")[1])
    listed = [*table, *without]
    inherited = {one.name for one in dataclasses.fields(TrainingArguments)}
    fields = {one.name for one in dataclasses.fields(GRPOConfig)}
    assert sorted(listed) == sorted(set(listed))
    if version("trl").startswith("1.16."):
        assert set(listed) <= fields
    assert fields - inherited <= set(listed)
    assert not set(without) & inherited
