"""What can be wrong with what a person passes to the page."""


class BadInput(ValueError):
    """A file, a folder or an option that cannot be used; the message says why and what to do."""
