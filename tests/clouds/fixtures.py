"""An account in moto behind the proxy, credentials for it, and a home of its own. Import them into a conftest.py."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import boto3
import pytest
from tests.clouds import moto
from tests.clouds.proxy import Proxy, proxying

from plimsoll.clouds import rent
from plimsoll.clouds.providers.aws import client, waiting
from plimsoll.clouds.wanted import Disk, Machine, Rental
from plimsoll.units import GIB, MIB

KEY, SECRET = "AKIAPLIMSOLLTESTKEYX", "s3cr3t/that/must/appear/nowhere/at+all/000"
REGION = "us-east-1"


@pytest.fixture(scope="session")
def moto_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with moto.serving(tmp_path_factory.mktemp("moto")) as address:
        yield address


@pytest.fixture(scope="session")
def _proxy(moto_server: str) -> Iterator[Proxy]:
    with proxying(moto_server) as proxy:
        yield proxy


@pytest.fixture
def proxy(_proxy: Proxy, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Proxy:
    """An empty account, no faults, and an environment that leads there."""
    moto.reset(_proxy.moto)
    _proxy.reset()
    for name, value in environment(_proxy.url, tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    for module in (rent, waiting):
        monkeypatch.setattr(module, "POLL_S", 0.05)
    monkeypatch.setattr(rent, "SETTLING_S", 1.0)
    monkeypatch.setattr(client, "ATTEMPTS", 3)
    # Attempts and what is left of their budget are a client's own.
    client._made.cache_clear()
    return _proxy


def environment(url: str, home: Path) -> dict[str, str]:
    """What leads the product to the proxy, as a user would lead it to another end point."""
    # The same place for all tests: what a session has read is used again where its environment is the same.
    places = {"AWS_CONFIG_FILE": "/nonexistent", "AWS_SHARED_CREDENTIALS_FILE": "/nonexistent"}
    keys = {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_EC2_METADATA_DISABLED": "true"}
    return {"AWS_ENDPOINT_URL": url, "AWS_DEFAULT_REGION": REGION, "PLIMSOLL_HOME": str(home), **places, **keys}


def rental(identity: str = "0123abcd", **changes: Any) -> Rental:
    """A machine with one volume, for an hour."""
    disk = Disk(target="gp3", type="gp3", size_bytes=100 * GIB, iops=6000, throughput=250 * MIB)
    about: dict[str, Any] = {
        "id": identity,
        "provider": "aws",
        "region": REGION,
        "machines": (Machine(name="m1", type="m7i.large", disks=(disk,)),),
        "lease_end_ns": (time.time_ns() // 10**9 + 3600) * 10**9,
        "from_address": "203.0.113.7/32",
    }
    return Rental(**about | changes)


@cache
def account(moto_address: str, service: str = "ec2", region: str = REGION) -> Any:
    """A client past the proxy, to see what the account really has."""
    keys = {"aws_access_key_id": KEY, "aws_secret_access_key": SECRET}
    return boto3.client(service, endpoint_url=moto_address, region_name=region, **keys)


def everything(moto_address: str) -> list[str]:
    """All that exists in the account's EC2, whoever's it is, but for what every account has."""
    ec2 = account(moto_address)
    found = [
        each["InstanceId"]
        for reservation in ec2.describe_instances()["Reservations"]
        for each in reservation["Instances"]
        if each["State"]["Name"] not in ("shutting-down", "terminated")
    ]
    found += [each["VolumeId"] for each in ec2.describe_volumes()["Volumes"]]
    found += [each["NetworkInterfaceId"] for each in ec2.describe_network_interfaces()["NetworkInterfaces"]]
    groups = ec2.describe_security_groups()["SecurityGroups"]
    found += [each["GroupId"] for each in groups if each["GroupName"] != "default"]
    return found + [each["KeyPairId"] for each in ec2.describe_key_pairs()["KeyPairs"]]
