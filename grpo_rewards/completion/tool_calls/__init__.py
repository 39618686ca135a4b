"""Finds the tool calls of a completion, in messages and in the raw text of common model families.

If a call is missed, look in the module whose question fits:

``in_messages`` which messages are read? · ``in_text`` which text, and which formats? · ``blocks`` what stands between
two tags? · ``markup`` XML · ``channels`` gpt-oss's channels · ``react`` ReAct's "Action:" · ``literals`` Python's
syntax · ``strict_json`` what is JSON? · ``calls`` what is a call, and when are two values the same? · ``tags`` between
which calls stand · ``around`` the text beside them.
"""
