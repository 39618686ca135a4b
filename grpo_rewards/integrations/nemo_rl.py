"""Rewards in NeMo RL: an environment of one turn, whose reward is one of ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from grpo_rewards.integrations.reward_calls import UNSCORED, explained, imported, mean_of, one_by_one, reward_or_zero

__all__ = ["register"]  # and Environment, whose base is NeMo RL's

INSTALL_NEMO_RL = "install NeMo RL from its repository, for nemo-rl on PyPI is empty"


def register(name: str = "grpo_rewards") -> None:
    """Tells NeMo RL of ``Environment`` under a name, and that it runs in the Python of the driver.

    Raises:
        RewardError: NeMo RL is not installed.
    """
    path = f"{__name__}.Environment"
    python = imported("nemo_rl.distributed.virtual_cluster", INSTALL_NEMO_RL).PY_EXECUTABLES.SYSTEM
    imported("nemo_rl.distributed.ray_actor_environment_registry", INSTALL_NEMO_RL).ACTOR_ENVIRONMENT_REGISTRY[path] = (
        python
    )
    imported("nemo_rl.environments.utils", INSTALL_NEMO_RL).register_env(name, path)


@cache
def _environment() -> Any:
    interfaces = imported("nemo_rl.environments.interfaces", INSTALL_NEMO_RL)

    class Environment(interfaces.EnvironmentInterface):  # type: ignore[misc, name-defined]
        """Pays for the last message of the assistant and ends the episode.

        Its configuration has ``reward``, a spec, and may have ``columns``. Columns are the entries of the metadata, of
        which ``ground_truth`` is ``answer`` as well. A row that cannot be scored gets 0.
        """

        def __init__(self, cfg: Mapping[str, Any]) -> None:
            (self.reward,) = one_by_one([cfg["reward"]], cfg.get("columns"), "an environment")
            self.unscored: list[bool] = []  # of each completion since the metrics were requested

        def step(self, message_log_batch: Sequence[Sequence[Mapping[str, Any]]], metadata: Sequence[Any]) -> Any:
            """The rewards of B conversations."""
            torch = imported("torch", "pip install torch")
            verdicts = explained(
                self.reward,
                [[{"role": "assistant", "content": str(log[-1]["content"])}] for log in message_log_batch],
                [_columns(one or {}) for one in metadata],
                prompts=[[_plain(one) for one in log[:-1]] for log in message_log_batch],
                completion_ids=[_ids(log[-1]) for log in message_log_batch],
            )
            self.unscored += [verdict.reward is None for verdict in verdicts]
            rewards = torch.tensor([reward_or_zero(self.reward, one, "NeMo RL") for one in verdicts])
            observations = [
                {"role": "environment", "content": f"Environment: {verdict.reason}"} for verdict in verdicts
            ]
            return interfaces.EnvironmentReturn(
                observations=observations,
                metadata=list(metadata),
                next_stop_strings=[None] * len(verdicts),
                rewards=rewards,
                terminateds=torch.ones_like(rewards),
                answers=[verdict.prediction for verdict in verdicts],
            )

        def global_post_process_and_metrics(self, batch: Any) -> tuple[Any, dict[str, float]]:
            """Leaves the rewards as they are, and returns their mean and the share of rows that could not be scored."""
            unscored, self.unscored = self.unscored or [False], []
            name = self.reward.name
            mean = batch["rewards"].float().mean().item()
            return batch, {f"{name}/mean": mean, f"{name}/{UNSCORED}": mean_of(map(float, unscored))}

    return imported("ray", INSTALL_NEMO_RL).remote(Environment)


def _columns(metadata: Mapping[str, Any]) -> dict[str, Any]:
    return {**({"answer": metadata["ground_truth"]} if "ground_truth" in metadata else {}), **metadata}


def _plain(message: Mapping[str, Any]) -> dict[str, Any]:
    return {"role": message["role"], "content": str(message["content"])}


def _ids(message: Mapping[str, Any]) -> Any:
    ids = message.get("token_ids")
    return None if ids is None else ids.tolist()


def __getattr__(name: str) -> Any:
    if name == "Environment":
        return _environment()
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
