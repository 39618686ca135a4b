"""What a configuration means before anything is loaded: the launch line in its header, and the memory it takes."""
