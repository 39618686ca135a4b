"""What a policy can do, measured on problems that it was not trained on."""
