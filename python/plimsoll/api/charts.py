"""The charts of reports as Altair objects: the same specifications (`report/charts/`), drawn by the notebook."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from plimsoll.api import faults
from plimsoll.errors import UnknownName
from plimsoll.report.document import Chart, Document
from plimsoll.report.palette import PAGE

if TYPE_CHECKING:
    import altair

WIDTH = 640
"""Of a chart in a notebook, whose output does not tell how wide it is."""


class Charts(Mapping[str, "altair.TopLevelMixin"]):
    """Charts by their names, in the order of the report; each is made when it is asked for."""

    def __init__(self, document: Document) -> None:
        self._found = {chart.id: chart for chart in document.charts}

    def __getitem__(self, name: str) -> altair.TopLevelMixin:
        if name not in self._found:
            raise UnknownName("chart", name, self._found)
        return altair_chart(self._found[name])

    def __contains__(self, name: object) -> bool:
        return name in self._found

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def title(self, name: str) -> str:
        """What a chart is called in reports. Raises UnknownName."""
        if name not in self._found:
            raise UnknownName("chart", name, self._found)
        return self._found[name].title

    def __repr__(self) -> str:
        return f"<Charts: {', '.join(self._found) or 'none'}>"


def altair_chart(chart: Chart) -> altair.TopLevelMixin:
    """One chart; its description says in words what it shows."""
    with faults.told():
        import altair

    spec: dict[str, Any] = {**chart.draw().spec, "title": chart.title, "description": chart.description}
    # A notebook may be dark, and the ink is not.
    spec |= {"width": WIDTH, "background": PAGE}
    legend = {name: value for name, value in spec["config"]["legend"].items() if name != "layout"}
    # Vega knows it, and the schema that Altair holds a chart against does not.
    spec["config"] = {**spec["config"], "legend": legend}
    spec["params"] = [{**each, "value": WIDTH} if each["name"] == "wide" else each for each in spec["params"]]
    # Altair refuses what is not Vega-Lite of its version, which is the one that draws reports.
    made: altair.TopLevelMixin = altair.Chart.from_dict(spec)
    return made
