"""Asks gRPC which address a call goes to under ring_hash: `grpc_ring.py grpcio < QUESTION`.

A ring of gRPC is reached through a channel alone, so small servers run here, on free ports of 127.0.0.1,
and each answers with its index. The question: `servers`, how many; `pools`, each with the `weights` of the
first of them (how often an address is listed), `options` and `keys`, which go into a header. The answer:
the `version` asked, the `addresses` of the servers, and `owners`, for each pool the index of every key's
server; or `missing` and why.
"""

import importlib.metadata
import json
import os
import sys
from concurrent import futures

# Without it a channel does not take the name of the header.
os.environ["GRPC_EXPERIMENTAL_RING_HASH_SET_REQUEST_HASH_KEY"] = "true"


def serve(grpc, index, threads):
    class Handler(grpc.GenericRpcHandler):
        def service(self, _):
            return grpc.unary_unary_rpc_method_handler(lambda request, context: str(index).encode())

    server = grpc.server(threads, handlers=[Handler()], options=[("grpc.so_reuseport", 0)])
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    return server, address


def owners(grpc, addresses, pool):
    options = pool["options"]
    policy = {
        "minRingSize": options["min_ring_size"],
        "maxRingSize": options["max_ring_size"],
        "requestHashHeader": "x-key",
    }
    config = {"loadBalancingConfig": [{"ring_hash_experimental": policy}]}
    listed = [address for address, weight in zip(addresses, pool["weights"]) for _ in range(weight)]
    settings = [
        ("grpc.service_config", json.dumps(config)),
        ("grpc.lb.ring_hash.ring_size_cap", options["ring_size_cap"]),
        ("grpc.enable_http_proxy", 0),
    ]
    with grpc.insecure_channel("ipv4:" + ",".join(listed), options=settings) as channel:
        call = channel.unary_unary("/which/Server")
        return [int(call(b"", metadata=[("x-key", key)], timeout=60)) for key in pool["keys"]]


def main():
    question = json.load(sys.stdin)
    try:
        import grpc
    except ImportError as error:
        json.dump({"missing": str(error)}, sys.stdout)
        return
    threads = futures.ThreadPoolExecutor(max_workers=4)
    servers = [serve(grpc, index, threads) for index in range(question["servers"])]
    try:
        addresses = [address for _, address in servers]
        answer = {
            "version": importlib.metadata.version("grpcio"),
            "addresses": addresses,
            "owners": [owners(grpc, addresses, pool) for pool in question["pools"]],
        }
    finally:
        for server, _ in servers:
            server.stop(0)
    json.dump(answer, sys.stdout)


main()
