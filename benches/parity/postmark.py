"""PostMark: transactions per second. The original counts whole seconds, so that it has to run for many."""

from benches.parity import Case

CASES = (Case("postmark", ("transactions=25000",), ("transactions_transactions_per_second",), blocks=3),)
