"""What providers sell: volume types and instance types with their limits, dated and with sources.

volume_types() · volume_type(name, era)     instances() · instance(name, era)     volume_shape(options, where)

All that is one provider's, with its prices, is a folder of `providers/`; `provider.py` says what is in it.
"""
