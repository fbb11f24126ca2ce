"""`plimsoll ycsb`: YCSB's own command line, property files and output; Plimsoll's drivers and store."""
