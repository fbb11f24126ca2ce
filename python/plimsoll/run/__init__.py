"""Carries out studies: plans, schedules, runs, guards."""
