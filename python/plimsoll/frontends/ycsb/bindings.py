"""YCSB's bindings and their properties: which database, where, and as whom."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, urlsplit

from plimsoll.addresses import is_ambiguous
from plimsoll.errors import UnknownName, UsageError
from plimsoll.frontends.ycsb.properties import Properties
from plimsoll.targets.database import is_address


@dataclass(frozen=True)
class Database:
    """Where a binding leads: an address without a password, the password, and parameters of our tests."""

    address: str
    password: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)


_OTHERS = """
    accumulo aerospike arangodb asynchbase azurecosmos azuretablestorage bigtable cassandra-cql cloudspanner couchbase
    couchbase2 crail dynamodb elasticsearch elasticsearch5 foundationdb geode googlebigtable googledatastore griddb
    hbase1 hbase12 hbase14 hbase2 hbase20 hypertable ignite infinispan infinispan-cs kudu mapkeeper maprdb memcached
    mongodb mongodb-async nosqldb orientdb postgrenosql rados rest riak s3 scylla seaweedfs solr solr6 solr7
    tablestore tarantool tikv voltdb voldemort zookeeper
"""
WITHOUT_DRIVER = frozenset(_OTHERS.split())
"""Bindings of YCSB for which there is no driver."""

_JDBC_NAMES = {"mysql": "mysql", "mariadb": "mysql", "postgresql": "postgresql", "sqlite": "sqlite"}
_TLS = {
    "usessl": {"true": "require", "false": "off"},
    "requiressl": {"true": "require", "false": "off"},
    "ssl": {"true": "verify", "false": "off"},
    "sslmode": {
        **dict.fromkeys(("disable", "disabled", "allow", "prefer", "preferred"), "off"),
        **dict.fromkeys(("require", "required", "trust"), "require"),
        **dict.fromkeys(("verify-ca", "verify_ca", "verify-full", "verify_identity"), "verify"),
    },
}
"""Options of JDBC addresses about encryption, by their value, as our `tls`."""


def database(name: str, properties: Properties) -> Database:
    """The database of a binding; a name may also be an address. Raises UsageError."""
    if is_address(name):
        return Database(name)
    if name.removesuffix("-binding") in WITHOUT_DRIVER:
        raise UsageError(f"there is no driver for YCSB's binding {name}; use one of {', '.join(sorted(BINDINGS))}")
    if name not in BINDINGS:
        raise UnknownName("binding of YCSB", name, BINDINGS)
    return BINDINGS[name](properties)


def _basic(properties: Properties) -> Database:
    properties.only("basicdb.simulatedelay", "0", "the binding without a database answers at once")
    for name in ("basicdb.verbose", "basicdb.randomizedelay", "basicdb.count"):
        properties.ignored(name, "operations are counted, not printed")
    return Database("null://")


def _memory(_properties: Properties) -> Database:
    return Database("memory://")


def _jdbc(properties: Properties) -> Database:
    url = properties.text("db.url", "")
    if not url:
        raise UsageError(
            "binding jdbc needs -p db.url=jdbc:postgresql://host:5432/database (or jdbc:mysql:…, jdbc:mariadb:…, "
            "jdbc:sqlite:/path/of/file.db)"
        )
    body = url.removeprefix("jdbc:")
    scheme, _, place = body.partition(":")
    if scheme.lower() not in _JDBC_NAMES:
        raise UnknownName("driver for db.url=jdbc:…, kind", scheme, _JDBC_NAMES)
    _check_driver_class(properties, scheme.lower())
    properties.only("jdbc.autocommit", "true", "each operation is a transaction of its own")
    for name in ("db.batchsize", "jdbc.batchupdateapi"):
        properties.ignored(name, "each insert is a statement of its own")
    properties.ignored("jdbc.fetchsize", "whole results are fetched")
    user, password = properties.given("db.user"), properties.given("db.passwd")
    if scheme.lower() == "sqlite":
        return _sqlite(place)
    return _server(_JDBC_NAMES[scheme.lower()], place, user, password, properties.note)


def _check_driver_class(properties: Properties, scheme: str) -> None:
    name = properties.given("db.driver")
    if name is not None and not any(each in name.lower() for each in (scheme, _JDBC_NAMES[scheme])):
        raise UsageError(f"property db.driver={name} does not fit db.url, which is of {scheme}; leave db.driver out")


def _sqlite(place: str, prefix: str = "db.url=jdbc:sqlite:") -> Database:
    path = place.partition("?")[0]
    if not path or path == ":memory:":
        raise UsageError(
            f"{prefix} needs the path of a file after it; for a database without a file, use binding memory"
        )
    return Database(f"sqlite:{os.path.abspath(path)}")


def _server(scheme: str, place: str, user: str | None, password: str | None, note: Callable[[str], None]) -> Database:
    """`//host:port/database?option=value`, or `database` alone."""
    plain, _, query = place.partition("?")
    known = ("user", "password", *_TLS)
    strange = any("@" in name + value for name, value in parse_qsl(query, True) if name.lower() not in known)
    if strange or is_ambiguous(f"{scheme}:{plain}"):
        raise UsageError(
            "db.url seems to hold a password with an unescaped sign (@ / ? #), which would be taken for the host; "
            "give user and password apart: -p db.user=… -p db.passwd=…"
        )
    try:
        parts = urlsplit(f"{scheme}:{place}" if place.startswith("//") else f"{scheme}://localhost/{place}")
        host, port = parts.hostname or "localhost", parts.port
    except ValueError:
        # The reason may hold a part of a password.
        raise UsageError(f"db.url cannot be read; write it as jdbc:{scheme}://host:port/database") from None
    if "," in parts.netloc or "jdbc:" in parts.path:
        raise UsageError("db.url names several servers; name one, and start one command for each")
    parameters: dict[str, str] = {}
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        if name.lower() == "user":
            user = user or value
        elif name.lower() == "password":
            password = password or value
        elif name.lower() in _TLS:
            parameters["tls"] = _tls(name, value)
        else:
            note(f"option {name} of db.url has no effect: it belongs to the JDBC driver")
    return Database(
        _address(scheme, user or parts.username, host, port, parts.path.lstrip("/")),
        password or parts.password,
        parameters,
    )


def _tls(name: str, value: str) -> str:
    modes = _TLS[name.lower()]
    if value.lower() not in modes:
        raise UnknownName(f"value of option {name} of db.url,", value, modes)
    return modes[value.lower()]


def _address(scheme: str, user: str | None, host: str, port: int | None, name: str) -> str:
    who = f"{quote(user, safe='')}@" if user else ""
    where = f"[{host}]" if ":" in host else host
    return f"{scheme}://{who}{where}{f':{port}' if port else ''}/{name}"


def _redis(properties: Properties) -> Database:
    properties.only("redis.cluster", "false", "only single servers are supported, no clusters")
    host, _, port = properties.text("redis.addr", "").rpartition(":")
    host = properties.text("redis.host", host or "localhost")
    number = properties.whole("redis.port", int(port) if port.isdigit() else 6379, 1)
    parameters = {}
    if (timeout_ms := properties.whole("redis.timeout", 0)) > 0:
        parameters["timeout"] = f"{timeout_ms}ms"
    address = _address("redis", None, host, number, str(properties.whole("redis.db", 0)))
    return Database(address, properties.given("redis.password"), parameters)


def _rocksdb(properties: Properties) -> Database:
    folder = properties.text("rocksdb.dir", "")
    if not folder:
        raise UsageError("binding rocksdb needs -p rocksdb.dir=/path/of/folder")
    properties.only("rocksdb.optionsfile", "", "settings are given as plimsoll.session_settings")
    return Database(f"rocksdb:{os.path.abspath(folder)}")


def _mysql(properties: Properties) -> Database:
    return _named(properties, "mysql", "mysql", 3306, "root")


def _postgresql(properties: Properties) -> Database:
    made = _named(properties, "pg", "postgresql", 5432, "postgres")
    mode = properties.choice("pg.sslmode", "disable", tuple(_TLS["sslmode"]))
    return Database(made.address, made.password, {"tls": _TLS["sslmode"][mode]})


def _named(properties: Properties, prefix: str, scheme: str, port: int, user: str) -> Database:
    """go-ycsb's properties, which name host, port, user, password and database apart."""
    address = _address(
        scheme,
        properties.text(f"{prefix}.user", user),
        properties.text(f"{prefix}.host", "127.0.0.1"),
        properties.whole(f"{prefix}.port", port, 1),
        properties.text(f"{prefix}.db", "test"),
    )
    return Database(address, properties.given(f"{prefix}.password"))


def _sqlite_file(properties: Properties) -> Database:
    return _sqlite(properties.text("sqlite.db", ""), "sqlite.db=")


BINDINGS: Mapping[str, Callable[[Properties], Database]] = {
    "basic": _basic,
    "jdbc": _jdbc,
    "redis": _redis,
    "rocksdb": _rocksdb,
    "memory": _memory,
    "mysql": _mysql,
    "mariadb": _mysql,
    "pg": _postgresql,
    "postgresql": _postgresql,
    "sqlite": _sqlite_file,
}
"""By name: first those of YCSB, then our own drivers with the properties that go-ycsb has for them."""
