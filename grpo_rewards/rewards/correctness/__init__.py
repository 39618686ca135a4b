"""Is what it says right?

``mathematics`` the answer · ``numeric`` a number, within a tolerance · ``choice`` an option · ``words`` a text, or how
much of a text or of code · ``puzzles`` an expression · ``tool_use`` calls · ``vision`` a box in an image.
"""
