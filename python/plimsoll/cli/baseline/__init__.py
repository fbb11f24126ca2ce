"""The commands of `plimsoll session`, one file each."""
