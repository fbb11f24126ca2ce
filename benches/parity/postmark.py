"""PostMark: transactions per second, which the original counts in whole seconds, so that the whole time tells more."""

from benches.parity import WHOLE, Case

CASES = (Case("postmark", ("transactions=25000",), ("transactions_transactions_per_second", WHOLE), blocks=4),)
