"""Reads what other tools wrote. `reading` opens files, `formats` holds one file per format, `record` makes the runs."""
