"""Rewards inside other people's programs, a module for each, which imports that program only when it is used.

``ray`` verdicts about the rows of a Ray Data set, on any number of machines.
"""
