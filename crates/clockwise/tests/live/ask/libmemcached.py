"""Asks libmemcached which server owns a key: `libmemcached.py libmemcached < QUESTION`.

Question and answer are those of python.py; keys are bytes in hexadecimal. The shared library is called,
without a compiler or headers, so its numbers for behaviours are written down here, as in
libmemcached-1.0/types/behavior.h and callback.h. No server is asked.
"""

import ctypes
import json
import sys
from ctypes import c_char_p, c_int, c_size_t, c_uint16, c_uint32, c_uint64, c_void_p

HASH, DISTRIBUTION, SORT_HOSTS, KETAMA_WEIGHTED, HASH_WITH_NAMESPACE = 2, 9, 12, 16, 25
NAMESPACE = 0  # of the callbacks
DISTRIBUTIONS = ["MODULA", "CONSISTENT", "CONSISTENT_KETAMA", "RANDOM", "CONSISTENT_KETAMA_SPY", "CONSISTENT_WEIGHTED"]
HASHES = [
    "DEFAULT", "MD5", "CRC", "FNV1_64", "FNV1A_64", "FNV1_32", "FNV1A_32", "HSIEH", "MURMUR", "JENKINS", "MURMUR3",
]

FUNCTIONS = {
    "memcached_lib_version": (c_char_p,),
    "memcached_create": (c_void_p, c_void_p),
    "memcached_free": (None, c_void_p),
    "memcached_behavior_set": (c_int, c_void_p, c_int, c_uint64),
    "memcached_callback_set": (c_int, c_void_p, c_int, c_char_p),
    "memcached_server_add_with_weight": (c_int, c_void_p, c_char_p, c_uint16, c_uint32),
    "memcached_server_add_unix_socket_with_weight": (c_int, c_void_p, c_char_p, c_uint32),
    "memcached_generate_hash": (c_uint32, c_void_p, c_char_p, c_size_t),
    "memcached_server_instance_by_position": (c_void_p, c_void_p, c_uint32),
    "memcached_server_name": (c_char_p, c_void_p),
    "memcached_server_port": (c_uint16, c_void_p),
}


def load():
    library = ctypes.CDLL("libmemcached.so.11")
    for name, (result, *arguments) in FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def owners(library, pool):
    client = library.memcached_create(None)

    def ok(code):
        if code != 0:
            raise RuntimeError(f"code {code} for {pool['options']}")

    def behaviour(which, value):
        ok(library.memcached_behavior_set(client, which, value))

    options = pool["options"]
    distribution = DISTRIBUTIONS.index(options["distribution"])
    if options["sort_hosts"]:
        behaviour(SORT_HOSTS, 1)
    if options["ketama_weighted"]:
        behaviour(KETAMA_WEIGHTED, 1)
    behaviour(HASH, HASHES.index(options["hash"]))
    if not options["ketama_weighted"] and not options["set_after_servers"]:
        behaviour(DISTRIBUTION, distribution)
    for server in pool["servers"]:
        host, weight = server["host"].encode(), server["weight"]
        if host.startswith(b"/"):
            ok(library.memcached_server_add_unix_socket_with_weight(client, host, weight))
        else:
            ok(library.memcached_server_add_with_weight(client, host, server["port"], weight))
    if options["set_after_servers"]:
        behaviour(DISTRIBUTION, distribution)
    if options["namespace"] is not None:
        ok(library.memcached_callback_set(client, NAMESPACE, options["namespace"].encode()))
    behaviour(HASH_WITH_NAMESPACE, int(options["hash_with_namespace"]))
    # The client may have sorted its servers.
    at = {(server["host"], server["port"] or 0): index for index, server in enumerate(pool["servers"])}

    def index(position):
        server = library.memcached_server_instance_by_position(client, position)
        return at[library.memcached_server_name(server).decode(), library.memcached_server_port(server)]

    indices = [index(position) for position in range(len(at))]
    keys = [bytes.fromhex(key) for key in pool["keys"]]
    found = [indices[library.memcached_generate_hash(client, key, len(key))] for key in keys]
    library.memcached_free(client)
    return found


def main():
    pools = json.load(sys.stdin)["pools"]
    try:
        library = load()
    except OSError as error:
        answer = {"missing": str(error)}
    else:
        version = library.memcached_lib_version().decode()
        answer = {"version": version, "owners": [owners(library, pool) for pool in pools]}
    json.dump(answer, sys.stdout)


main()
