"""Where an answer is said. Look here if the wrong part of a completion is compared.

``in_completion`` the box, the tag or the last words that count · ``final_answer`` the final answer of a response
without a box · ``gold`` the gold, in the forms in which data sets hold it.
"""
