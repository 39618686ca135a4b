"""Tools that the tiny model calls, and what must come of its calls.

``given`` the tools, the tokenizer that can say and parse their calls, and a script that calls them · ``turns`` what
must come of what was said, call after call · ``environment`` one that has a tool, adds to prompts and rewards.
"""
