"""What is promised about labels, and when that is enough to stop."""
