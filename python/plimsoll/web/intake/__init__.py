"""Uploads: kept aside, checked in a bounded process of their own, and only then added to the store."""
