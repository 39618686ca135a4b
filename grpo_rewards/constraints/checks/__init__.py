"""What decides instructions: a text and the instruction's arguments in, a finding out.

The arguments have the names that the data sets give them; ``table`` fixes those that an instruction has not. A
check sees text in one form (``reading.texts.composed``), and never an empty one.

``counts`` how many? · ``keywords`` which words? · ``words`` how must each word be? · ``sentences`` how must each
sentence be? · ``layout`` paragraphs, lines, lists · ``markup`` brackets, quotes, JSON, templates · ``language`` the
language, and English in one case · ``copying`` what must be repeated? · ``tasks`` IFBench's single tasks
"""
