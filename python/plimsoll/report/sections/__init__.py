"""Sections of a report, one file each."""
