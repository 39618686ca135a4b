"""How an answer is spelled: from text to a tree, and to one canonical spelling. Look here if a spelling is misjudged.

``characters`` Unicode mathematics as LaTeX · ``commands`` which commands mean the same, and which mean nothing ·
``tree`` the parser, the tree and the spelling · ``brackets`` where brackets close, and parts between separators ·
``limits`` what is too large to be evaluated.
"""
