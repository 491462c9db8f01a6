"""How labels are given: by vote, by a separator, by a soft-margin machine."""
