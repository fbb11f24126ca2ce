"""Plimsoll: storage and database tests with answers that hold."""


def __getattr__(name: str) -> str:
    """`__version__`, looked up only when asked for: reading package metadata takes longer than starting up."""
    if name == "__version__":
        from importlib.metadata import version

        return version("plimsoll")
    raise AttributeError(name)
