"""What can be checked of a set-up before a model is loaded."""
