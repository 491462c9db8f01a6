"""The paper's experiments as declarations, with what runs them and what reports on them."""
