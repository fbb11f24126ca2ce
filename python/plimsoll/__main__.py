"""`python -m plimsoll` is the same as the `plimsoll` command."""

from plimsoll.cli.entry import main

main()
