"""`zcav` of Bonnie++: the rate of reading over the capacity of a file or device; its options and its lines."""
