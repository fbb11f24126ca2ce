"""Berkeley DB's `writetest`: write, seek back, fsync; its three options and its lines."""
