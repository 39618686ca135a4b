"""Where a completion says its answer, and where a data set does. Look here if the wrong part of a text is compared.

``in_completion`` what counts as the prediction: a box, a tag, or words · ``final_answer`` the final answer of a text
that need not have a box · ``hearing`` what stands of what it says · ``gold`` the answer, in
the forms in which data sets hold it.
"""
