"""The commands of `plimsoll store`, one file each."""
