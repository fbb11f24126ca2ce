"""What storage costs, never without the date of the price."""
