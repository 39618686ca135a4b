"""The runs of the tiny model: few, but together they exercise each option that touches loss, advantages or data."""

from collections import ChainMap
from typing import Any, Literal, NamedTuple

from tables import tables_beside

Engine = Literal["scripted", "greedy", "vllm", "rollout"]
Adapter = Literal["none", "new", "given"]


class Run(NamedTuple):
    """One short training.

    Attributes:
        name: what it is for.
        settings: of ``GRPOConfig``, on top of ``USUAL_SETTINGS``.
        engine: who generates: a script in place of ``model.generate``, the model itself by its most probable token,
            what TRL takes for vLLM, or a ``rollout_func`` that marks tokens of tools.
        adapter: whether the policy is an adapter of PEFT: made by TRL, or given to it.
        evaluates: whether there is an ``eval_dataset``, looked at after each second step.
        chat: whether prompts are conversations.
        prompts: how many there are.
        streamed: whether the dataset can only be read from its beginning to its end.
        judged: whether reward models are among the rewards.
        tools: whether the model can call tools, and does.
        environment: whether one of its tools is an environment's, which adds to prompts and judges what was called.
        marks: whether the tokenizer marks where a text begins and ends.
        named: whether TRL loads the model and its tokenizer by their name.
        resumes: the step after which another trainer goes on, from a checkpoint.
    """

    name: str
    settings: dict[str, Any]
    engine: Engine = "scripted"
    adapter: Adapter = "none"
    evaluates: bool = False
    chat: bool = False
    prompts: int = 23
    streamed: bool = False
    judged: bool = False
    tools: bool = False
    environment: bool = False
    marks: bool = False
    named: bool = False
    resumes: int | None = None


TABLES = tables_beside(__file__)
LEAST_IN_STEPS: dict[str, int] = TABLES["least"]
USUAL_SETTINGS: dict[str, Any] = TABLES["usual"]
CONTEXT_WITH_TOOLS = 43


def _run(row: dict[str, Any]) -> Run:
    """A row of the table: the settings that it shares with others, and its own on top of them."""
    shared = [TABLES["shared"][name] for name in row.pop("with", ())]
    settings = ChainMap(row.pop("settings", {}), *reversed(shared))
    return Run(settings=dict(settings), **row)


RUNS = tuple(map(_run, TABLES["runs"]))
RUNS_OF_RANKS = tuple(map(_run, TABLES["runs_of_ranks"]))
