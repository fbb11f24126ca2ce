"""YCSB's command line, property files, bindings and properties."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.errors import UsageError
from plimsoll.frontends.ycsb.bindings import database
from plimsoll.frontends.ycsb.command import WORDS
from plimsoll.frontends.ycsb.command_line import OPTIONS, parse, without_secrets
from plimsoll.frontends.ycsb.properties import PUBLISHED, Properties, read_file
from plimsoll.frontends.ycsb.properties import parse as parse_properties
from plimsoll.frontends.ycsb.workload import UNLIMITED_S, wanted

A = read_file("workloads/workloada")


def properties(**values: str) -> Properties:
    return Properties({name.replace("__", "."): value for name, value in values.items()}, lambda _note: None)


def test_the_words_of_the_script_and_of_the_java_client_say_the_same() -> None:
    script = parse(["run", "jdbc", "-P", "a", "-P", "b", "-p", "x=1=2", "-threads", "8", "-target", "50", "-s"])
    assert (script.phase, script.binding, script.files) == ("run", "jdbc", ["a", "b"])
    assert script.properties == {"x": "1=2", "threadcount": "8", "target": "50"}
    assert script.status
    client = parse(["-t", "-db", "site.ycsb.db.JdbcDBClient", "-threads", "8"])
    assert (client.phase, client.binding, client.properties) == ("run", "jdbc", {"threadcount": "8"})
    assert parse(["-load"]).binding == "basic"
    assert parse(["load", "redis", "--recreate", "-jvm-args", "-Xmx4g", "-cp=x"]).data == "recreate"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "load or to run"),
        (["ran", "jdbc"], "did you mean 'run'"),
        (["shell", "jdbc"], "no shell"),
        (["run", "jdbc", "-treads", "8"], "did you mean '-threads'"),
        (["run", "jdbc", "-threads"], "needs a value"),
        (["run", "jdbc", "-p", "recordcount"], "name=value"),
        (["run", "jdbc", "redis"], "one name too many"),
        (["load", "jdbc", "-t"], "one after the other"),
    ],
)
def test_words_that_mean_nothing_are_named(words: list[str], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        parse(words)


def test_no_password_is_kept() -> None:
    words = [
        "-p",
        "db.passwd=one",
        "-p",
        "redis.password=two",
        "-p",
        "db.url=jdbc:mysql://h/d?user=me&password=three&x=1",
    ]
    kept = " ".join(without_secrets([*words, "postgresql://me:four@host/d", "-p", "mysql.password=five"]))
    assert not any(secret in kept for secret in ("one", "two", "three", "four", "five"))
    assert "user=me&password=***&x=1" in kept


def test_a_property_file_is_read_as_java_reads_it(tmp_path: Path) -> None:
    text = "# c\n! c\nrecordcount=10\n  spaced : value \nlong=a\\\n   b\nuni=\\u00e9\\=\nempty=\nblank value\n"
    (tmp_path / "mine").write_text(text)
    assert {name: value.strip() for name, value in read_file(str(tmp_path / "mine")).items()} == {
        "recordcount": "10",
        "spaced": "value",
        "long": "ab",
        "uni": "é=",
        "empty": "",
        "blank": "value",
    }
    assert parse_properties("") == {}
    with pytest.raises(UsageError, match="workloada"):
        read_file("nowhere/workloadz")


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_published_workload_is_the_test_of_its_letter(name: str) -> None:
    from plimsoll.profile import Entry, cases

    found = wanted(properties(**read_file(name)), "run", None)
    ours = cases([Entry(f"ycsb-{name[-1]}", {})], {}, "test")[0].parameters
    theirs = cases([Entry("ycsb-a", found.parameters)], {}, "test")[0].parameters
    same = [each for each in ours if each not in ("records", "max_operations", "runtime", "warmup", "clients", "data")]
    differing = {each for each in same if ours[each] != theirs[each]}
    assert differing == {"insert_count", "interval"}


def test_properties_become_parameters() -> None:
    given = properties(
        recordcount="500", operationcount="40", threadcount="4", target="100", requestdistribution="hotspot",
        hotspotdatafraction="0.1", readproportion="3", updateproportion="1", insertorder="ordered", zeropadding="8",
        fieldcount="2", fieldlength="9", minfieldlength="3", fieldlengthdistribution="uniform", readallfields="false",
        writeallfields="TRUE", insertstart="100", insertcount="50", table="t",
    )  # fmt: skip
    found = wanted(given, "run", None)
    assert found.operations == 40
    assert found.kinds == ("read", "update")
    expected = {
        "read": 0.75, "update": 0.25, "records": 500, "max_operations": 40, "clients": 4, "request": "hotspot:0.1:0.8",
        "rate": {"per_second": 100.0, "unit": "operations"}, "insert_order": "ordered", "zero_padding": 8, "fields": 2,
        "field_length": 9, "field_length_min": 3, "field_length_distribution": "uniform", "read_all_fields": False,
        "write_all_fields": True, "insert_start": 100, "insert_count": 50, "table": "t", "data": "keep",
        "runtime": f"{UNLIMITED_S}s", "measure": "run",
    }  # fmt: skip
    assert {name: found.parameters[name] for name in expected} == expected


def test_a_load_makes_the_table_and_a_part_of_a_load_adds_to_it() -> None:
    whole = wanted(properties(recordcount="500", maxexecutiontime="60"), "load", None)
    assert (whole.parameters["data"], whole.operations, whole.kinds) == ("create", 500, ("insert",))
    assert (whole.parameters["runtime"], whole.parameters["rate"]) == ("60s", None)
    paced = wanted(properties(recordcount="500", target="9"), "load", None)
    assert paced.parameters["rate"] == {"per_second": 9.0, "unit": "operations"}
    part = wanted(properties(recordcount="500", insertstart="250"), "load", None)
    assert (part.parameters["data"], part.parameters["insert_count"], part.operations) == ("keep", 250, 250)


@pytest.mark.parametrize(
    ("values", "phase", "says"),
    [
        ({}, "run", "recordcount"),
        ({"recordcount": "5"}, "run", "never end"),
        ({"recordcount": "many"}, "load", "recordcount=many: it must be a whole number"),
        ({"recordcount": "5", "operationcount": "5", "requestdistribution": "zipfain"}, "run", "zipfian"),
        ({"recordcount": "5", "operationcount": "5", "readproportion": "-1"}, "run", "readproportion=-1"),
        ({"recordcount": "5", "operationcount": "5", "readallfields": "si"}, "run", "readallfields"),
        ({"recordcount": "5", "workload": "site.ycsb.workloads.RestWorkload"}, "load", "core workload"),
        ({"recordcount": "5", "fieldnameprefix": "f"}, "load", "fieldnameprefix=f"),
        ({"recordcount": "5", "fieldlengthdistribution": "histogram"}, "load", "histogram"),
        ({**dict.fromkeys(("readproportion", "updateproportion"), "0"), "recordcount": "5"}, "load", "are 0"),
        ({"recordcount": "5", "insertstart": "5"}, "load", "insertstart=5: it must be below recordcount=5"),
        ({"recordcount": "5", "insertstart": "9"}, "load", "insertstart=9: it must be below recordcount=5"),
        ({"recordcount": "5", "insertstart": "2", "insertcount": "4"}, "load", "insertcount=4: with insertstart=2 it"),
        (
            {"recordcount": "5", "minfieldlength": "101"},
            "load",
            "minfieldlength=101: it must be at most fieldlength=100",
        ),
        (
            {"recordcount": "5", "minscanlength": "9", "maxscanlength": "8"},
            "load",
            "minscanlength=9: it must be at most",
        ),
        ({"recordcont": "5"}, "load", r"no property named 'recordcont'; did you mean recordcount\?"),
        ({"recordcount": "5", "operationcuont": "5"}, "run", r"'operationcuont'; did you mean operationcount\?"),
    ],
)
def test_values_that_mean_nothing_are_named(values: dict[str, str], phase: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        wanted(properties(**values), phase, None)


def test_what_nobody_asked_for_is_refused_with_the_nearest() -> None:
    given = Properties({**A, "recordcuont": "5"}, lambda _note: None)
    wanted(given, "run", None)
    with pytest.raises(UsageError, match=r"'recordcuont' with binding jdbc; did you mean recordcount\?"):
        given.refuse_the_rest("jdbc")


@pytest.mark.parametrize(
    ("name", "values", "address", "password", "parameters"),
    [
        ("basic", {"basicdb__verbose": "true"}, "null://", None, {}),
        ("jdbc", {"db__url": "jdbc:mysql://h:3307/d?useSSL=true&x=1", "db__user": "me", "db__passwd": "s"},
         "mysql://me@h:3307/d", "s", {"tls": "require"}),
        ("jdbc", {"db__url": "jdbc:mariadb://h/d?user=u&password=p", "db__driver": "org.mariadb.jdbc.Driver"},
         "mysql://u@h/d", "p", {}),
        ("jdbc", {"db__url": "jdbc:postgresql://[::1]/d?sslmode=verify-full"}, "postgresql://[::1]/d", None,
         {"tls": "verify"}),
        ("jdbc", {"db__url": "jdbc:postgresql:ycsb"}, "postgresql://localhost/ycsb", None, {}),
        ("jdbc", {"db__url": "jdbc:sqlite:/tmp/x.db"}, "sqlite:/tmp/x.db", None, {}),
        ("redis", {"redis__host": "r", "redis__port": "7000", "redis__password": "s", "redis__timeout": "500"},
         "redis://r:7000/0", "s", {"timeout": "500ms"}),
        ("rocksdb", {"rocksdb__dir": "/x"}, "rocksdb:/x", None, {}),
        ("mysql", {"mysql__host": "m", "mysql__db": "d"}, "mysql://root@m:3306/d", None, {}),
        ("pg", {"pg__sslmode": "require"}, "postgresql://postgres@127.0.0.1:5432/test", None, {"tls": "require"}),
        ("postgresql://me@host/x", {}, "postgresql://me@host/x", None, {}),
    ],
)  # fmt: skip
def test_bindings_lead_to_addresses(
    name: str, values: dict[str, str], address: str, password: str | None, parameters: dict[str, str]
) -> None:
    given = properties(**values)
    found = database(name, given)
    assert (found.address, found.password, dict(found.parameters)) == (address, password, parameters)
    given.refuse_the_rest(name)


@pytest.mark.parametrize(
    ("name", "values", "says"),
    [
        ("mongodb", {}, "no driver for YCSB's binding mongodb; use one of basic, jdbc"),
        ("rocksdb", {}, "rocksdb.dir="),
        ("jbdc", {}, "did you mean 'jdbc'"),
        ("jdbc", {}, "db.url=jdbc:postgresql"),
        ("jdbc", {"db__url": "jdbc:oracle:thin:@h"}, "oracle"),
        ("jdbc", {"db__url": "jdbc:mysql://a,b/d"}, "several servers"),
        ("jdbc", {"db__url": "jdbc:mysql://a/d", "db__driver": "org.postgresql.Driver"}, "does not fit"),
        ("jdbc", {"db__url": "jdbc:mysql://a/d", "jdbc__autocommit": "false"}, "jdbc.autocommit=false"),
        ("jdbc", {"db__url": "jdbc:sqlite::memory:"}, "path of a file"),
        ("jdbc", {"db__url": "jdbc:mysql://a:port/d"}, "db.url"),
        ("redis", {"redis__cluster": "true"}, "redis.cluster=true"),
        ("basic", {"basicdb__simulatedelay": "5"}, "simulatedelay"),
    ],
)
def test_what_a_binding_cannot_do_is_told(name: str, values: dict[str, str], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        database(name, properties(**values))


def test_the_help_tells_every_option() -> None:
    told = " ".join(words for words, _ in WORDS).replace(",", "").split()
    assert set(OPTIONS) <= set(told)
