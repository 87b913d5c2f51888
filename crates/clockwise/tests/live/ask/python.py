"""Asks one of Python's clients or rings which server owns a key: `python.py LIBRARY < QUESTION`.

The question is JSON: `pools`, each with its `servers` (`name`, `host`, `port`, `weight`), `options` and
`keys`. The answer is JSON: the `version` asked, and `owners`, for each pool the index of every key's
server; or `missing` and why. No server is asked, the library's own rule is called; but pylibmc shows
its rule to nobody, so there the servers run, and each answers with its index.
"""

import importlib.metadata
import json
import sys


def host_port(server):
    host = server["host"]
    return f"[{host}]:{server['port']}" if ":" in host else f"{host}:{server['port']}"


def pymemcache(pool):
    from pymemcache.client.hash import HashClient

    def node(server):
        return server["host"] if server["port"] is None else (server["host"], server["port"])

    servers = [node(server) for server in pool["servers"]]
    options = pool["options"]
    client = HashClient(servers, key_prefix=options["key_prefix"].encode(), allow_unicode_keys=True)
    encode = str.encode if options["key_type"] == "bytes" else str
    return [servers.index(client._get_client(encode(key)).server) for key in pool["keys"]]


def uhashring(pool):
    from uhashring import HashRing

    options = {name: value for name, value in pool["options"].items() if value is not None}
    if options["hash_fn"] == "md5":
        del options["hash_fn"]
    names = [server["name"] for server in pool["servers"]]
    ring = HashRing({server["name"]: server["weight"] for server in pool["servers"]}, **options)
    return [names.index(ring.get_node(key)) for key in pool["keys"]]


def hashring(pool):
    from hashring import HashRing

    names = [server["name"] for server in pool["servers"]]
    ring = HashRing(names, {server["name"]: server["weight"] for server in pool["servers"]})
    return [names.index(ring.get_node(key)) for key in pool["keys"]]


def python_memcached(pool):
    import memcache

    def text(server):
        return ("inet6:" if ":" in server["host"] else "") + host_port(server)

    client = memcache.Client([(text(server), server["weight"]) for server in pool["servers"]])
    for server in client.servers:
        server.connect = lambda: 1
    return [client.servers.index(client._get_server(key.encode())[0]) for key in pool["keys"]]


def jump_consistent_hash(pool):
    import jump

    return [jump.hash(int(key), pool["options"]["buckets"]) for key in pool["keys"]]


def kafka_python(pool):
    from kafka.partitioner.default import DefaultPartitioner

    class Topic:
        """A cluster of one topic, as far as a partitioner looks at it."""

        partitions = set(range(pool["options"]["partitions"]))

        def topics(self):
            return {"topic"}

        def partitions_for_topic(self, _):
            return self.partitions

        available_partitions_for_topic = partitions_for_topic

    choose = DefaultPartitioner().partition
    keys = [bytes.fromhex(key) for key in pool["keys"]]
    return [choose("topic", key, key, None, None, Topic()) for key in keys]


def confluent_kafka(pool):
    """Calls the partitioner in the librdkafka that the package brings."""
    import ctypes

    import confluent_kafka

    loaded = [line.split()[-1] for line in open("/proc/self/maps") if "librdkafka" in line]
    if not loaded:
        raise ImportError(f"no librdkafka in confluent-kafka {confluent_kafka.__version__}")
    function = getattr(ctypes.CDLL(loaded[0]), "rd_kafka_msg_partitioner_" + pool["options"]["partitioner"])
    function.restype = ctypes.c_int32
    function.argtypes = [
        ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p,
    ]
    keys = [bytes.fromhex(key) for key in pool["keys"]]
    return [function(None, key, len(key), pool["options"]["partitions"], None, None) for key in keys]


def pylibmc(pool):
    import pylibmc

    servers = [f"{host_port(server)}:{server['weight']}" for server in pool["servers"]]
    behaviours = dict(pool["options"])
    if "namespace" in behaviours:
        # It takes bytes, and reads any text as a bad key.
        behaviours["namespace"] = behaviours["namespace"].encode()
    client = pylibmc.Client(servers, behaviors=behaviours)
    return [int(client.get(key)) for key in pool["keys"]]


LIBRARIES = {
    "confluent-kafka": confluent_kafka,
    "hashring": hashring,
    "jump-consistent-hash": jump_consistent_hash,
    "kafka-python": kafka_python,
    "pylibmc": pylibmc,
    "pymemcache": pymemcache,
    "python-memcached": python_memcached,
    "uhashring": uhashring,
}


def main():
    library = sys.argv[1]
    pools = json.load(sys.stdin)["pools"]
    try:
        owners = [LIBRARIES[library](pool) for pool in pools]
        answer = {"version": importlib.metadata.version(library), "owners": owners}
    except ImportError as error:
        answer = {"missing": str(error)}
    json.dump(answer, sys.stdout)


main()
