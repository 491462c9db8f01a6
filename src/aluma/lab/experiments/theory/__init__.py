"""The paper's theory as experiments: exact where it can be."""
