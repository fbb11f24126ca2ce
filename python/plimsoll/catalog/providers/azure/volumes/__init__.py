"""Volume types, one file each or one for a family: managed disks."""
