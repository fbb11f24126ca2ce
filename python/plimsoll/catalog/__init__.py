"""What providers sell: volume types and instance types with their limits, dated and with sources.

volume_types() · volume_type(name, era)     instances() · instance(name, era)     volume_shape(options, where)

The facts are the CSV files in `data/`; each begins with its sources and licence. The formulas are in `rules.py`.
"""
