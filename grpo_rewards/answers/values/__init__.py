"""What an answer can be once it is read.

``kinds`` of values, their names, and how they are shown · ``intervals`` sets of real numbers, and solved inequalities ·
``families`` of numbers, such as ``k\\pi``.
"""
