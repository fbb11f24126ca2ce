"""Who rents: a folder each, with `CLOUD` in its `__init__.py` (`clouds/provider.py` is the contract)."""
