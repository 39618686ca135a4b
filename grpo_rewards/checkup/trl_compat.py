"""What does not work with a version of TRL, as docs/stability.md found it."""

from __future__ import annotations

from grpo_rewards.checkup.bounds import EXTRAS, fits

__all__ = ["unsupported_features"]

# Below the version, this does not work.
UNSUPPORTED_BELOW = (
    ("0.29", "nothing was tried with it"),
    ("1.0", "shares of reasons and the columns of the completions table are not logged, and 'reward' is a plain sum"),
    ("1.14", "a reward that is a coroutine ends the run"),
    ("1.15", "grpo-rewards validate-loss has nothing to compare"),
    ("1.16", "the recipes do not run, and validate-loss and watch_loss look at no whole step"),
)


def unsupported_features(trl: str) -> list[str]:
    """What does not work with a version of TRL, in sentences without a full stop; ``[]`` if all does.

    >>> unsupported_features("1.15.0")
    ['the recipes do not run, and validate-loss and watch_loss look at no whole step']
    """
    found = [what for least, what in UNSUPPORTED_BELOW if not fits(trl, f">={least}")]
    if not found and not fits(trl, EXTRAS["recipes"]["trl"]):
        found.append("nothing was tried with it, and it is not supported")
    return found
