"""What the answers leave: version spaces, and the answers themselves."""
