"""What is in the text?

``patterns`` expressions, words, steps, their arithmetic and repetitions · ``language`` · ``instructions`` which of a
row's does it follow?
"""
