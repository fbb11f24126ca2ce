from tests.clouds.fixtures import _proxy, moto_server, proxy

__all__ = ["_proxy", "moto_server", "proxy"]
