"""Reports: sections make blocks, renderers write them."""
