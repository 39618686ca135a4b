"""Finds the tool calls of a completion, in messages and in the raw text of common model families.

If a call is missed, look in the module whose question fits:

``in_messages`` which text is read, and which formats? gpt-oss's channels, too · ``blocks`` what stands between two
tags, or behind ReAct's "Action:"? · ``markup`` XML · ``literals`` Python's syntax · ``calls`` what is JSON, what is a
call, and when are two values the same? · ``tags`` between which calls stand, and the text beside them.
"""
