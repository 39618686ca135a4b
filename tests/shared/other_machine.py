"""Settings as a machine with GPUs would make them, on one that has none."""

import pytest


def as_on_gpus(monkeypatch: pytest.MonkeyPatch, processes: int) -> None:
    """Makes the availability of GPUs and of bf16 on them true, and the number of processes what a launcher would say.

    Nothing else is changed: the checks of transformers and TRL run as they are.
    """
    from trl import GRPOConfig

    monkeypatch.setattr("torch.accelerator.is_available", lambda: True)
    monkeypatch.setattr("transformers.training_args.is_torch_bf16_gpu_available", lambda: True)
    monkeypatch.setenv("WORLD_SIZE", str(processes))
    monkeypatch.setattr(GRPOConfig, "world_size", processes)
