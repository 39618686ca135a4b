"""How much of a text says something?

``informative_tokens`` which tokens are no padding: copies, loops, the same few words in another order · ``folding``
what makes two passages alike, numbers that go on from those before, what shows nothing, and what cannot be padding.
"""
