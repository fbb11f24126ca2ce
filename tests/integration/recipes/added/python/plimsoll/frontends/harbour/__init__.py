"""The words of a harbour master."""
