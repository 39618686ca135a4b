"""Rewards for plain speech. ``grpo_rewards`` finds them by the entry point in ``pyproject.toml``."""

from plain_speech.hedging import no_hedging
from plain_speech.sentences import short_sentences

__all__ = ["no_hedging", "short_sentences"]
