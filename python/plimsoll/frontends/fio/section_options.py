"""The options of a section, read with fio's rules and defaults."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from plimsoll.errors import UsageError
from plimsoll.frontends.fio import values
from plimsoll.frontends.fio.job_file import Section
from plimsoll.frontends.fio.options import BOOLEANS, CHANGES, DEFAULTS, NO_DIFFERENCE

Value = TypeVar("Value")

MODES = {
    "read": "read", "write": "write", "trim": "trim", "randread": "randread", "randwrite": "randwrite",
    "randtrim": "randtrim", "rw": "rw", "readwrite": "rw", "randrw": "randrw", "trimwrite": "trimwrite",
    "randtrimwrite": "randtrimwrite",
}  # fmt: skip
VERIFIED_AS = {"write": "read", "randwrite": "randread", "read": "read", "randread": "randread"}
"""What `verify_only` makes of a mode."""


class Words:
    """The options of one section, read with fio's rules; errors name section and option."""

    def __init__(self, section: Section) -> None:
        self.section = section
        self._options = section.options
        self.kb_base = self.read("kb_base", values.whole)
        if self.kb_base not in (1000, 1024):
            raise UsageError(f"{section.where}: kb_base={self.kb_base}: use 1024, fio's default, or 1000")

    def text(self, name: str) -> str | None:
        """The option as text, with fio's default; None where it is absent."""
        return self._options.get(name, DEFAULTS.get(name))

    def read(self, name: str, reader: Callable[[str], Value]) -> Value:
        """The value of an option that has a default, or is known to be there."""
        try:
            return reader(self.text(name) or "")
        except (UsageError, ValueError) as error:
            raise UsageError(f"{self.section.where}: {name}: {error}") from None

    def given(self, name: str) -> bool:
        """Whether the option is there or has a default."""
        return self.text(name) is not None

    def on(self, name: str) -> bool:
        """A boolean option."""
        return self.given(name) and self.read(name, values.boolean)

    def size(self, name: str) -> int:
        """Bytes under the section's kb_base."""
        return self.read(name, lambda text: values.size(text, self.kb_base))

    @property
    def mode(self) -> str:
        """`rw` without what may stand behind a colon, under one of its names."""
        mode = (self.text("rw") or "").partition(":")[0]
        if mode not in MODES:
            raise UsageError(
                f"{self.section.where}: rw={mode} is not supported by Plimsoll; use one of {', '.join(MODES)}"
            )
        if self.on("verify_only"):
            if mode not in VERIFIED_AS:
                raise UsageError(
                    f"{self.section.where}: verify_only with rw={mode}: which blocks were written is only known of "
                    f"jobs that write them all; it is for {', '.join(VERIFIED_AS)}"
                )
            return VERIFIED_AS[mode]
        return MODES[mode]

    @property
    def after_mode(self) -> str:
        """What stands behind the colon of `rw`: `8` of `randread:8`; nothing where there is none."""
        return (self.text("rw") or "").partition(":")[2]

    def changes(self) -> list[str]:
        """What these options ask for and the result does not have."""
        return [f"{name}: {CHANGES[name]}" for name in self._options if name in CHANGES]

    def notes(self) -> list[str]:
        """What a user of fio may want to know of these options; the result does not depend on it."""
        found = [f"{name}: {NO_DIFFERENCE[name]}" for name in self._options if name in NO_DIFFERENCE]
        for name, text in self._options.items():
            if name not in BOOLEANS and values.swapped_unit(text, self.kb_base):
                found.append(f"{name}={text}: with kb_base=1024, fio counts KiB, MiB, … as powers of 1000; 4k is 4096")
        return found
