"""Evaluations through vLLM, up to the call of an engine that stands in for it: no CPU here runs vLLM."""

import sys
from types import ModuleType, SimpleNamespace

import pytest

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

import evaluate
import pandas
from evaluation_trainer import PROMPTS, trainer_of
from places import TINY
from running.before_loading import machine
from running.evaluation import engine
from running.evaluation.checkpoints import Checkpoint
from running.evaluation.engine import EnginePolicy
from running.evaluation.policies import TrainersPolicy
from trl.generation import vllm_generation

SEEDS = list(range(len(PROMPTS)))
SETTINGS = {"temperature": 0.7, "top_p": 0.9, "top_k": 5, "min_p": 0.02, "repetition_penalty": 1.1}


def generation_of(trainer, mode: str, **more: object) -> vllm_generation.VLLMGeneration:
    """TRL's own, as its ``__init__`` leaves it, without the engine that this one starts."""
    made = vllm_generation.VLLMGeneration.__new__(vllm_generation.VLLMGeneration)
    own = {"mode": mode, "accelerator": trainer.accelerator, "model": trainer.model, "logprobs": 0}
    own |= {"structured_outputs_regex": None, "tensor_parallel_size": 1, "enable_sleep_mode": False}
    own |= {"max_completion_length": 24, "generation_kwargs": {"stop": ["!"]}, **SETTINGS, **more}
    vars(made).update(own)
    made.synced = 0
    made.sync_weights = lambda: setattr(made, "synced", made.synced + 1)
    return made


@pytest.fixture(scope="module")
def trainer(tmp_path_factory):
    made = trainer_of(tmp_path_factory.mktemp("run"))
    made.use_vllm, made._last_loaded_step = True, -1
    return made


def spoken(ids: list[int]) -> SimpleNamespace:
    """One finished request of vLLM that says two tokens."""
    tokens = SimpleNamespace(token_ids=[5, 2], logprobs=[{5: SimpleNamespace(rank=1, logprob=-0.5)}] * 2)
    return SimpleNamespace(prompt_token_ids=ids, outputs=[tokens])


def test_a_colocated_engine_is_prompted_as_in_training(trainer, monkeypatch):
    monkeypatch.setattr(trainer, "_last_loaded_step", -1)  # whichever test came first
    asked = []

    def generate(prompts, sampling_params, use_tqdm):
        asked.append((prompts, sampling_params))
        return [spoken(prompt["prompt_token_ids"]) for prompt in prompts]

    monkeypatch.setattr(vllm_generation, "SamplingParams", dict, raising=False)
    engine = generation_of(trainer, "colocate", llm=SimpleNamespace(generate=generate))
    trainer.vllm_generation, policy = engine, TrainersPolicy(trainer)
    answers = [policy.answers(PROMPTS, SEEDS, greedy=greedy) for greedy in (False, True)]
    (prompts, sampled), (_, greedy) = asked
    assert [prompt["prompt_token_ids"] for prompt in prompts] == policy.tokens(PROMPTS)
    assert sampled == {"n": 1, **SETTINGS, "max_tokens": 24, "logprobs": 0, "stop": ["!"]}
    assert greedy == {**sampled, "temperature": 0.0}
    assert engine.temperature == 0.7
    assert engine.synced == 1  # the weights of a step are handed over once
    text = trainer.processing_class.decode([5, 2], skip_special_tokens=True)
    assert answers[0] == [([5, 2], [{"role": "assistant", "content": text}])] * len(PROMPTS)


