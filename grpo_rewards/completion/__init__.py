"""Where things are in a completion. Everything is a linear scan, and no text that a model writes makes it raise.

``text`` the text of a completion, whatever form the trainer hands it over in, and which of its characters are visible ·
``sections`` the end of the turn, the reasoning, the tags · ``boxes`` ``\\boxed{…}`` · ``fences`` fenced code blocks ·
``padding`` text that repeats itself or says nothing.
"""
