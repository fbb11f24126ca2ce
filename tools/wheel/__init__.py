"""The wheel: a local index for it, fresh Debian roots, and what is proven in them."""
