"""What does not work with a version of TRL, as docs/stability.md found it."""

from __future__ import annotations

from grpo_rewards.checkup.bounds import EXTRAS, fits

__all__ = ["unsupported_features"]

# Below the version, this does not work.
UNSUPPORTED_BELOW = (
    ("0.29", "nothing was tried with it"),
    ("1.0", "shares of reasons and the columns of the completions table are not logged, and 'reward' is a plain sum"),
    ("1.14", "a reward that is a coroutine ends the run"),
    ("1.15", "grpo-rewards validate-loss has nothing to compare, and exits with 3"),
    (
        "1.16",
        "the recipes do not run, and validate-loss takes no steps and exits with 3",
    ),
)


def unsupported_features(trl: str) -> list[str]:
    """What does not work with a version of TRL, in sentences without a full stop; ``[]`` if nothing is known of it.

    Of a release behind 1.16 and below 2 nothing is known: it is accepted, and validate-loss says what changed.

    >>> unsupported_features("1.15.0")
    ['the recipes do not run, and validate-loss takes no steps and exits with 3']
    """
    found = [what for least, what in UNSUPPORTED_BELOW if not fits(trl, f">={least}")]
    if not found and not fits(trl, EXTRAS["recipes"]["trl"]):
        found.append("nothing was tried with it, and it is not supported")
    return found
