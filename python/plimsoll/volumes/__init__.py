"""Emulated volumes: the model in virtual time, and real block devices that behave like it."""
