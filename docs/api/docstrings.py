"""For the site: what a docstring says for Python's tools, in Markdown.

Examples are code there, not quotations, as ``>>>`` would be; a role such as ``:func:`` is left out.
"""

import re
from typing import Any

from griffe import Extension, Object

EXAMPLES = re.compile(r"^>>> .*(?:\n(?!\s*$).*)*(?:\n\n>>> .*(?:\n(?!\s*$).*)*)*", re.MULTILINE)
ROLE = re.compile(r":(?:func|class|meth|mod|attr|data|exc):(?=`)")


class InMarkdown(Extension):
    """Turns every docstring, in memory."""

    def on_object(self, *, obj: Object, **others: Any) -> None:
        """Turns one."""
        if obj.docstring:
            text = ROLE.sub("", obj.docstring.value)
            obj.docstring.value = EXAMPLES.sub(lambda found: f"```pycon\n{found[0]}\n```", text)
