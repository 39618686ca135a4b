"""How an answer is spelled: parses LaTeX to a tree, and writes a tree in one canonical spelling.

Look here if two spellings of the same answer, such as ``\\dfrac12`` and ``½``, do not become the same tree.

``characters`` Unicode mathematics to LaTeX, and slips mended · ``tree`` which commands mean the same, and which mean
nothing, the parser, the nodes of a tree, the canonical spelling, where brackets close, and what is too large to be
evaluated.
"""
