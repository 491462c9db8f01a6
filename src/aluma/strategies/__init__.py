"""Who is asked next."""
