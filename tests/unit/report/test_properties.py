"""What targets differ in as a number: which of several, of which targets, and how it is told."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.importers.importing import read_text
from tests.unit.report.studies import evidence, with_runs

from plimsoll.errors import ResultFileError
from plimsoll.model import Run
from plimsoll.report import Evidence, build_document
from plimsoll.report.document import Table, Text, cell_text
from plimsoll.report.properties import Property, properties
from plimsoll.report.sections import scaling
from plimsoll.run.studies import studies

PUBLISHED = """test,target,unit,better,value,error,runs,cap_iops
random read,standard,MB/s,higher,122.08,3.14,3,
random read,piops-200,MB/s,higher,2.23,0.01,3,200
random read,piops-400,MB/s,higher,4.53,0.02,3,400
random read,piops-1000,MB/s,higher,11.54,0.04,3,1000
random read,piops-2000,MB/s,higher,23.64,0.15,3,2000
"""


def placed(options: dict[str, dict[str, str]], parameters: dict[str, dict[str, Any]] | None = None) -> Evidence:
    """Targets with these options, and runs whose plans have these parameters."""
    found = evidence(targets=tuple(options), cases=("randread",), blocks=3)

    def changed(run: Run) -> Run:
        name = run.target.name
        plan = run.plan.having({**run.plan.parameters, **(parameters or {}).get(name, {})})
        return run.model_copy(update={"target": run.target.model_copy(update={"options": options[name]}), "plan": plan})

    return with_runs(found, [changed(run) for run in found.runs])


def found(options: dict[str, dict[str, str]], parameters: dict[str, dict[str, Any]] | None = None) -> list[Property]:
    return list(properties(placed(options, parameters)))


def volume(text: str) -> dict[str, str]:
    return {"as": text}


def test_provisioned_iops_come_before_the_size_that_goes_with_them() -> None:
    names = {f"p{iops}": volume(f"io1+size={iops // 10}GiB+iops={iops}") for iops in (200, 400, 1000)}
    iops, price = found({"standard": volume("standard+size=100GiB"), **names})
    assert (iops.name, iops.values) == ("IOPS", {"p200": 200, "p400": 400, "p1000": 1000})
    assert price.name == "price"
    # 20 GiB at 0.125 and 200 IOPS at 0.065.
    assert price.values["p200"] == pytest.approx(15.5)
    assert "standard" not in price.values


def test_volumes_that_are_sold_by_size_have_a_size() -> None:
    size, price = found({f"g{gib}": volume(f"gp2+size={gib}GiB") for gib in (100, 200, 500)})
    assert size.name == "size"
    assert size.text(size.values["g200"]) == "200 GiB"
    assert price.text(price.values["g500"]) == "$50 a month"


def test_throughput_that_is_provisioned() -> None:
    rate, _ = found({f"t{mib}": volume(f"gp3+size=500GiB+throughput={mib}") for mib in (125, 250, 500)})
    assert rate.name == "throughput"
    assert rate.text(rate.values["t250"]) == "250 MiB/s"


def test_volumes_of_another_type_or_instance_are_of_another_kind() -> None:
    options = {f"g{gib}": volume(f"gp2+size={gib}GiB") for gib in (100, 200, 500)}
    options |= {"other": volume("gp2+size=900GiB+instance=m5.large"), "st1": volume("st1+size=500GiB")}
    assert set(found(options)[0].values) == {"g100", "g200", "g500"}


def test_two_that_differ_are_too_few() -> None:
    assert found({"a": volume("gp2+size=100GiB"), "b": volume("gp2+size=200GiB"), "c": volume("gp2+size=200GiB")}) == []
    assert found({"a": {}, "b": {}, "c": {}}) == []


def test_a_parameter_of_the_plans_is_a_property_of_its_case() -> None:
    threads = {name: {"threads": count} for name, count in (("a", 1), ("b", 2), ("c", 8))}
    (only,) = found({name: {"threads": str(each["threads"])} for name, each in threads.items()}, threads)
    assert (only.name, only.case, only.values) == ("threads", "randread", {"a": 1, "b": 2, "c": 8})
    assert only.text(8) == "threads=8"


def test_two_parameters_that_differ_say_nothing_of_either() -> None:
    both = {name: {"threads": count, "depth": count} for name, count in (("a", 1), ("b", 2), ("c", 8))}
    options = {name: {key: str(value) for key, value in each.items()} for name, each in both.items()}
    assert found(options, both) == []


def test_a_published_table_says_how_many_iops_would_match() -> None:
    imported = read_text("table", PUBLISHED)
    (table,) = scaling.build(Evidence([imported.session], list(imported.runs), "standard", 0.1))
    assert isinstance(table, Table)
    (row,) = (dict(zip((column.title for column in table.columns), each, strict=True)) for each in table.rows)
    words = cell_text(row["In words"])
    # By hand the article of 2013 got about 10,500.
    assert "would match standard: extrapolated, 5.3 times the largest that was measured, 2,000 IOPS" in words
    interval = row["Interval"]
    assert interval is not None
    low, high = (float(each.replace(",", "")) for each in cell_text(interval).split("…"))
    assert low < 10_500 < high


def test_a_table_with_one_mean_and_no_spread_has_no_interval() -> None:
    rows = "".join(line.replace(",3.14,3,", ",,,") + "\n" for line in PUBLISHED.splitlines())
    imported = read_text("table", rows)
    (table,) = scaling.build(Evidence([imported.session], list(imported.runs), "standard", 0.1))
    assert isinstance(table, Table)
    (row,) = (dict(zip((column.title for column in table.columns), each, strict=True)) for each in table.rows)
    assert row["Interval"] is None
    assert row["To match standard"] is not None


def test_a_table_can_say_which_volume_a_target_is() -> None:
    text = "test,target,unit,better,value,as,region\nt,a,1/s,higher,10,gp3+size=100GiB,eu-west-1\n"
    (run,) = read_text("table", text).runs
    assert run.target.options == {"as": "gp3+size=100GiB", "region": "eu-west-1"}
    for column, value in (("as", "gp9+size=1GiB"), ("region", "moon"), ("cap_iops", "many"), ("cap_throughput", "x")):
        with pytest.raises(ResultFileError, match=f"line 2: {column}"):
            read_text("table", f"test,target,unit,better,value,{column}\nt,a,1/s,higher,10,{value}\n")


def test_the_study_of_2013_says_what_its_article_worked_out() -> None:
    study = studies()["piops-2013"].study(quick=True)
    assert "10,500" in study.published
    assert "3,000" in study.published
    session = evidence(targets=("standard", "p200", "p400", "p1000"), cases=("randread",), blocks=3)
    caps = {"p200": "200", "p400": "400", "p1000": "1000"}
    runs = [
        run.model_copy(
            update={
                "target": run.target.model_copy(
                    update={"options": {"cap_iops": caps[run.target.name]} if run.target.name in caps else {}}
                )
            }
        )
        for run in session.runs
    ]
    table = session.sessions[0].study | {"published": study.to_table()["published"]}
    changed = session.sessions[0].model_copy(update={"study": table})
    blocks = [
        block
        for section in build_document(Evidence([changed], runs, "standard", 0.1)).sections
        for block in section.blocks
    ]
    told = [sentence.text for block in blocks if isinstance(block, Text) for sentence in block.sentences]
    assert any(sentence.startswith("For comparison, what was published: the article of 2013") for sentence in told)
