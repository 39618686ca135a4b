"""Runs of the tiny model that are compared bit for bit."""

import copy

import torch

import grpo_rewards as gr


@gr.reward
def uneven(completion: str) -> float:
    """Differs within nearly every group, so that each step teaches something."""
    return float(sum(map(ord, completion)) % 3)


OPTIONS = {
    "max_steps": 4,
    "max_completion_length": 8,
    "learning_rate": 1e-2,
    "lr_scheduler_type": "cosine",
    "save_strategy": "steps",
    "save_steps": 1,
    "temperature": 1.3,
}


def weights(run):
    return copy.deepcopy(run.model.state_dict())


def figures(logs):
    """What a log has of each step, but for the times."""
    timed = ("step_time", "train_runtime", "train_samples_per_second", "train_steps_per_second", "train_loss")
    return [{name: log[name] for name in log if name not in timed} for log in logs]


def same(some, other):
    return some.keys() == other.keys() and all(torch.equal(some[name], other[name]) for name in some)
