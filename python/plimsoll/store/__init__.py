"""The result store and result files."""
