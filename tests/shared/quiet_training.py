"""What each short training of a test sets: on a CPU, every step is logged, and nothing is reported, saved or shown."""

from typing import Any

__all__ = ["QUIET"]

QUIET: dict[str, Any] = {
    "logging_steps": 1,
    "report_to": "none",
    "save_strategy": "no",
    "bf16": False,
    "use_cpu": True,
    "gradient_checkpointing": False,
    "disable_tqdm": True,
}
