"""`plimsoll volume …`: one file per command, found by name."""
