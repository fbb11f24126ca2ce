"""Volume types, one file each or one for a family: persistent disks and Hyperdisk."""
