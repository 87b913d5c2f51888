#!/usr/bin/env python3
"""Writes lab.json: the first pages of the lab, from its definition and nothing else.

    python3 vectors/lab/make.py > vectors/lab/lab.json
"""

import json

M = 0xFFFFFFFF


def fnv1a(text):
    h = 2166136261
    for byte in text.encode():
        h = (h ^ byte) * 16777619 & M
    return h


def lab(text):
    h = fnv1a(text)
    h ^= h >> 16
    h = h * 0x85EBCA6B & M
    h ^= h >> 13
    h = h * 0xC2B2AE35 & M
    return h ^ h >> 16


def degrees(h):
    return round(360 * h / 2**32, 3)


def points(nodes, tokens):
    return sorted((lab(f"node-{node}#{i}"), node) for node in nodes for i in range(tokens))


def ring(points, key):
    h = lab(key)
    return next((node for point, node in points if point >= h), points[0][1])


def mod(nodes, key):
    return nodes[lab(key) % len(nodes)]


def rendezvous(nodes, key):
    return max(nodes, key=lambda node: lab(f"{key}|{node}"))


def busiest(nodes, tokens):
    held = dict.fromkeys(nodes, 0)
    placed = points(nodes, tokens)
    before = placed[-1][0] - 2**32
    for point, node in placed:
        held[node] += point - before
        before = point
    return round(max(held.values()) * len(nodes) / 2**32, 3)


def moved(owners, keys):
    before, after = owners
    return sum(before(key) != after(key) for key in keys) / len(keys)


four, five, eight = "ABCD", "ABCDE", "ABCDEFGH"
p4, p5, p8, p8_200 = points(four, 1), points(five, 1), points(eight, 1), points(eight, 200)
texts = ["", "a", "user:1", "user:42", "user:48", "node-A#0", "node-H#0", "node-D#199", "user:42|A"]
texts += ["user:1|B", "key:0", "key:99999"]
many = [f"key:{i}" for i in range(100_000)]
print(json.dumps({
    "texts": {text: {"fnv1a": f"{fnv1a(text):08x}", "hash": f"{lab(text):08x}"} for text in texts},
    "tokens": {node: {"hash": f"{lab(f'node-{node}#0'):08x}", "degrees": degrees(lab(f"node-{node}#0"))}
               for node in eight},
    "keys": {key: {
        "hash": f"{lab(key):08x}",
        "degrees": degrees(lab(key)),
        "ring4": ring(p4, key),
        "ring8": ring(p8, key),
        "ring8_200": ring(p8_200, key),
        "mod4": mod(four, key),
        "mod5": mod(five, key),
        "mod8": mod(eight, key),
        "rendezvous4": rendezvous(four, key),
    } for key in (f"user:{i}" for i in range(1, 49))},
    "busiest_of_eight": {str(n): busiest(eight, n) for n in (1, 2, 4, 8, 16, 32, 64, 100, 128, 200, 256)},
    "moved_of_100000": {
        "mod-n": moved((lambda key: mod(four, key), lambda key: mod(five, key)), many),
        "ring": moved((lambda key: ring(p4, key), lambda key: ring(p5, key)), many),
        "rendezvous": moved((lambda key: rendezvous(four, key), lambda key: rendezvous(five, key)), many),
    },
}, indent=1))
