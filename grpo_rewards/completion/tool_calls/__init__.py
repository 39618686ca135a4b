"""Finds the tool calls of a completion, in messages and in the raw text of common model families.

If a call is missed, look in the module whose question fits:

``in_messages`` which text is read, and where do calls begin and end in it? · ``tags`` between which tags, and the text
beside them · ``syntaxes`` JSON, Python's, XML · ``calls`` what is a call, and when are two values the same?
"""
