"""ioping: mean and spread of single requests, and the rate of -R."""

from benches.parity._commands import Line

CASES = (
    Line("ioping", ("-c", "300", "-i", "5ms")),
    Line("ioping", ("-c", "300", "-i", "5ms", "-D")),
    Line("ioping", ("-c", "200", "-i", "5ms", "-W")),
    Line("ioping", ("-R",)),
)
