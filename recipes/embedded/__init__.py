"""What the recipes run on without a network: generated problems, and tiny models that were warmed up on them."""

from pathlib import Path

__all__ = ["TINY_ALGEBRA", "TINY_COUNTDOWN", "TINY_WORD_PROBLEMS"]

TINY_ALGEBRA = Path(__file__).parent / "tiny_algebra"
TINY_COUNTDOWN = Path(__file__).parent / "tiny_countdown"
TINY_WORD_PROBLEMS = Path(__file__).parent / "tiny_word_problems"
