"""Where the events of a session go beside the terminal: a log in JSON, and OpenTelemetry."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Protocol

import typer

if TYPE_CHECKING:
    from plimsoll.api.watching import Progress

LogJson = Annotated[
    str | None,
    typer.Option("--log-json", metavar="FILE", help="Add each event as a line of JSON to FILE; - is standard error."),
]
Otlp = Annotated[
    str | None,
    typer.Option("--otlp", metavar="URL", help="Send spans and metrics by OTLP over HTTP, such as to :4318."),
]


class Stream(Protocol):
    """Takes the events of a session, and how it ended where that was before its end."""

    def __call__(self, event: Progress, /) -> None:
        """One event."""

    def ended(self, error: BaseException | None) -> None:
        """All is over."""


@dataclass(frozen=True)
class Streams:
    """What the user asked for."""

    log_json: str | None = None
    otlp: str | None = None

    @contextmanager
    def opened(self) -> Iterator[Sequence[Stream]]:
        """Each that was asked for. Raises UsageError where one cannot be, before anything is measured."""
        from plimsoll.cli.output import say

        with ExitStack() as stack:
            found: list[Stream] = []
            if self.log_json is not None:
                from plimsoll.api.event_log import EventLog
                from plimsoll.outgoing import check_output, open_output

                if not (is_error := self.log_json == "-"):
                    check_output(self.log_json)
                file = sys.stderr if is_error else stack.enter_context(open_output(self.log_json, "a"))
                found.append(EventLog(file, "standard error" if is_error else self.log_json))
            if self.otlp is not None:
                from plimsoll.api.telemetry import Telemetry

                found.append(Telemetry(self.otlp, say))
            try:
                yield found
            except BaseException as error:
                for each in found:
                    each.ended(error)
                raise
            for each in found:
                each.ended(None)
