"""Facts and safety of places under test."""
