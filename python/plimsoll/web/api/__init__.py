"""The JSON API, one file per subject, with a `router`."""
