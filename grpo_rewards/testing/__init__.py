"""The contract of a reward as tests, for whoever writes one: what must hold for a trainer to be able to call it.

``checking`` all clauses at once · ``clause`` what a clause is, and the list of them · ``case`` a reward with rows to
call it on · ``calls``, ``completions``, ``statements``, ``logs``, ``elsewhere`` and ``linear`` the clauses ·
``spawned`` the other process · ``hostile`` and ``shapes`` texts that a policy may fall into · ``growth`` whether work
grows with a text and not with its square. The same clauses as tests of pytest are in ``grpo_rewards.pytest_plugin``.
"""

from grpo_rewards.testing.checking import BrokenContract, check_reward, find_breaches
from grpo_rewards.testing.clause import CLAUSES, Breach, Clause
from grpo_rewards.testing.growth import assert_linear
from grpo_rewards.testing.shapes import TEXT_SHAPES

__all__ = [
    "CLAUSES",
    "TEXT_SHAPES",
    "Breach",
    "BrokenContract",
    "Clause",
    "assert_linear",
    "check_reward",
    "find_breaches",
]
