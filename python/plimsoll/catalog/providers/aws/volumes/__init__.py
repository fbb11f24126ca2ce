"""Volume types, one file each or one for a family: EBS and instance stores."""
