"""Has it the requested form?

``tags`` reasoning, answer and box in their places, and any tags · ``blocks`` JSON and code.
"""
