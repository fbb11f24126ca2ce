"""Workers execute plans, here or elsewhere."""
