"""Runs computer algebra in processes that can be killed. Look here if a comparison is slow, times out or is killed.

``client`` the side of the training process · ``broker`` the child process that starts and stops the workers ·
``decide`` what a worker does with a pair of formulas · ``remembered`` outcomes of earlier comparisons. The broker is
started from its file, so nothing in this folder imports another folder.
"""
