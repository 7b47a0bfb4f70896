"""Prints envoy.yaml for other nodes than its own two; nothing but what stands once a node differs.

    python deploy/envoy/for_nodes.py a=a.dealers.example.com:50051 b=b.dealers.example.com:50051

Each argument is NODE=HOST:PORT: the node's name, and where Envoy reaches it. Its certificate must
bear HOST. Needs PyYAML.
"""
# ruff: noqa: INP001 - a script beside its configuration, in no package

import copy
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

SHIPPED: Final = Path(__file__).with_name("envoy.yaml")
MODEL: Final = "dealer-a"
"""The node of the shipped file whose parts each node gets."""
_HEAD: Final = """\
# Made of deploy/envoy/envoy.yaml, which says why each line is as it is, for other nodes:
#   {command}
"""
_NODE: Final = re.compile(r"[a-z0-9.-]{1,64}")

Config = dict[str, Any]


def shipped() -> Config:
    """Read the configuration as it is shipped."""
    config: Config = yaml.safe_load(SHIPPED.read_text("utf-8"))
    return config


def for_nodes(config: Config, nodes: Mapping[str, tuple[str, int]]) -> Config:
    """Give the configuration for nodes by name, each with its host and port; `config` stays."""
    config = copy.deepcopy(config)
    resources = config["static_resources"]
    (callers,) = [one for one in resources["listeners"] if one["name"] == "callers"]
    (host,) = _manager(callers)["route_config"]["virtual_hosts"]
    host["routes"] = list(_spread_routes(host["routes"], nodes))
    resources["clusters"] = list(_spread_clusters(resources["clusters"], nodes))
    return config


def dump(config: Config) -> str:
    """Write a configuration, in which nothing refers to anything else of the file."""
    return yaml.dump(config, Dumper=_Plain, sort_keys=False, width=120, allow_unicode=True)


class _Plain(yaml.SafeDumper):
    def ignore_aliases(self, data: object) -> bool:
        del data
        return True


def _manager(listener: Config) -> Config:
    ((connection_manager,),) = [chain["filters"] for chain in listener["filter_chains"]]
    manager: Config = connection_manager["typed_config"]
    return manager


def _cluster(route: Config) -> str:
    """Name the cluster of a node's own route; that of any other is none of a node's."""
    named = any(
        "exact" in header.get("string_match", {}) for header in route["match"].get("headers", ())
    )
    return str(route["route"]["cluster"]) if named else ""


def _spread_routes(routes: list[Config], nodes: Mapping[str, tuple[str, int]]) -> Iterator[Config]:
    """Put each node's routes where the shipped nodes' are: before all others."""
    own = [route for route in routes if _cluster(route) == MODEL]
    for node in nodes:
        for route in copy.deepcopy(own):
            route["name"] = route["name"].replace(MODEL, node)
            (header,) = route["match"]["headers"]
            header["string_match"]["exact"] = node
            route["route"]["cluster"] = node
            yield route
    yield from (route for route in routes if not _cluster(route))


def _spread_clusters(
    clusters: list[Config], nodes: Mapping[str, tuple[str, int]]
) -> Iterator[Config]:
    by_name = {one["name"]: one for one in clusters}
    shared = by_name["dealers"]
    model = by_name[MODEL]
    (at,) = shared["load_assignment"]["endpoints"]
    old = {one["endpoint"]["hostname"] for one in at["lb_endpoints"]}
    at["lb_endpoints"] = [_endpoint(*place) for place in nodes.values()]
    yield shared
    for node, place in nodes.items():
        cluster = copy.deepcopy(model)
        cluster["name"] = node
        cluster["load_assignment"] = {
            "cluster_name": node,
            "endpoints": [{"lb_endpoints": [_endpoint(*place)]}],
        }
        yield cluster
    yield from (one for name, one in by_name.items() if name not in {"dealers", *old})


def _endpoint(host: str, port: int) -> Config:
    address = {"socket_address": {"address": host, "port_value": port}}
    return {"endpoint": {"hostname": host, "address": address}}


def read_nodes(arguments: list[str]) -> dict[str, tuple[str, int]]:
    """Read NODE=HOST:PORT, each; ValueError says which is none."""
    nodes = {}
    for argument in arguments:
        node, _, place = argument.partition("=")
        host, _, port = place.rpartition(":")
        if not _NODE.fullmatch(node) or not host or not port.isdecimal() or node in nodes:
            message = f"{argument!r} is not NODE=HOST:PORT, each node once"
            raise ValueError(message)
        nodes[node] = (host, int(port))
    if not nodes:
        message = "name the nodes: NODE=HOST:PORT, one or more"
        raise ValueError(message)
    return nodes


def main(arguments: list[str]) -> int:
    """Print the configuration; 2 where the arguments are none."""
    try:
        nodes = read_nodes(arguments)
    except ValueError as error:
        print(error, file=sys.stderr)  # noqa: T201 - a script
        return 2
    command = " ".join(["python deploy/envoy/for_nodes.py", *arguments])
    sys.stdout.write(_HEAD.format(command=command) + dump(for_nodes(shipped(), nodes)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
