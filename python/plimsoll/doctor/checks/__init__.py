"""Fitness checks, one file each: `NAME` and `check(examined) -> Check | None` (None where it does not apply)."""
