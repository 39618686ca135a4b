"""The few names of other people's programs that the integrations use, as their source publishes them, and no more.

A test of an integration runs twice: with such a stand-in, wherever the tests run, and, marked ``full``, with the
program itself, where it is installed (``tests/environments/frameworks.py`` installs each). What a stand-in gets wrong,
the second run finds. Versions: verl 0.9.1, ms-swift 4.6.0, verifiers 0.3.1, lm-eval 0.4.13, lighteval 0.13.0.
"""

import copy
import re
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from places import ROOT

STAND_IN, REAL = "stand-in", "real"
KINDS = [STAND_IN, pytest.param(REAL, marks=pytest.mark.full)]


class NaiveRewardManager:
    """verl's: ``verl.experimental.reward_loop.reward_manager.naive``."""

    def __init__(
        self,
        config: Any,
        tokenizer: Any,
        compute_score: Any,
        reward_router_address: Any = None,
        reward_model_tokenizer: Any = None,
    ) -> None:
        import asyncio

        self.config, self.tokenizer, self.compute_score = config, tokenizer, compute_score
        self.loop = asyncio.get_event_loop()


class ORM:
    """swift's: ``swift.rewards``."""

    def __init__(self, args: Any = None, **more: Any) -> None:
        self.args = args


class Rubric:
    """verifiers': each function is called with what it names, or with everything if it takes ``**``."""

    def __init__(self, funcs: Any = None, weights: Any = None, parser: Any = None) -> None:
        self.funcs, self.weights = list(funcs or []), list(weights or [1.0] * len(funcs or []))

    def add_metric(self, func: Any, weight: float = 0.0) -> None:
        self.funcs.append(func)
        self.weights.append(weight)

    async def score_rollout(self, state: Any) -> None:
        import inspect

        given = {name: state.get(name) for name in ("prompt", "completion", "answer", "info")} | {"state": state}
        given |= {name: value for name, value in state["input"].items() if name not in given}
        found = {}
        for func in self.funcs:
            names = inspect.signature(func).parameters
            everything = any(one.kind == one.VAR_KEYWORD for one in names.values())
            try:
                value = func(**{name: one for name, one in given.items() if everything or name in names})
                found[func.__name__] = float(await value if inspect.isawaitable(value) else value)
            except Exception:  # noqa: BLE001  # so it does, and logs it
                found[func.__name__] = 0.0
        state["metrics"] = found
        state["reward"] = sum(weight * one for weight, one in zip(self.weights, found.values(), strict=True))


class SampleLevelComputation:
    """lighteval's: ``lighteval.metrics.metrics_sample``."""


class SampleLevelMetricGrouping(SimpleNamespace):
    """lighteval's: ``lighteval.metrics.utils.metric_utils``."""

    batched_compute = False

    def compute_sample(self, **given: Any) -> Any:
        return self.sample_level_fn.compute(**given)

    def get_corpus_aggregations(self) -> Any:
        return self.corpus_level_fn


# the names in the modules of a stand-in, by package
MODULES: dict[str, dict[str, dict[str, Any]]] = {
    "verl": {"verl.experimental.reward_loop.reward_manager.naive": {"NaiveRewardManager": NaiveRewardManager}},
    "swift": {"swift.rewards": {"orms": {"accuracy": ORM, "soft_overlong": ORM}, "ORM": ORM}},
    "verifiers": {"verifiers": {"Rubric": Rubric}},
    "lighteval": {
        "lighteval.metrics.utils.metric_utils": {
            "SampleLevelMetricGrouping": SampleLevelMetricGrouping,
            "SamplingMethod": SimpleNamespace(GENERATIVE="GENERATIVE"),
        },
        "lighteval.metrics.metrics_sample": {"SampleLevelComputation": SampleLevelComputation},
    },
}


def use(kind: str, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    """Puts the stand-in in the place of the package, or skips the test if the real one is asked for and not there."""
    if kind == REAL:
        pytest.importorskip(package, reason=f"{package} is not installed: python tests/environments/frameworks.py")
        return
    for name, names in {package: {}, **copy.deepcopy(MODULES[package])}.items():
        module = ModuleType(name)
        module.__dict__.update(names)
        monkeypatch.setitem(sys.modules, name, module)


def start_of(heading: str, language: str = "python") -> str:
    """The first block in a language below a heading of docs/integrations.md: what a reader copies."""
    page = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
    section = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(rf"^```{language}\n(.*?)^```", section, re.DOTALL | re.MULTILINE)[0]
