"""How an answer is spelled: parses LaTeX to a tree, and writes a tree in one canonical spelling.

Look here if two spellings of the same answer, such as ``\\dfrac12`` and ``½``, do not become the same tree.

``characters`` Unicode mathematics to LaTeX · ``commands`` which commands mean the same, and which mean nothing ·
``tree`` the parser, the nodes of a tree, and the canonical spelling · ``brackets`` where brackets close, and the parts
between separators · ``limits`` what is too large to be evaluated.
"""
