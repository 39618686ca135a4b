"""What a run needs of the machine, checked before a model is loaded: what is missing ends the program with one line.

``checked_machine`` checks packages, a precision, the model's files and the output folder; ``require_space`` for room
for the checkpoints, once the number of steps is known; ``remedy`` says what to set where TRL refuses settings.
"""

from __future__ import annotations

from running.before_loading.disk import require_space
from running.before_loading.machine import checked_machine
from running.before_loading.remedies import remedy

__all__ = ["checked_machine", "remedy", "require_space"]
