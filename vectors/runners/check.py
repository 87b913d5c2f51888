#!/usr/bin/env python3
"""Computes Clockwise's test vectors anew, from the files alone and with Python's standard library.

    python3 vectors/runners/check.py [FILE...]

Without files, all of vectors/clockwise/v1. It prints a line a file and what it does not know; it ends with 1
if an answer comes out otherwise, and with 3 if a file cannot be used. It shares no code with Clockwise: the
rules below are written from the documentation.
"""

import hashlib
import json
import math
import pathlib
import struct
import sys
import zlib
from bisect import bisect_left
from fractions import Fraction

M32 = 0xFFFFFFFF
M64 = 0xFFFFFFFFFFFFFFFF


# Hashes: bytes in, a number out.

def fnv(data, basis, prime, mask, signed=False, multiply_first=False):
    value = basis
    for byte in data:
        if signed and byte >= 0x80:
            byte |= mask ^ 0xFF
        if multiply_first:
            value = value * prime & mask ^ byte
        else:
            value = (value ^ byte) * prime & mask
    return value


def md5(data):
    return int.from_bytes(hashlib.md5(data).digest()[:8], "big")


def md5_word(data):
    return int.from_bytes(hashlib.md5(data).digest()[:4], "little")


def crc16(data):
    value = 0
    for byte in data:
        value ^= byte << 8
        for _ in range(8):
            value = value << 1 ^ (0x1021 if value & 0x8000 else 0)
    return value & 0xFFFF


def redis_slot(key):
    opening = key.find(b"{")
    if opening >= 0:
        closing = key.find(b"}", opening + 1)
        if closing > opening + 1:
            key = key[opening + 1:closing]
    return crc16(key) & 0x3FFF


def fmix32(h):
    h = (h ^ h >> 16) * 0x85EBCA6B & M32
    h = (h ^ h >> 13) * 0xC2B2AE35 & M32
    return h ^ h >> 16


P32 = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)
P64 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221"
    "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8a8"
    "fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb17"
    "0ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)


def u32(data, at):
    return int.from_bytes(data[at:at + 4], "little")


def u64(data, at):
    return int.from_bytes(data[at:at + 8], "little")


def rotl64(value, by):
    return (value << by | value >> 64 - by) & M64


def swap64(value):
    return int.from_bytes(value.to_bytes(8, "little"), "big")


def fold(a, b):
    product = a * b
    return (product & M64) ^ product >> 64


def xxh3_avalanche(h):
    h = (h ^ h >> 37) * 0x165667919E3779F9 & M64
    return h ^ h >> 32


def xxh64_avalanche(h):
    h = (h ^ h >> 33) * P64[1] & M64
    h = (h ^ h >> 29) * P64[2] & M64
    return h ^ h >> 32


