"""The load of a trace in one page: what was asked of a device, how evenly, and what more cache would absorb."""
