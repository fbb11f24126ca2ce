"""The commands below `plimsoll cloud`."""
