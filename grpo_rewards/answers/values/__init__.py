"""What an answer can be once it is read.

``kinds`` of values, their names, and how they are shown · ``sets`` of numbers: intervals, solved inequalities, families
such as ``k\\pi``.
"""
