"""The commands of `plimsoll data`, one file each."""