def test_a_server_gets_every_prompt_once_for_each_sample(trainer):
    asked = []

    def generate(prompts, features, **how):
        asked.append((prompts, how))
        return {
            "prompt_ids": prompts,
            "completion_ids": [[5, 2]] * len(prompts),
            "logprobs": [[[0.0]] * 2] * len(prompts),
        }

    more = {"temperature": 0.3}  # among the options for vLLM, which overrule the others
    engine = generation_of(trainer, "server", vllm_client=SimpleNamespace(generate=generate), generation_kwargs=more)
    trainer.vllm_generation, policy = engine, TrainersPolicy(trainer)
    twice = [PROMPTS[0], PROMPTS[0], PROMPTS[1]]
    assert len(policy.answers(twice, SEEDS[:3], greedy=False)) == 3
    policy.answers(twice, SEEDS[:3], greedy=True)
    (prompts, sampled), (_, greedy) = asked
    assert prompts == policy.tokens(twice)
    assert (sampled["n"], sampled["temperature"], sampled["generation_kwargs"]) == (1, 0.7, {"temperature": 0.3})
    assert (greedy["n"], greedy["temperature"], greedy["generation_kwargs"]) == (1, 0.0, {})


class Engine:
    """Stands in for ``vllm.LLM``."""

    made: list["Engine"]

    def __init__(self, **how: object) -> None:
        self.how, self.asked = how, []
        Engine.made.append(self)

    def generate(self, prompts, sampling_params, lora_request, use_tqdm):
        self.asked.append((prompts, sampling_params, lora_request))
        return [spoken(prompt["prompt_token_ids"]) for prompt in prompts]


@pytest.fixture
def stand_in(monkeypatch):
    Engine.made = []
    vllm, lora, request = (ModuleType(name) for name in ("vllm", "vllm.lora", "vllm.lora.request"))
    vllm.LLM, vllm.SamplingParams = Engine, lambda **how: how
    request.LoRARequest = lambda *said: said
    monkeypatch.setattr(machine, "is_vllm_available", lambda: True)  # a stand-in has no version
    for module in (vllm, lora, request):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    return Engine


def test_evaluating_with_vllm_seeds_every_answer(stand_in, tmp_path, capsys):
    words = [TINY, "--task", "gsm8k", "--use_vllm", "--eval_size", 6, "--eval_samples", 3, "--output_dir", tmp_path]
    words += ["--temperature", "0.8", "--top_k", "9", "--repetition_penalty", "1.2", "--eval_batch_tokens", "1200"]
    words += ["--max_completion_length", "99", "--eval_greedy", "true"]
    evaluate.evaluate(list(map(str, words)))
    (engine,) = stand_in.made
    assert engine.how["model"] == str(TINY)
    assert engine.how["gpu_memory_utilization"] == 0.9
    options = [one for _, several, _ in engine.asked for one in several]
    greedy = [one for one in options if one["temperature"] == 0.0]
    sampled = [one for one in options if one["temperature"] == 0.8]
    assert len(greedy) + len(sampled) == len(options)
    assert {(one["n"], one["top_k"], one["repetition_penalty"], one["max_tokens"]) for one in options} == {
        (1, 9, 1.2, 99)
    }
    assert len({one["seed"] for one in sampled}) == 18
    (path,) = tmp_path.glob("*.parquet")
    assert len(pandas.read_parquet(path)) == 6 + 18
    assert "boxed_answer" in capsys.readouterr().out


def test_a_revision_is_that_of_the_weights_and_of_an_adapter(stand_in, trainer, monkeypatch):
    tokenizer = trainer.processing_class
    own = SimpleNamespace(name_or_path="some/model")
    EnginePolicy(Checkpoint("some/model", "v2", None, None, 0, own, ""), trainer.args, 0.5, "auto")
    assert [stand_in.made[0].how[name] for name in ("model", "revision", "tokenizer_revision")] == [
        *("some/model", "v2", "v2")
    ]
    fetched = []
    monkeypatch.setattr(engine, "snapshot_download", lambda *said, **more: fetched.append((said, more)) or "/there")
    adapter = Checkpoint("some/adapter", "v3", tokenizer.name_or_path, "v1", 8, tokenizer, "")
    policy = EnginePolicy(adapter, trainer.args, 0.5, "auto")
    assert fetched == [(("some/adapter",), {"revision": "v3"})]
    assert policy.adapter == ("adapter", 1, "/there")
    assert [stand_in.made[1].how[name] for name in ("model", "revision", "tokenizer_revision")] == [
        *(tokenizer.name_or_path, "v1", "v1")
    ]
