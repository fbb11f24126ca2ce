"""Checks of a run's validity, one file each."""
