from tests.clouds.fixtures import _proxy, moto_server, proxy
from tests.integration.clouds.host.conftest import cloud, machines_of
from tests.integration.run.conftest import plimsoll

__all__ = ["_proxy", "cloud", "machines_of", "moto_server", "plimsoll", "proxy"]
