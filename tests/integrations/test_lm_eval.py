"""lm-evaluation-harness: a task whose metrics are rewards. There is no stand-in, for nothing of it is imported."""

import json
from pathlib import Path
from typing import Any

import pytest
from stand_ins import start_of

import grpo_rewards as gr
from grpo_rewards.integrations.lm_eval import results_of

HEADING = "lm-evaluation-harness"  # on the page of integrations
DOCUMENT = {"question": "1 + 3?", "target": "4"}


def test_a_reward_that_counts_tokens_is_reported_no_trainer() -> None:
    with pytest.raises(gr.RewardError, match=r"counts tokens.*leave the reward out there") as raised:
        results_of("max_length(max_tokens=2)")(DOCUMENT, ["4"])
    assert "GRPOTrainer" not in str(raised.value)


@pytest.mark.parametrize("results", [[[r"\boxed{4}", "4"]], [r"\boxed{4}", "4"]])
def test_of_several_generations_it_has_the_mean(results: list[Any]) -> None:
    # a filter that keeps several hands over a list of them, and several requests are several results
    found = results_of("boxed_answer", columns={"answer": "target"})(DOCUMENT, results)
    assert found == {"boxed_answer": 0.5, "boxed_answer/unscored": 0.0}


def test_the_gold_of_gsm8k_is_read_as_it_is() -> None:
    document = {"answer": "Natalia sold 48/2 = <<48/2=24>>24 clips in May.\n#### 72"}
    assert results_of("final_answer")(document, ["So it is 72."])["final_answer"] == 1.0


DATA = """
dataset_path: json
dataset_kwargs:
  data_files: {{test: {folder}/rows.jsonl}}
test_split: test
doc_to_text: "{{{{question}}}}"
doc_to_target: target
"""


@pytest.mark.full
def test_the_harness_evaluates_a_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lm_eval = pytest.importorskip("lm_eval", reason="lm_eval is not installed: python tests/environments/frameworks.py")
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager

    class Says4(LM):  # type: ignore[misc]
        """Knows one answer."""

        def generate_until(self, requests: list[Any], disable_tqdm: bool = False) -> list[str]:
            return [r"\boxed{4}"] * len(requests)

        def loglikelihood(self, requests: list[Any]) -> Any: ...

        def loglikelihood_rolling(self, requests: list[Any]) -> Any: ...

    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    golds = ["4", "5", "4", "4", None]
    rows = [{"question": "?", "target": one} for one in golds]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "our_task.yaml").write_text(start_of(HEADING, "yaml") + DATA.format(folder=tmp_path))
    (tmp_path / "our_metrics.py").write_text(start_of(HEADING))
    found = lm_eval.simple_evaluate(
        model=Says4(),
        tasks=["our_task"],
        task_manager=TaskManager(include_path=str(tmp_path), include_defaults=False),
        bootstrap_iters=10,
    )["results"]["our_task"]
    assert found["boxed_answer,none"] == 0.75  # three of the four that have a gold
    assert found["boxed_answer/unscored,none"] == 0.2
