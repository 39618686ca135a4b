"""Finds the tool calls of a completion, in messages and in the raw text of common model families.

If a call is missed, look in the module whose question fits:

``reading`` which text is read, where do calls begin and end in it, and how are JSON, Python's syntax and XML read? ·
``tags`` between which tags, and the text beside them · ``calls`` what is a call, and when are two values the same?
"""
