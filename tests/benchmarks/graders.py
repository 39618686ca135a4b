"""The graders that the public table compares, each called as its own project calls it: its own extraction, then it.

Nothing of theirs is copied here: it is imported from their packages, past those of their modules that are not needed
to grade, such as Ray. Where a package is missing the table says so, and how to install it.
"""

import importlib
import importlib.util
import runpy
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

from accuracy import in_dollars, math_verify_reward, trl_reward
from labelled import Row, call, installed

import grpo_rewards as gr

__all__ = ["GRADERS", "WITHOUT_BOX", "Grader", "Judge", "found"]

WITHOUT_BOX = "final/"  # how kinds of rows begin whose completions have no box
Judge: TypeAlias = Callable[[Row], bool]


@dataclass(frozen=True)
class Grader:
    """Whose it is, and how to get at it.

    Attributes:
        name: how the table calls it.
        package: the distribution that it comes in; its version is shown.
        called: the function that is called.
        load: imports it; from nothing to a function of a row that says whether it pays.
        needs: what else has to be installed, by name.
    """

    name: str
    package: str
    called: str
    load: Callable[[], Judge]
    needs: tuple[str, ...] = ()

    @property
    def missing(self) -> list[str]:
        """The distributions that are not installed."""
        return [one for one in (self.package, *self.needs) if one and installed(one) is None]

    @property
    def origin(self) -> str:
        """The package with its version."""
        return f"{self.package} {installed(self.package)}" if self.package else "a file"


def found(name: str) -> Grader:
    """A grader of the list, or that of a file with a function ``judge(gold, completion)`` that returns a bool."""
    if not name.endswith(".py"):
        return GRADERS[name]
    return Grader(Path(name).stem, "", "judge", lambda: of_file(Path(name)))


def of_file(path: Path) -> Judge:
    judge = runpy.run_path(str(path))["judge"]
    return lambda row: bool(judge(str(row["gold"]), row["completion"]))


def ours() -> Judge:
    def judge(row: Row) -> bool:
        reward = gr.final_answer if row["kind"].startswith(WITHOUT_BOX) else gr.boxed_answer
        return reward(**call([row])) == [1.0]

    return judge


def trl() -> Judge:
    return lambda row: trl_reward([row]) == [1.0]


def math_verify() -> Judge:
    return lambda row: math_verify_reward([{**row, "gold": in_dollars(row["gold"])}]) == [1.0]


def oat() -> Judge:
    grader = from_inside("oat.utils.math_grader")  # fast is what its own trainer asks for
    return lambda row: grader.boxed_reward_fn(row["completion"], str(row["gold"]), fast=True)[1] == 1.0


def prm800k() -> Judge:
    grader = importlib.import_module("mathruler.grader")
    return lambda row: bool(grader.grade_answer(grader.extract_boxed_content(row["completion"]), str(row["gold"])))


def verl_math() -> Judge:
    grader = from_inside("verl.utils.reward_score.math_reward")
    return lambda row: grader.compute_score(row["completion"], str(row["gold"])) == 1.0


def verl_prime() -> Judge:
    grader = from_inside("verl.utils.reward_score.prime_math")
    return lambda row: bool(grader.compute_score(row["completion"], str(row["gold"]))[0])


def verl_dapo() -> Judge:
    grader = from_inside("verl.utils.reward_score.math_dapo")

    def judge(row: Row) -> bool:
        box = grader.last_boxed_only_string(row["completion"])
        said = " ".join(grader.remove_boxed(box).split()) if box else None
        told = row["completion"] if said is None else f"{row['completion']}\nAnswer: {said}"
        return grader.compute_score(told, str(row["gold"]))["acc"] is True

    return judge


def from_inside(name: str) -> ModuleType:
    """A module of a package, without what the packages around it import."""
    *around, _ = name.split(".")
    top = importlib.util.find_spec(around[0])
    assert top is not None
    assert top.submodule_search_locations is not None
    (folder,) = map(Path, top.submodule_search_locations)
    for depth in range(len(around)):
        bare = ModuleType(".".join(around[: depth + 1]))
        bare.__path__ = [str(folder.joinpath(*around[1 : depth + 1]))]
        sys.modules[bare.__name__] = bare
    return importlib.import_module(name)


IN_DOLLARS = "gold in dollar signs"
TO_READ = ("sympy", "pylatexenc")  # what those that stem from prm800k's read formulas with
GRADERS: dict[str, Grader] = {
    "ours": Grader("ours", "grpo-rewards", "`boxed_answer`, and `final_answer` where there is no box", ours),
    "math-verify": Grader(
        "math-verify", "math-verify", f"`verify(parse(gold), parse(completion))`, {IN_DOLLARS}", math_verify
    ),
    "trl": Grader("TRL", "trl", f"`accuracy_reward`, {IN_DOLLARS}", trl, ("math-verify",)),
    "oat": Grader("oat", "oat-llm", "`boxed_reward_fn(fast=True)`", oat, (*TO_READ, "math-verify")),
    "prm800k": Grader(
        "prm800k, in mathruler",
        "mathruler",
        "`grade_answer(extract_boxed_content(completion), gold)`",
        prm800k,
        (*TO_READ, "tqdm"),
    ),
    "verl-math": Grader("verl `math_reward`", "verl", "`math_reward.compute_score`", verl_math),
    "verl-prime": Grader(
        "verl `prime_math`", "verl", "`prime_math.compute_score`", verl_prime, (*TO_READ, "numpy", "torch")
    ),
    "verl-dapo": Grader(
        "verl `math_dapo`",
        "verl",
        "`math_dapo.compute_score`; a last line `Answer: …` with what the box holds",
        verl_dapo,
    ),
}
