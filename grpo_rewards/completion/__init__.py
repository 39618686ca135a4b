"""Where things are in a completion. Everything is a linear scan, and no text that a model writes makes it raise.

``text`` the text of a completion, whatever form the trainer hands it over in, and which of its characters are visible ·
``turns`` the end of the turn · ``reasoning`` its delimiters, channels, and the options that name them · ``sections``
the reasoning, the tags · ``boxes`` ``\\boxed{…}`` · ``fences`` fenced code blocks · ``steps`` of a solution ·
``tool_calls`` · ``whole_words`` in all scripts · ``linear_patterns`` · ``padding`` text that repeats itself or says
nothing.
"""
