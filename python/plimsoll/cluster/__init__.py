"""Many client machines: runs on the workers of a Dask cluster."""
