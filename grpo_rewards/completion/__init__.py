"""Where things are in what a model wrote. Linear scans over text; nothing here raises because of it.

``text`` the text of a completion in every form in which trainers hand it over, and which of its characters show ·
``sections`` the end of the turn, the reasoning, the tags · ``boxes`` ``\\boxed{…}`` · ``fences`` fenced blocks ·
``padding`` what repeats itself or says nothing.
"""
