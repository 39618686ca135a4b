"""What an answer can be: ``kinds`` of values, and sets of real numbers as ``intervals``."""
