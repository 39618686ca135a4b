"""How much of a text says something?

``informative_tokens`` which tokens are no padding · ``repeats`` copies and loops · ``vocabulary`` the same few words in
another order · ``folding`` what makes two passages alike · ``counting`` numbers that go on from those before ·
``emptiness`` what shows nothing ·
``screening`` what cannot be padding, found cheaply.
"""
