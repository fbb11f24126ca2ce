"""Plimsoll: storage and database tests with answers that hold."""

from importlib.metadata import version as _version

__version__ = _version("plimsoll")