def xxh3_64(data, seed=0):
    """XXH3-64 as its specification has it: one way for each range of lengths."""
    n = len(data)
    if n == 0:
        return xxh64_avalanche(seed ^ u64(SECRET, 56) ^ u64(SECRET, 64))
    if n <= 3:
        combined = data[0] << 16 | data[n >> 1] << 24 | data[n - 1] | n << 8
        return xxh64_avalanche(combined ^ (u32(SECRET, 0) ^ u32(SECRET, 4)) + seed & M64)
    if n <= 8:
        seed ^= swap64(seed & M32) & ~M32
        keyed = u32(data, n - 4) + (u32(data, 0) << 32)
        keyed ^= (u64(SECRET, 8) ^ u64(SECRET, 16)) - seed & M64
        h = keyed ^ rotl64(keyed, 49) ^ rotl64(keyed, 24)
        h = h * 0x9FB21C651E98DF25 & M64
        h = (h ^ (h >> 35) + n) * 0x9FB21C651E98DF25 & M64
        return h ^ h >> 28
    if n <= 16:
        low = u64(data, 0) ^ (u64(SECRET, 24) ^ u64(SECRET, 32)) + seed & M64
        high = u64(data, n - 8) ^ (u64(SECRET, 40) ^ u64(SECRET, 48)) - seed & M64
        return xxh3_avalanche(n + swap64(low) + high + fold(low, high) & M64)

    def mix16(at, secret):
        return fold(u64(data, at) ^ u64(SECRET, secret) + seed & M64,
                    u64(data, at + 8) ^ u64(SECRET, secret + 8) - seed & M64)

    if n <= 128:
        sum_ = n * P64[0]
        for i in reversed(range((n - 1) // 32 + 1)):
            sum_ += mix16(16 * i, 32 * i) + mix16(n - 16 * (i + 1), 32 * i + 16)
        return xxh3_avalanche(sum_ & M64)
    if n <= 240:
        sum_ = n * P64[0] + sum(mix16(16 * i, 16 * i) for i in range(8))
        sum_ = xxh3_avalanche(sum_ & M64)
        sum_ += sum(mix16(16 * i, 16 * (i - 8) + 3) for i in range(8, n // 16))
        sum_ += mix16(n - 16, 136 - 17)
        return xxh3_avalanche(sum_ & M64)
    return xxh3_long(data, seed)


def xxh3_long(data, seed):
    secret = SECRET
    if seed:
        words = [u64(SECRET, 8 * i) for i in range(24)]
        words = [word + (-seed if i % 2 else seed) & M64 for i, word in enumerate(words)]
        secret = struct.pack("<24Q", *words)
    lanes = [P32[2], P64[0], P64[1], P64[2], P64[3], P32[1], P64[4], P32[0]]

    def accumulate(stripe, at):
        for lane in range(8):
            value = u64(data, stripe + 8 * lane)
            keyed = value ^ u64(secret, at + 8 * lane)
            lanes[lane ^ 1] = lanes[lane ^ 1] + value & M64
            lanes[lane] = lanes[lane] + (keyed & M32) * (keyed >> 32) & M64

    stripes = (len(secret) - 64) // 8
    block = 64 * stripes
    blocks = (len(data) - 1) // block
    for b in range(blocks):
        for s in range(stripes):
            accumulate(b * block + 64 * s, 8 * s)
        for lane in range(8):
            value = lanes[lane]
            value = (value ^ value >> 47 ^ u64(secret, len(secret) - 64 + 8 * lane)) * P32[0]
            lanes[lane] = value & M64
    for s in range((len(data) - 1 - blocks * block) // 64):
        accumulate(blocks * block + 64 * s, 8 * s)
    accumulate(len(data) - 64, len(secret) - 64 - 7)
    result = len(data) * P64[0]
    for i in range(4):
        result += fold(lanes[2 * i] ^ u64(secret, 11 + 16 * i), lanes[2 * i + 1] ^ u64(secret, 19 + 16 * i))
    return xxh3_avalanche(result & M64)


BASIS_32, PRIME_32 = 0x811C9DC5, 0x01000193
BASIS_64, PRIME_64 = 0xCBF29CE484222325, 0x00000100000001B3
# The name, how many bits the circle of its positions has, and the function.
HASHES = {
    "xxh3-64": (64, xxh3_64),
    "md5": (64, md5),
    "md5-word": (32, md5_word),
    "crc32": (32, zlib.crc32),
    "crc32-15-bits": (32, lambda data: zlib.crc32(data) >> 16 & 0x7FFF),
    "crc16-xmodem": (32, crc16),
    "redis-slot": (32, redis_slot),
    "fnv1-32": (32, lambda data: fnv(data, BASIS_32, PRIME_32, M32, multiply_first=True)),
    "fnv1a-32": (32, lambda data: fnv(data, BASIS_32, PRIME_32, M32)),
    "fnv1-64": (64, lambda data: fnv(data, BASIS_64, PRIME_64, M64, multiply_first=True)),
    "fnv1a-64": (64, lambda data: fnv(data, BASIS_64, PRIME_64, M64)),
    "fnv1-32-signed": (32, lambda data: fnv(data, BASIS_32, PRIME_32, M32, True, True)),
    "fnv1a-32-signed": (32, lambda data: fnv(data, BASIS_32, PRIME_32, M32, True)),
    "fnv1-64-low-signed": (32, lambda data: fnv(data, BASIS_64 & M32, PRIME_64 & M32, M32, True, True)),
    "fnv1a-64-low-signed": (32, lambda data: fnv(data, BASIS_64 & M32, PRIME_64 & M32, M32, True)),
    "fmix32-fnv1a-32": (32, lambda data: fmix32(fnv(data, BASIS_32, PRIME_32, M32))),
    "sha1-word": (32, lambda data: int.from_bytes(hashlib.sha1(data).digest()[:4], "little")),
    "sha1-word-be": (32, lambda data: int.from_bytes(hashlib.sha1(data).digest()[:4], "big")),
}
# What twemproxy calls some of them.
TWEMPROXY = {
    "md5": "md5-word",
    "crc32": "crc32-15-bits",
    "crc32a": "crc32",
    "fnv1_64": "fnv1-64-low-signed",
    "fnv1a_64": "fnv1a-64-low-signed",
    "fnv1_32": "fnv1-32-signed",
    "fnv1a_32": "fnv1a-32-signed",
}


class Unknown(Exception):
    """What this program does not know."""


def hash_of(name):
    if name not in HASHES:
        raise Unknown(f"the hash {name}")
    return HASHES[name]


# Placements. Each has owner(key); and, where there is one, preference(key), points() and the shape of those.

class Ring:
    """Points on a circle; a key belongs to the first at or after its hash."""

    shape = "ring"

    def __init__(self, hash_, points):
        self.hash = hash_
        # Sorting is stable: of equal positions the one that was listed first stays first.
        self.sorted = sorted(points, key=lambda point: point[0])
        self.positions = [position for position, _ in self.sorted]

    def points(self):
        return self.sorted

    def preference(self, key):
        at = bisect_left(self.positions, self.hash(key))
        found = []
        for i in range(len(self.sorted)):
            name = self.sorted[(at + i) % len(self.sorted)][1]
            if name not in found:
                found.append(name)
        return found

    def owner(self, key):
        return self.preference(key)[0]


class Table:
    """Slots; a key belongs to the one that is its hash modulo their number."""

    shape = "table"

    def __init__(self, hash_, slots):
        self.hash = hash_
        self.slots = slots

    def points(self):
        return list(enumerate(self.slots))

    def owner(self, key):
        return self.slots[self.hash(key) % len(self.slots)]


class Slots(Table):
    """A table whose further replicas are the next slots of other servers."""

    def preference(self, key):
        at = self.hash(key) % len(self.slots)
        found, wanted = [], len(set(self.slots))
        for i in range(len(self.slots)):
            name = self.slots[(at + i) % len(self.slots)]
            if name not in found:
                found.append(name)
                if len(found) == wanted:
                    break
        return found


class Jump:
    def __init__(self, hash_, buckets):
        self.hash = hash_
        self.buckets = buckets

    def owner(self, key):
        number, bucket, following = self.hash(key), 0, 0
        while following < len(self.buckets):
            bucket = following
            number = number * 2862933555777941757 + 1 & M64
            following = int((bucket + 1) * (float(1 << 31) / ((number >> 33) + 1)))
        return self.buckets[bucket]


def neg_ln(u):
    """The logarithm of weighted rendezvous: its steps are part of the placement."""
    bits = struct.unpack("<Q", struct.pack("<d", u))[0]
    exponent = 1023 - (bits >> 52)
    m = struct.unpack("<d", struct.pack("<Q", bits & 0x000FFFFFFFFFFFFF | 0x3FF0000000000000))[0]
    if m > math.sqrt(2):
        m *= 0.5
        exponent -= 1
    f = (m - 1.0) / (m + 1.0)
    g = f * f
    series = 1.0 / 19.0
    for divisor in (17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0):
        series = 1.0 / divisor + g * series
    return exponent * 0.6931471805599453 - (2.0 * f + 2.0 * f * (g * series))


class Rendezvous:
    def __init__(self, hash_, servers):
        self.hash = hash_
        self.servers = sorted((s["name"].encode(), s["weight"]) for s in servers)
        self.weighted = len({weight for _, weight in self.servers}) > 1

    def preference(self, key):
        k = self.hash(key)

        def rank(server):
            name, weight = server
            mixed = k ^ xxh3_64(name)
            x = (mixed & M32) * 0x9E3779B1 & M32
            x = (x ^ x >> 15) + (mixed >> 32) & M32
            x = x * 0x85EBCA77 & M32
            score = x ^ x >> 16
            value = neg_ln((score + 0.5) / 4294967296.0) / weight if self.weighted else -score
            return value, name

        return [name.decode() for name, _ in sorted(self.servers, key=rank)]

    def owner(self, key):
        return self.preference(key)[0]


def maglev(servers, size):
    """The table, filled in turns."""
    walks = []
    for server in sorted(servers, key=lambda s: s["name"].encode()):
        name = server["name"].encode()
        walks.append([xxh3_64(name) % size, xxh3_64(name, 1) % (size - 1) + 1, server, 0])
    largest = max(server["weight"] for server in servers)
    table, filled, turn = [None] * size, 0, 0
    while True:
        turn += 1
        for walk in walks:
            at, skip, server, slots = walk
            if turn * server["weight"] < slots * largest:
                continue
            while table[at] is not None:
                at = (at + skip) % size
            table[at] = server["name"]
            walk[0], walk[3], filled = at, slots + 1, filled + 1
            if filled == size:
                return table


def even_slots(servers, count):
    """A run of slots for each server, by weight, what is left over to the largest remainders."""
    servers = sorted(servers, key=lambda s: s["name"].encode())
    total = sum(server["weight"] for server in servers)
    quotas = [count * server["weight"] // total for server in servers]
    remainders = [count * server["weight"] % total for server in servers]
    order = sorted(range(len(servers)), key=lambda i: -remainders[i])
    for i in order[:count - sum(quotas)]:
        quotas[i] += 1
    return [server["name"] for server, quota in zip(servers, quotas) for _ in range(quota)]


def repeated(servers):
    return [server["name"] for server in servers for _ in range(server["weight"])]


def f32(value):
    """Rounded to IEEE single."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def ketama(servers, label, digests):
    total = sum(server["weight"] for server in servers)
    points = []
    for server in servers:
        for j in range(digests(server["weight"], total, len(servers))):
            words = struct.unpack("<4I", hashlib.md5(f"{label(server)}-{j}".encode()).digest())
            points.extend((word, server["name"]) for word in words)
    return points


def twemproxy_digests(weight, total, servers):
    # Each operation is rounded to single precision.
    part = f32(f32(weight) / f32(total))
    part = f32(f32(f32(part * 160) / 4) * f32(servers))
    return int(f32(part + f32(1e-10)))


def libketama_digests(weight, total, servers):
    # The part in single precision, the product in double, and once to single.
    return int(f32(f32(f32(weight) / f32(total)) * 40.0 * f32(servers)))


def address(server):
    return server.get("address", server["name"])


def place(group):
    """The placement of a group's pool."""
    settings = group["settings"]
    servers = [server for server in group["servers"] if server.get("state") != "draining"]
    scheme, dialect = group.get("scheme"), group.get("dialect")
    if dialect == "libketama":
        return Ring(md5_word, ketama(servers, address, libketama_digests))
    if dialect == "twemproxy":
        if settings["hash"] not in TWEMPROXY:
            raise Unknown(f"twemproxy's hash {settings['hash']}")
        _, inner = HASHES[TWEMPROXY[settings["hash"]]]
        marks = settings.get("hash_tag", "").encode()

        def pool_hash(key):
            if marks and (opening := key.find(marks[:1])) >= 0:
                closing = key.find(marks[1:], opening + 1)
                if closing > opening + 1:
                    key = key[opening + 1:closing]
            return inner(key) if key else 0

        servers.sort(key=lambda s: (len(s["name"].encode()), s["name"].encode()))
        if settings["distribution"] == "modula":
            return Table(pool_hash, repeated(servers))
        return Ring(pool_hash, ketama(servers, lambda server: server["name"], twemproxy_digests))
    if dialect:
        raise Unknown(f"the dialect {dialect}")
    _, hash_ = hash_of(settings["hash"])
    if scheme in ("ring", "bounded"):
        points = [
            (hash_(name + b"\0" + struct.pack("<I", i)), name.decode())
            for name, weight in sorted((s["name"].encode(), s["weight"]) for s in servers)
            for i in range(weight * settings["points_per_weight"])
        ]
        return Ring(hash_, points)
    if scheme == "rendezvous":
        return Rendezvous(hash_, servers)
    if scheme == "jump":
        return Jump(hash_, repeated(servers))
    if scheme == "mod-n":
        return Table(hash_, repeated(servers))
    if scheme == "maglev":
        return Slots(hash_, maglev(servers, settings["table_size"]))
    if scheme == "slots":
        return Table(hash_, even_slots(servers, settings["slots"]))
    raise Unknown(f"the scheme {scheme}")


def hashed(group, test):
    """The key of a test with the prefix that stands before every key, if the pool has one."""
    return group["settings"].get("key_prefix", "").encode() + bytes.fromhex(test["key"])


def fill(group, placement):
    """Where keys go that arrive in order and all stay, under the cap of bounded loads."""
    weights = {s["name"]: s["weight"] for s in group["servers"] if s.get("state") != "draining"}
    # The cap as a ratio of whole numbers, as it is written: 1.1 is 11/10 and no float.
    over, under = (1 + Fraction(str(group["settings"]["epsilon"]))).as_integer_ratio()
    loads = dict.fromkeys(weights, 0)
    for total, test in enumerate(group["tests"], 1):
        for name in placement.preference(hashed(group, test)):
            cap = -(-over * total * weights[name] // (under * sum(weights.values())))
            if loads[name] < cap:
                loads[name] += 1
                yield name
                break


# The check itself.

class Checker:
    def __init__(self, name):
        self.name = name
        self.tests = 0
        self.unknown = {}
        self.differences = 0

    def compare(self, group, test, what, expected, got):
        if expected != got:
            self.differences += 1
            print(f"{self.name}: group {group}, test {test['id']}: {what}: expected {expected}, got {got}")

    def skip(self, what, tests):
        self.unknown[what] = self.unknown.get(what, 0) + tests

    def group(self, number, group):
        tests = group["tests"]
        try:
            if group["type"] == "hash":
                _, hash_ = hash_of(group["hash"])
                for test in tests:
                    self.compare(number, test, "value", test["value"], str(hash_(bytes.fromhex(test["input"]))))
            elif group["type"] == "points":
                self.points(number, tests, place(group))
            elif group["type"] == "owner":
                self.owners(number, group, place(group))
            else:
                raise Unknown("what is refused")
            self.tests += len(tests)
        except Unknown as unknown:
            self.skip(str(unknown), len(tests))

    def points(self, number, tests, placement):
        if not hasattr(placement, "points"):
            raise Unknown("points")
        points = placement.points()
        digest = hashlib.sha256("".join(f"{position},{name}\n" for position, name in points).encode())
        for test in tests:
            self.compare(number, test, "of", test["of"], placement.shape)
            self.compare(number, test, "count", test["count"], len(points))
            for what, (position, name) in (("first", points[0]), ("last", points[-1])):
                self.compare(number, test, what, test[what], {"position": str(position), "server": name})
            self.compare(number, test, "sha256", test["sha256"], digest.hexdigest())

    def owners(self, number, group, placement):
        goes_to = list(fill(group, placement)) if group.get("scheme") == "bounded" else None
        for at, test in enumerate(group["tests"]):
            key = hashed(group, test)
            self.compare(number, test, "owner", test["owner"], placement.owner(key))
            if "preference" in test and hasattr(placement, "preference"):
                expected = test["preference"]
                self.compare(number, test, "preference", expected, placement.preference(key)[:len(expected)])
            if "goes_to" in test:
                self.compare(number, test, "goes_to", test["goes_to"], goes_to and goes_to[at])


def main(paths):
    if not paths:
        folder = pathlib.Path(__file__).resolve().parent.parent / "clockwise" / "v1"
        paths = sorted(path for path in folder.glob("*.json") if path.stem != "schema")
    checked = unknown = differences = 0
    for path in map(pathlib.Path, paths):
        checker = Checker(path.name)
        try:
            file = json.loads(path.read_bytes())
            if (file["format"], file["version"]) != ("clockwise-test-vectors", 1):
                raise ValueError("it is no file of test vectors of version 1")
            for number, group in enumerate(file["groups"], 1):
                checker.group(number, group)
        except (OSError, ValueError, KeyError, TypeError) as error:
            print(f"{path} cannot be used: {error!r}", file=sys.stderr)
            return 3
        left = "; not known here: " + ", ".join(f"{what} ({n})" for what, n in checker.unknown.items())
        print(f"{path.stem}: {checker.tests} tests, {checker.differences} differences{left if checker.unknown else ''}")
        checked += checker.tests
        unknown += sum(checker.unknown.values())
        differences += checker.differences
    print(f"all: {checked} tests, {differences} differences; {unknown} tests not known here")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
