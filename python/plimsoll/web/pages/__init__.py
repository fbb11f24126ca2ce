"""Pages for people, one file each, with a `router`."""
