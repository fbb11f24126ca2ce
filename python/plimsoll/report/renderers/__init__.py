"""Renderers, one file per output format. Each has `render(document) -> str` and `SUFFIX`, the usual file suffix."""
