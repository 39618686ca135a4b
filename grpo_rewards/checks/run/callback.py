"""A callback that watches a run of TRL's trainer while it trains."""

import json
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from transformers import TrainerCallback

from grpo_rewards.checks.run.files import ALERTS_FILE, Alert, Logs
from grpo_rewards.checks.run.rules import Watch
from grpo_rewards.checks.setup.trials import as_list
from grpo_rewards.completion_tables import Tables, table_files
from grpo_rewards.registry import Reward, get_reward


class RewardMonitor(TrainerCallback):  # type: ignore[misc]  # transformers is not typed
    """Warns of what a run's log and completions show, each thing once, and keeps it in ``output_dir/alerts.jsonl``.

    TRL writes the table of a step after its callbacks have seen the step's log, so that a step is reported before the
    next one begins. Without ``log_completions=True`` there are no tables, and only the log is watched.

    Args:
        rewards: those of the trainer, one or several, or their specs. Gold-based is a reward that compares completions
            with a dataset column itself, not through another reward. Of a composite with other parts, only its
            gold-based parts count.
        gold: the names of the rewards that compare with what is known to be right, if it is others.
        on_alert: is called with each alert; by default it is printed above the progress bar.

    >>> from grpo_rewards import boxed_answer, think_format
    >>> RewardMonitor([boxed_answer, think_format]).gold
    ('boxed_answer',)
    """

    def __init__(
        self,
        rewards: Any = (),
        *,
        gold: Sequence[str] | None = None,
        on_alert: Callable[[Alert], None] | None = None,
    ) -> None:
        several = [get_reward(one) if isinstance(one, str) else one for one in as_list(rewards)]
        self.gold = tuple(gold) if gold is not None else _gold_based(several)
        self.on_alert = on_alert or _print_above
        self.watch = Watch(self.gold)
        self.folder: Path | None = None
        self.waits: dict[str, Any] | None = None  # the log of the last step, whose table was not there yet
        self.zero_variance: float | None = None  # the share of such groups in the last step's table, if it has one

    @property
    def alerts(self) -> list[Alert]:
        """What was reported so far, also before the run was resumed."""
        return list(self.watch.found.values())

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Starts anew, or takes up what a run that is resumed has logged."""
        if not state.is_world_process_zero:
            return
        self.watch, self.waits = Watch(self.gold, getattr(args, "reward_weights", None)), None
        self.folder = Path(args.output_dir)
        if not getattr(args, "log_completions", False):
            warnings.warn(
                "RewardMonitor sees no completions and can suspect little: set log_completions=True.", stacklevel=2
            )
        self._see(state.log_history, Tables(table_files(self.folder)))
        self._write(self.alerts, anew=True)

    def on_log(self, args: Any, state: Any, control: Any, logs: Mapping[str, Any] | None = None, **_: Any) -> None:
        self._look()
        if self.folder is not None and logs and "reward" in logs:
            self.waits = {**logs, "step": state.global_step}

    def _look(self, *_: Any, **__: Any) -> None:
        """Looks at the last logged step, whose table is there by now."""
        if self.waits is None or self.folder is None:
            return
        log, self.waits = self.waits, None
        path = self.folder / "completions" / f"completions_{log['step']:05d}.parquet"
        tables = Tables([path] if path.exists() else [])
        found = self._see([log], tables)
        self.zero_variance = self.watch.tables[-1].numbers.get("flat") if tables else None
        for alert in found:
            self.on_alert(alert)
        self._write(found)

    on_step_begin = on_train_end = _look

    def _see(self, history: Logs, tables: Tables) -> list[Alert]:
        """What these steps show for the first time. A damaged table is passed over: the training goes on."""
        found = self.watch.see_all(history, tables)
        for damaged in tables.passed_over:
            warnings.warn(f"RewardMonitor passes over {damaged}", stacklevel=2)
        return found

    def _write(self, found: Sequence[Alert], *, anew: bool = False) -> None:
        if self.folder is None or not (found or anew):
            return
        lines = [{"gold": self.gold}] if anew else []
        path = self.folder / ALERTS_FILE
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with path.open("w" if anew else "a", encoding="utf-8") as file:
                for line in (*lines, *(alert.as_dict() for alert in found)):
                    print(json.dumps(line), file=file)
        except OSError as error:  # the training goes on
            warnings.warn(f"RewardMonitor does not keep its alerts: {path}: {error.strerror}", stacklevel=2)


def _gold_based(rewards: Sequence[Any]) -> tuple[str, ...]:
    """The names of the rewards that compare with what the dataset has for a row, also of parts of composites."""
    found: dict[str, None] = {}
    for one in (one for one in rewards if isinstance(one, Reward)):
        found |= dict.fromkeys([one.name] if one.is_gold_based else _gold_based(one.parts))
    return tuple(found)


def _print_above(alert: Alert) -> None:
    from tqdm.auto import tqdm

    tqdm.write(str(alert), file=sys.stderr)
