"""`python -m benches.parity`."""

import sys

from benches.parity import main

main(sys.argv[1:])
