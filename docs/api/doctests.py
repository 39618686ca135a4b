"""For the site: examples in docstrings are code there, not quotations, as ``>>>`` would be in Markdown."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

EXAMPLE = re.compile(r"^>>> .*(?:\n(?!\s*$).*)*(?:\n\n>>> .*(?:\n(?!\s*$).*)*)*", re.MULTILINE)


class Doctests(Extension):
    """Puts the examples of every docstring between fences."""

    def on_object(self, *, obj: Object, **others: Any) -> None:
        """Changes one docstring, in memory."""
        if obj.docstring:
            obj.docstring.value = EXAMPLE.sub(lambda found: f"```pycon\n{found[0]}\n```", obj.docstring.value)
