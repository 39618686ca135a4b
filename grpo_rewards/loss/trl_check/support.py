"""Which versions of TRL are supported: for these nothing may be left uncompared. And what other ones do not have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion

__all__ = ["SUPPORTED_TRL", "is_supported", "truly_lacking"]

# From the first on, up to the second, which is no longer supported. The extra [recipes] requires the same.
SUPPORTED_TRL = ("1.16", "2")
RENAMED_OPTIONS = {
    "epsilon_low": "epsilon",
    "aux_loss_enabled": "router_aux_loss_coef",
}  # a trainer's name, and GRPOConfig's


def is_supported(trl: str) -> bool:
    """Returns whether a version of TRL is one that this package is written for; one ahead of the first is not."""
    first, last = SUPPORTED_TRL
    try:  # what pip would take, and a version between the two before it is out
        return SpecifierSet(f">={first},<{last}").contains(trl, prereleases=True)
    except InvalidVersion:
        return False


def truly_lacking(settings: Iterable[str], methods: Iterable[str], error: BaseException | None = None) -> str | None:
    """Returns what the installed TRL does not have: an option, a method, a loss type; ``None`` if it has all.

    Args:
        settings: the names of the options that are needed.
        methods: the names of the methods of ``GRPOTrainer`` that are needed.
        error: what was raised, which may be about an unknown loss type.
    """
    from trl import GRPOConfig, GRPOTrainer

    known: Any = GRPOConfig.__dataclass_fields__
    for name in settings:
        if RENAMED_OPTIONS.get(name, name) not in known:
            return f"GRPOConfig has no option '{name}'"
    for name in methods:
        if not hasattr(GRPOTrainer, name):
            return f"GRPOTrainer has no method '{name}'"
    if isinstance(error, ValueError) and "Unknown loss type" in str(error):
        return str(error)
    return None
