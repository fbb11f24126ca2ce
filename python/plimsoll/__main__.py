"""`python -m plimsoll` is the same as the `plimsoll` command."""

from plimsoll.cli.main import main

main()
