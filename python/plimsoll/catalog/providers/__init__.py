"""Who sells volumes, one folder each, found by the program; `catalog/provider.py` says what is in a folder."""
