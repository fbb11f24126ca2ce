"""PostMark: transactions per second, which the original counts in whole seconds, so that the whole time tells more."""

from benches.parity import WHOLE, Case

METRICS = ("transactions_transactions_per_second", WHOLE)
CASES = (Case("postmark", ("transactions=25000",), METRICS, blocks=3, fresh=True),)
