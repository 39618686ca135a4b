"""Every command finds a reward in the folder that one works in."""

import json
import sys
from pathlib import Path

import pytest
from forked import RunForked
from invoked import invoke
from quick_probes import with_quick_probes  # noqa: F401  # a fixture

pytestmark = pytest.mark.usefixtures("with_quick_probes")

MODULE = '''
from grpo_rewards import reward

@reward
def is_short(completion: str) -> float:
    """1 if it is short, else 0."""
    return float(len(completion) < 9)
'''


# As an installed script, to whose sys.path the working folder does not belong.
INSTALLED = """
import sys
sys.path = [one for one in sys.path if one]
from grpo_rewards.command_line import app
app({})
"""


@pytest.mark.parametrize(
    "command", [["explain", "mine.is_short", "short"], ["score", "mine.is_short", "-i", "a.jsonl"]]
)
def test_a_dotted_path_of_the_working_folder(command: list[str], forked: RunForked, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "a.jsonl").write_text('{"completion": "short"}\n', encoding="utf-8")
    ended = forked(INSTALLED.format(command), within=tmp_path)
    assert (ended.code, ended.errors) == (0, "")
    assert "is_short" in ended.output


PLAIN = """
def pays_all(completions, **kwargs):
    return [1.0] * len(completions)

NUMBER = 3
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


def test_a_plain_function_is_probed_and_checked_as_trl_takes_it(own: Path) -> None:
    (own / "plainly_mine.py").write_text(PLAIN, encoding="utf-8")
    (own / "a.jsonl").write_text('{"prompt": "1 + 1?", "answer": "2"}\n' * 20, encoding="utf-8")
    probed = invoke(["probe", "plainly_mine.pays_all"])
    assert (probed.exit_code, "pays_all" in probed.output) == (1, True), probed.output
    checked = invoke(["check", "plainly_mine.pays_all", "--dataset", "a.jsonl", "--json"])
    assert checked.exit_code in (0, 1), checked.output
    assert "pays_all" in checked.stdout
    for wrong in ("plainly_mine.NUMBER", "plainly_mine.none", "no_such_module.one"):
        refused = invoke(["probe", wrong])
        assert (refused.exit_code, "Traceback" in refused.output) == (2, False), refused.output


@pytest.mark.parametrize(("text", "said"), [("import no_such_thing", "no_such_thing"), ("def (", "SyntaxError")])
def test_a_module_that_cannot_be_imported_is_reported_in_a_line(text: str, said: str, own: Path) -> None:
    name = f"broken_{len(text)}"
    (own / f"{name}.py").write_text(text, encoding="utf-8")
    for command in (["explain", f"{name}.one", "text"], ["probe", f"{name}.one"]):
        refused = invoke(command)
        assert (refused.exit_code, said in refused.stderr) == (2, True), refused.output


def test_show_says_how_to_probe_a_reward_where_it_stands(own: Path) -> None:
    (own / "shown_there.py").write_text(MODULE.replace("is_short", "is_shown"), encoding="utf-8")
    said = invoke(["show", "shown_there.is_shown"])
    assert "grpo-rewards probe shown_there.is_shown" in said.output
    assert invoke(["probe", "shown_there.is_shown"]).exit_code != 2


def test_a_check_names_a_probe_that_works(own: Path) -> None:
    text = MODULE.replace("completion: str", "completion: str, answer: str").replace(
        "len(completion) < 9", "answer in completion"
    )
    (own / "hedged_mine.py").write_text(f"{text}\n{PLAIN}", encoding="utf-8")
    (own / "a.jsonl").write_text("".join(f'{{"prompt": "{n} + 1?", "answer": "{n + 1}"}}\n' for n in range(20)))
    specs = [
        "hedged_mine.is_short",
        "gated(hedged_mine.is_short, by=boxed_answer, name='both')",
        "hedged_mine.pays_all",
    ]
    checked = json.loads(invoke(["check", *specs, "--dataset", "a.jsonl", "--json"]).stdout)
    both = "gated(hedged_mine.is_short(name='both/is_short'), by=boxed_answer, name='both')"  # two are called is_short
    assert checked["specs"] == ["hedged_mine.is_short", both, "hedged_mine.pays_all"]
    hacked = [one["reward"] for one in checked["findings"] if "grpo-rewards probe shows all" in one["remedy"]]
    assert hacked == ["is_short"]
    assert invoke(["probe", checked["specs"][0], "--dataset", "a.jsonl"]).output.startswith("is_short: best 1")
