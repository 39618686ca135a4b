"""Which answer does a text give? One reader for numbers, words and options."""
