"""Asks Cassandra's Python driver for tokens and replicas: `cassandra_driver.py cassandra-driver < QUESTION`.

The question: `keys`, bytes in hexadecimal, whose tokens are wanted; `clusters`, each with its `nodes` (`dc`,
`rack`, `tokens` as text), `strategies` (`simple`, or `datacenters` with a number of replicas each) and
`keys`. The answer: the `version` asked; `murmur3` and `md5`, the tokens as text; `replicas`, for each
cluster, strategy and key the indices of nodes; or `missing` and why. No cluster is asked.
"""

import importlib.metadata
import json
import sys


class Host:
    """As much of a host as the driver's strategies look at."""

    def __init__(self, index, node):
        self.index, self.datacenter, self.rack = index, node["dc"], node["rack"]


class Keyspace:
    def __init__(self, replication_strategy):
        self.replication_strategy = replication_strategy


class Metadata:
    def __init__(self, strategies):
        self.keyspaces = {str(number): Keyspace(strategy) for number, strategy in enumerate(strategies)}


def replicas(cluster):
    from cassandra.metadata import Murmur3Token, NetworkTopologyStrategy, SimpleStrategy, TokenMap

    def strategy(described):
        if "simple" in described:
            return SimpleStrategy({"replication_factor": str(described["simple"])})
        return NetworkTopologyStrategy({dc: str(count) for dc, count in described["datacenters"].items()})

    owners = {}
    for index, node in enumerate(cluster["nodes"]):
        host = Host(index, node)
        owners.update({Murmur3Token(token): host for token in node["tokens"]})
    metadata = Metadata([strategy(described) for described in cluster["strategies"]])
    token_map = TokenMap(Murmur3Token, owners, sorted(owners), metadata)
    tokens = [Murmur3Token.from_key(bytes.fromhex(key)) for key in cluster["keys"]]
    return [
        [[host.index for host in token_map.get_replicas(keyspace, token)] for token in tokens]
        for keyspace in metadata.keyspaces
    ]


def answer(question):
    from cassandra.metadata import MD5Token, Murmur3Token

    keys = [bytes.fromhex(key) for key in question["keys"]]
    return {
        "version": importlib.metadata.version("cassandra-driver"),
        "murmur3": [str(Murmur3Token.from_key(key).value) for key in keys],
        "md5": [str(MD5Token.from_key(key).value) for key in keys],
        "replicas": [replicas(cluster) for cluster in question["clusters"]],
    }


def main():
    question = json.load(sys.stdin)
    try:
        said = answer(question)
    except ImportError as error:
        said = {"missing": str(error)}
    json.dump(said, sys.stdout)


main()
