"""lighteval: rewards as a metric of a task."""

from types import SimpleNamespace
from typing import Any

import pytest
from stand_ins import KINDS, REAL, use

from grpo_rewards.integrations.lighteval import metric


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    use(request.param, monkeypatch, "lighteval")
    return str(request.param)


def document(kind: str, golds: list[str], **specific: Any) -> Any:
    if kind == REAL:
        from lighteval.tasks.requests import Doc

        return Doc(query="1 + 3?", choices=golds, gold_index=[*range(len(golds))], specific=specific)
    return SimpleNamespace(query="1 + 3?", specific=specific or None, get_golds=lambda: golds)


def response(kind: str, *texts: str, ids: list[list[int]] | None = None) -> Any:
    if kind == REAL:
        from lighteval.models.model_output import ModelResponse

        return ModelResponse(text=[*texts], output_tokens=ids or [])
    return SimpleNamespace(text=[*texts], output_tokens=ids or [])


def computed(kind: str, made: Any, documents: list[Any], responses: list[Any]) -> list[dict[str, float]]:
    """What each document gets, as lighteval asks."""
    if kind == REAL:
        from lighteval.metrics import apply_metric

        return apply_metric(docs=documents, responses=responses, metrics=[made])
    pairs = zip(documents, responses, strict=True)
    return [made.compute_sample(doc=doc, model_response=said) for doc, said in pairs]


def test_a_document_has_a_number_for_each_reward(kind: str) -> None:
    made = metric("boxed_answer")
    (found,) = computed(kind, made, [document(kind, ["4"])], [response(kind, r"\boxed{5}")])
    assert found == {"boxed_answer": 0.0, "boxed_answer/unscored": 0.0}
    assert made.higher_is_better["boxed_answer"]
    assert not made.higher_is_better["boxed_answer/unscored"]


def test_of_several_samples_it_has_the_mean_and_token_ids_are_handed_over(kind: str) -> None:
    made = metric("boxed_answer", "max_length(max_tokens=2)")
    said = response(kind, r"\boxed{4}", "4", ids=[[1, 2], [1, 2, 3]])
    (found,) = computed(kind, made, [document(kind, ["4"])], [said])
    assert (found["boxed_answer"], found["max_length"]) == (0.5, 0.5)


def test_what_is_specific_to_a_task_are_columns(kind: str) -> None:
    made = metric("expression_reaches", columns={"nums": "numbers"})
    doc = document(kind, [], numbers=[4, 6], target=24)
    (found,) = computed(kind, made, [doc], [response(kind, "<answer>4 * 6</answer>")])
    assert found["expression_reaches"] == 1.0


def test_a_document_that_cannot_be_scored_is_not_in_the_mean(kind: str) -> None:
    made = metric("boxed_answer")
    documents = [document(kind, [gold]) for gold in ("4", "", "5")]
    found = computed(kind, made, documents, [response(kind, r"\boxed{4}")] * 3)
    assert found[1] == {"boxed_answer/unscored": 1.0}
    means = made.get_corpus_aggregations()
    if kind == REAL:
        from lighteval.logging.info_loggers import MetricsLogger

        figures = MetricsLogger()
        for one in found:
            figures.log("ours|0", one)
        figures.aggregate({"ours|0": SimpleNamespace(aggregation=lambda: means)}, bootstrap_iters=10)
        told = figures.metric_aggregated["ours|0"]
        assert "boxed_answer_stderr" in told
    else:
        told = {name: means[name]([one[name] for one in found if name in one]) for name in means}
    assert told["boxed_answer"] == 0.5
    assert told["boxed_answer/unscored"] == pytest.approx(1 / 3)
