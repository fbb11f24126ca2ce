"""Checks of a run's validity, one file each.

A guard has `NAME`, `TITLE`, `WHY` and `check(evidence) -> Finding | None`: None where it does not apply to this kind of
run, a finding at level ok (with its value) where it applies and nothing is wrong. Every file of this folder is a guard,
but for those that start with `_`. Thresholds are those of §6 of the method (METHODOLOGY.md) unless a comment says why
not.
"""
