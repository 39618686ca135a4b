"""Words in and around an answer. Look here if words are read as part of an answer that only stand beside it.

``phrases`` removes what leads to an answer · ``remarks`` removes remarks behind it · ``words`` which words change a
number or take it back · ``choices`` the letter and the text of a choice, yes and no · ``usual_words`` "no solution" and
the like in one wording.
"""
