"""The package in ``docs/examples``, installed as its users do it: its rewards are found, and its own tests pass."""

import re
import shutil

import pytest
from fresh_environments import CONSTRAINTS, workplace
from places import ROOT

EXAMPLE = ROOT / "docs" / "examples" / "plain_speech"
FIND = """
import grpo_rewards as gr
print(*[name for name in gr.list_rewards() if not gr.get_reward(name).__module__.startswith("grpo_rewards.")])
for spec in ("no_hedging", "plain_speech.no_hedging", "plain_speech.short_sentences(words=2)"):
    print(gr.get_reward(spec).score("Maybe four.", is_certain=True))
print(gr.__file__)
"""


@pytest.mark.full  # installs this package and that one, with all that they need
def test_the_example_package_is_installed_found_and_passes_its_own_tests() -> None:
    with workplace() as place:
        environment = place.environment("plain-speech")
        source = place.folder / "plain_speech"
        shutil.copytree(EXAMPLE, source)
        environment.install("--constraint", CONSTRAINTS, place.wheel(), f"{source}[test]")
        names, *scores, file = environment.run("-c", FIND, more={"PYTHONPATH": ""}).splitlines()
        assert names == "no_hedging short_sentences"
        # "Maybe" hedges where the row is certain; a sentence of two words is short
        assert scores == ["0.0", "0.0", "1.0"]
        assert str(environment.folder) in file
        # pytest finds the plug-in by its entry point
        tested = environment.run("-m", "pytest", "-q", "-p", "no:cacheprovider", source, more={"PYTHONPATH": ""})
        passed = re.search(r"(\d+) passed", tested)
        assert passed is not None
        assert "failed" not in tested
        assert int(passed[1]) > 24  # 12 clauses of two rewards, and what they earn
