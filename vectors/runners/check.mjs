#!/usr/bin/env node
// Computes Clockwise's test vectors anew, from the files alone and with what Node brings along.
//
//     node vectors/runners/check.mjs [FILE...]
//
// Without files, all of vectors/clockwise/v1. It prints a line a file and what it does not know; it ends with 1
// if an answer comes out otherwise, and with 3 if a file cannot be used. It shares no code with Clockwise: the
// rules below are written from the documentation. Numbers of 64 bits are BigInt, all others plain numbers.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const M64 = (1n << 64n) - 1n;
const u32 = (value) => value >>> 0;
const md5Digest = (bytes) => createHash("md5").update(bytes).digest();
const sha1Digest = (bytes) => createHash("sha1").update(bytes).digest();

// Hashes: a Buffer in; a number of 32 bits or a BigInt of 64 out.

function fnv32(bytes, basis, prime, { signed = false, multiplyFirst = false } = {}) {
  let value = basis;
  for (let byte of bytes) {
    if (signed) byte = (byte << 24) >> 24;
    value = multiplyFirst ? Math.imul(value, prime) ^ byte : Math.imul(value ^ byte, prime);
  }
  return u32(value);
}

function fnv64(bytes, multiplyFirst) {
  let value = 0xcbf29ce484222325n;
  for (const byte of bytes) {
    if (!multiplyFirst) value ^= BigInt(byte);
    value = (value * 0x100000001b3n) & M64;
    if (multiplyFirst) value ^= BigInt(byte);
  }
  return value;
}

const CRC32 = Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; bit += 1) byte = byte & 1 ? (byte >>> 1) ^ 0xedb88320 : byte >>> 1;
  return byte;
});

function crc32(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = (value >>> 8) ^ CRC32[(value ^ byte) & 0xff];
  return u32(~value);
}

function crc16(bytes) {
  let value = 0;
  for (const byte of bytes) {
    value ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) value = (value << 1) ^ (value & 0x8000 ? 0x1021 : 0);
    value &= 0xffff;
  }
  return value;
}

// The part of a key between the first opening mark and the next closing one, if there is anything between.
function tagged(key, marks) {
  const opening = key.indexOf(marks[0]);
  const closing = opening < 0 ? -1 : key.indexOf(marks[1], opening + 1);
  return closing > opening + 1 ? key.subarray(opening + 1, closing) : key;
}

function fmix32(h) {
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return u32(h ^ (h >>> 16));
}

const P32 = [0x9e3779b1n, 0x85ebca77n, 0xc2b2ae3dn];
const P64 = [
  0x9e3779b185ebca87n, 0xc2b2ae3d27d4eb4fn, 0x165667b19e3779f9n, 0x85ebca77c2b2ae63n, 0x27d4eb2f165667c5n,
];
const SECRET = Buffer.from(
  "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221" +
    "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8" +
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb" +
    "170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e",
  "hex",
);
const at32 = (bytes, at) => BigInt(bytes.readUInt32LE(at));
const at64 = (bytes, at) => bytes.readBigUInt64LE(at);
const rotl64 = (value, by) => ((value << by) | (value >> (64n - by))) & M64;

function swap64(value) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes.readBigUInt64BE();
}

function fold(a, b) {
  const product = a * b;
  return (product & M64) ^ (product >> 64n);
}

function avalancheOfXxh3(h) {
  h = ((h ^ (h >> 37n)) * 0x165667919e3779f9n) & M64;
  return h ^ (h >> 32n);
}

function avalancheOfXxh64(h) {
  h = ((h ^ (h >> 33n)) * P64[1]) & M64;
  h = ((h ^ (h >> 29n)) * P64[2]) & M64;
  return h ^ (h >> 32n);
}

// XXH3-64 as its specification has it: one way for each range of lengths.
function xxh3(bytes, seed = 0n) {
  const n = bytes.length;
  const length = BigInt(n);
  if (n === 0) return avalancheOfXxh64(seed ^ at64(SECRET, 56) ^ at64(SECRET, 64));
  if (n <= 3) {
    const combined = u32((bytes[0] << 16) | (bytes[n >> 1] << 24) | bytes[n - 1] | (n << 8));
    return avalancheOfXxh64(BigInt(combined) ^ (((at32(SECRET, 0) ^ at32(SECRET, 4)) + seed) & M64));
  }
  if (n <= 8) {
    seed ^= swap64(seed & 0xffffffffn) & ~0xffffffffn & M64;
    let keyed = at32(bytes, n - 4) + (at32(bytes, 0) << 32n);
    keyed ^= ((at64(SECRET, 8) ^ at64(SECRET, 16)) - seed) & M64;
    let h = keyed ^ rotl64(keyed, 49n) ^ rotl64(keyed, 24n);
    h = (h * 0x9fb21c651e98df25n) & M64;
    h = ((h ^ ((h >> 35n) + length)) * 0x9fb21c651e98df25n) & M64;
    return h ^ (h >> 28n);
  }
  if (n <= 16) {
    const low = at64(bytes, 0) ^ (((at64(SECRET, 24) ^ at64(SECRET, 32)) + seed) & M64);
    const high = at64(bytes, n - 8) ^ (((at64(SECRET, 40) ^ at64(SECRET, 48)) - seed) & M64);
    return avalancheOfXxh3((length + swap64(low) + high + fold(low, high)) & M64);
  }
  const mix16 = (at, secret) =>
    fold(
      at64(bytes, at) ^ ((at64(SECRET, secret) + seed) & M64),
      at64(bytes, at + 8) ^ ((at64(SECRET, secret + 8) - seed) & M64),
    );
  let sum = length * P64[0];
  if (n <= 128) {
    for (let i = Math.floor((n - 1) / 32); i >= 0; i -= 1) {
      sum += mix16(16 * i, 32 * i) + mix16(n - 16 * (i + 1), 32 * i + 16);
    }
    return avalancheOfXxh3(sum & M64);
  }
  if (n <= 240) {
    for (let i = 0; i < 8; i += 1) sum += mix16(16 * i, 16 * i);
    sum = avalancheOfXxh3(sum & M64);
    for (let i = 8; i < Math.floor(n / 16); i += 1) sum += mix16(16 * i, 16 * (i - 8) + 3);
    sum += mix16(n - 16, 136 - 17);
    return avalancheOfXxh3(sum & M64);
  }
  return longXxh3(bytes, seed);
}

function longXxh3(bytes, seed) {
  const secret = Buffer.from(SECRET);
  for (let i = 0; i < 24; i += 1) {
    secret.writeBigUInt64LE((at64(SECRET, 8 * i) + (i % 2 ? -seed : seed)) & M64, 8 * i);
  }
  const lanes = [P32[2], P64[0], P64[1], P64[2], P64[3], P32[1], P64[4], P32[0]];
  const accumulate = (stripe, at) => {
    for (let lane = 0; lane < 8; lane += 1) {
      const value = at64(bytes, stripe + 8 * lane);
      const keyed = value ^ at64(secret, at + 8 * lane);
      lanes[lane ^ 1] = (lanes[lane ^ 1] + value) & M64;
      lanes[lane] = (lanes[lane] + (keyed & 0xffffffffn) * (keyed >> 32n)) & M64;
    }
  };
  const stripes = (secret.length - 64) / 8;
  const block = 64 * stripes;
  const blocks = Math.floor((bytes.length - 1) / block);
  for (let b = 0; b < blocks; b += 1) {
    for (let s = 0; s < stripes; s += 1) accumulate(b * block + 64 * s, 8 * s);
    for (let lane = 0; lane < 8; lane += 1) {
      const value = lanes[lane];
      const keyed = value ^ (value >> 47n) ^ at64(secret, secret.length - 64 + 8 * lane);
      lanes[lane] = (keyed * P32[0]) & M64;
    }
  }
  const rest = Math.floor((bytes.length - 1 - blocks * block) / 64);
  for (let s = 0; s < rest; s += 1) accumulate(blocks * block + 64 * s, 8 * s);
  accumulate(bytes.length - 64, secret.length - 64 - 7);
  let result = BigInt(bytes.length) * P64[0];
  for (let i = 0; i < 4; i += 1) {
    result += fold(lanes[2 * i] ^ at64(secret, 11 + 16 * i), lanes[2 * i + 1] ^ at64(secret, 19 + 16 * i));
  }
  return avalancheOfXxh3(result & M64);
}

const BASIS = 0x811c9dc5;
const PRIME = 0x01000193;
// The low halves of the basis and the prime of 64 bits.
const BASIS_LOW = 0x84222325;
const PRIME_LOW = 0x000001b3;
const HASHES = {
  "xxh3-64": (bytes) => xxh3(bytes),
  md5: (bytes) => md5Digest(bytes).readBigUInt64BE(0),
  "md5-word": (bytes) => md5Digest(bytes).readUInt32LE(0),
  crc32,
  "crc32-15-bits": (bytes) => (crc32(bytes) >>> 16) & 0x7fff,
  "crc16-xmodem": crc16,
  "redis-slot": (bytes) => crc16(tagged(bytes, Buffer.from("{}"))) & 0x3fff,
  "fnv1-32": (bytes) => fnv32(bytes, BASIS, PRIME, { multiplyFirst: true }),
  "fnv1a-32": (bytes) => fnv32(bytes, BASIS, PRIME),
  "fnv1-64": (bytes) => fnv64(bytes, true),
  "fnv1a-64": (bytes) => fnv64(bytes, false),
  "fnv1-32-signed": (bytes) => fnv32(bytes, BASIS, PRIME, { signed: true, multiplyFirst: true }),
  "fnv1a-32-signed": (bytes) => fnv32(bytes, BASIS, PRIME, { signed: true }),
  "fnv1-64-low-signed": (bytes) => fnv32(bytes, BASIS_LOW, PRIME_LOW, { signed: true, multiplyFirst: true }),
  "fnv1a-64-low-signed": (bytes) => fnv32(bytes, BASIS_LOW, PRIME_LOW, { signed: true }),
  "fmix32-fnv1a-32": (bytes) => fmix32(fnv32(bytes, BASIS, PRIME)),
  "sha1-word": (bytes) => sha1Digest(bytes).readUInt32LE(0),
  "sha1-word-be": (bytes) => sha1Digest(bytes).readUInt32BE(0),
};
// What twemproxy calls some of them.
const TWEMPROXY = {
  md5: "md5-word",
  crc32: "crc32-15-bits",
  crc32a: "crc32",
  fnv1_64: "fnv1-64-low-signed",
  fnv1a_64: "fnv1a-64-low-signed",
  fnv1_32: "fnv1-32-signed",
  fnv1a_32: "fnv1a-32-signed",
};

// What this program does not know.
class Unknown extends Error {}

function hashOf(name) {
  if (!Object.hasOwn(HASHES, name)) throw new Unknown(`the hash ${name}`);
  return HASHES[name];
}

const ascending = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
// Bytes, not UTF-16 units: the two differ beyond U+FFFF.
const byName = (a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name));

// Placements. Each has owner(key); and, where there is one, preference(key), points() and the shape of those.

// Points on a circle; a key belongs to the first at or after its hash.
class Ring {
  shape = "ring";

  constructor(hash, points) {
    this.hash = hash;
    // Sorting is stable: of equal positions the one that was listed first stays first.
    this.sorted = points.sort(([a], [b]) => ascending(a, b));
  }

  points() {
    return this.sorted;
  }

  preference(key) {
    const hash = this.hash(key);
    let [low, high] = [0, this.sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.sorted[middle][0] < hash) low = middle + 1;
      else high = middle;
    }
    const found = new Set();
    for (let i = 0; i < this.sorted.length; i += 1) found.add(this.sorted[(low + i) % this.sorted.length][1]);
    return [...found];
  }

  owner(key) {
    return this.preference(key)[0];
  }
}

// Slots; a key belongs to the one that is its hash modulo their number.
class Table {
  shape = "table";

  constructor(hash, slots) {
    this.hash = hash;
    this.slots = slots;
  }

  points() {
    return this.slots.map((name, slot) => [slot, name]);
  }

  slot(key) {
    return Number(BigInt(this.hash(key)) % BigInt(this.slots.length));
  }

  owner(key) {
    return this.slots[this.slot(key)];
  }
}

// A table whose further replicas are the next slots of other servers.
class Slots extends Table {
  preference(key) {
    const at = this.slot(key);
    const found = new Set();
    for (let i = 0; i < this.slots.length; i += 1) found.add(this.slots[(at + i) % this.slots.length]);
    return [...found];
  }
}

class Jump {
  constructor(hash, buckets) {
    this.hash = hash;
    this.buckets = buckets;
  }

  owner(key) {
    let number = BigInt(this.hash(key));
    let [bucket, next] = [0, 0];
    while (next < this.buckets.length) {
      bucket = next;
      number = (number * 2862933555777941757n + 1n) & M64;
      next = Math.floor((bucket + 1) * (2 ** 31 / (Number(number >> 33n) + 1)));
    }
    return this.buckets[bucket];
  }
}

// The logarithm of weighted rendezvous: its steps are part of the placement.
function negLn(u) {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(u);
  const bits = bytes.readBigUInt64LE();
  let exponent = 1023 - Number(bits >> 52n);
  bytes.writeBigUInt64LE((bits & 0x000fffffffffffffn) | 0x3ff0000000000000n);
  let m = bytes.readDoubleLE();
  if (m > Math.SQRT2) {
    m *= 0.5;
    exponent -= 1;
  }
  const f = (m - 1) / (m + 1);
  const g = f * f;
  let series = 1 / 19;
  for (const divisor of [17, 15, 13, 11, 9, 7, 5, 3]) series = 1 / divisor + g * series;
  return exponent * Math.LN2 - (2 * f + 2 * f * (g * series));
}

class Rendezvous {
  constructor(hash, servers) {
    this.hash = hash;
    this.servers = [...servers].sort(byName);
    this.weighted = new Set(servers.map((server) => server.weight)).size > 1;
  }

  preference(key) {
    const k = this.hash(key);
    const ranked = this.servers.map(({ name, weight }) => {
      const mixed = k ^ xxh3(Buffer.from(name));
      let x = Math.imul(Number(mixed & 0xffffffffn), 0x9e3779b1);
      x = (x ^ (x >>> 15)) + Number(mixed >> 32n);
      x = Math.imul(x, 0x85ebca77);
      const score = u32(x ^ (x >>> 16));
      return { name, value: this.weighted ? negLn((score + 0.5) / 2 ** 32) / weight : -score };
    });
    // Stable, so that ties stay in order of the names.
    return ranked.sort((a, b) => ascending(a.value, b.value)).map(({ name }) => name);
  }

  owner(key) {
    return this.preference(key)[0];
  }
}

// Maglev's table, filled in turns.
function maglev(servers, size) {
  const walks = [...servers].sort(byName).map(({ name, weight }) => ({
    name,
    weight,
    at: Number(xxh3(Buffer.from(name)) % BigInt(size)),
    skip: Number(xxh3(Buffer.from(name), 1n) % BigInt(size - 1)) + 1,
    slots: 0,
  }));
  const largest = Math.max(...servers.map((server) => server.weight));
  const table = new Array(size).fill(null);
  let filled = 0;
  for (let turn = 1; ; turn += 1) {
    for (const walk of walks) {
      if (turn * walk.weight < walk.slots * largest) continue;
      while (table[walk.at] !== null) walk.at = (walk.at + walk.skip) % size;
      table[walk.at] = walk.name;
      walk.slots += 1;
      filled += 1;
      if (filled === size) return table;
    }
  }
}

// A run of slots for each server, by weight, what is left over to the largest remainders.
function evenSlots(servers, count) {
  const sorted = [...servers].sort(byName);
  const total = sorted.reduce((sum, server) => sum + server.weight, 0);
  const quotas = sorted.map((server) => Math.floor((count * server.weight) / total));
  const order = sorted
    .map((server, i) => ({ i, remainder: (count * server.weight) % total }))
    .sort((a, b) => b.remainder - a.remainder);
  const left = count - quotas.reduce((sum, quota) => sum + quota, 0);
  for (const { i } of order.slice(0, left)) quotas[i] += 1;
  return sorted.flatMap((server, i) => new Array(quotas[i]).fill(server.name));
}

const repeated = (servers) => servers.flatMap((server) => new Array(server.weight).fill(server.name));

function ketama(servers, label, digests) {
  const total = servers.reduce((sum, server) => sum + server.weight, 0);
  const points = [];
  for (const server of servers) {
    for (let j = 0; j < digests(server.weight, total, servers.length); j += 1) {
      const digest = md5Digest(`${label(server)}-${j}`);
      for (let word = 0; word < 4; word += 1) points.push([digest.readUInt32LE(4 * word), server.name]);
    }
  }
  return points;
}

const f32 = Math.fround;

// Each operation is rounded to single precision.
function twemproxyDigests(weight, total, servers) {
  let exact = f32(f32(weight) / f32(total));
  exact = f32(f32(f32(exact * 160) / 4) * f32(servers));
  return Math.floor(f32(exact + f32(1e-10)));
}

// The part in single precision, the product in double, and once to single.
const libketamaDigests = (weight, total, servers) =>
  Math.floor(f32(f32(f32(weight) / f32(total)) * 40 * f32(servers)));

// The placement of a group's pool.
function place({ scheme, dialect, settings, servers: listed }) {
  const servers = listed.filter((server) => server.state !== "draining");
  if (dialect === "libketama") {
    return new Ring(HASHES["md5-word"], ketama(servers, (s) => s.address ?? s.name, libketamaDigests));
  }
  if (dialect === "twemproxy") {
    if (!Object.hasOwn(TWEMPROXY, settings.hash)) throw new Unknown(`twemproxy's hash ${settings.hash}`);
    const inner = HASHES[TWEMPROXY[settings.hash]];
    const marks = settings.hash_tag === undefined ? null : Buffer.from(settings.hash_tag);
    const hash = (key) => {
      const part = marks ? tagged(key, marks) : key;
      return part.length > 0 ? inner(part) : 0;
    };
    const length = (server) => Buffer.byteLength(server.name);
    servers.sort((a, b) => length(a) - length(b) || byName(a, b));
    if (settings.distribution === "modula") return new Table(hash, repeated(servers));
    return new Ring(hash, ketama(servers, (server) => server.name, twemproxyDigests));
  }
  if (dialect !== undefined) throw new Unknown(`the dialect ${dialect}`);
  const hash = hashOf(settings.hash);
  switch (scheme) {
    case "ring":
    case "bounded": {
      const points = [];
      for (const { name, weight } of [...servers].sort(byName)) {
        for (let i = 0; i < weight * settings.points_per_weight; i += 1) {
          const number = Buffer.alloc(5);
          number.writeUInt32LE(i, 1);
          points.push([hash(Buffer.concat([Buffer.from(name), number])), name]);
        }
      }
      return new Ring(hash, points);
    }
    case "rendezvous":
      return new Rendezvous(hash, servers);
    case "jump":
      return new Jump(hash, repeated(servers));
    case "mod-n":
      return new Table(hash, repeated(servers));
    case "maglev":
      return new Slots(hash, maglev(servers, settings.table_size));
    case "slots":
      return new Table(hash, evenSlots(servers, settings.slots));
    default:
      throw new Unknown(`the scheme ${scheme}`);
  }
}

// A decimal number as a ratio of whole numbers: 0.1 is 1/10 and no float.
function ratio(number) {
  const [whole, digits = ""] = String(number).split(".");
  return [BigInt(whole + digits), 10n ** BigInt(digits.length)];
}

// The key of a test with the prefix that stands before every key, if the pool has one.
const hashed = ({ settings }, test) =>
  Buffer.concat([Buffer.from(settings.key_prefix ?? ""), Buffer.from(test.key, "hex")]);

// Where keys go that arrive in order and all stay, under the cap of bounded loads.
function fill(group, placement) {
  const active = group.servers.filter((server) => server.state !== "draining");
  const weights = new Map(active.map((server) => [server.name, BigInt(server.weight)]));
  const [part, unit] = ratio(group.settings.epsilon);
  const under = unit * [...weights.values()].reduce((sum, weight) => sum + weight, 0n);
  const loads = new Map(active.map((server) => [server.name, 0n]));
  return group.tests.map((test, before) => {
    const total = BigInt(before + 1);
    return placement.preference(hashed(group, test)).find((name) => {
      const cap = ((unit + part) * total * weights.get(name) + under - 1n) / under;
      const takes = loads.get(name) < cap;
      if (takes) loads.set(name, loads.get(name) + 1n);
      return takes;
    });
  });
}

// The check itself.

class Checker {
  tests = 0;
  differences = 0;
  unknown = new Map();

  constructor(name) {
    this.name = name;
  }

  compare(group, test, what, expected, got) {
    const [left, right] = [expected, got].map((value) => JSON.stringify(value));
    if (left === right) return;
    this.differences += 1;
    console.log(`${this.name}: group ${group}, test ${test.id}: ${what}: expected ${left}, got ${right}`);
  }

  group(number, group) {
    const { tests } = group;
    try {
      if (group.type === "hash") {
        const hash = hashOf(group.hash);
        for (const test of tests) {
          this.compare(number, test, "value", test.value, String(hash(Buffer.from(test.input, "hex"))));
        }
      } else if (group.type === "points") {
        this.points(number, tests, place(group));
      } else if (group.type === "owner") {
        this.owners(number, group, place(group));
      } else {
        throw new Unknown("what is refused");
      }
      this.tests += tests.length;
    } catch (error) {
      if (!(error instanceof Unknown)) throw error;
      this.unknown.set(error.message, (this.unknown.get(error.message) ?? 0) + tests.length);
    }
  }

  points(number, tests, placement) {
    if (!placement.points) throw new Unknown("points");
    const points = placement.points();
    const lines = points.map(([position, name]) => `${position},${name}\n`).join("");
    const sha256 = createHash("sha256").update(lines).digest("hex");
    const shown = ([position, server]) => ({ position: String(position), server });
    for (const test of tests) {
      this.compare(number, test, "of", test.of, placement.shape);
      this.compare(number, test, "count", test.count, points.length);
      this.compare(number, test, "first", test.first, shown(points[0]));
      this.compare(number, test, "last", test.last, shown(points[points.length - 1]));
      this.compare(number, test, "sha256", test.sha256, sha256);
    }
  }

  owners(number, group, placement) {
    const goesTo = group.scheme === "bounded" ? fill(group, placement) : [];
    group.tests.forEach((test, at) => {
      const key = hashed(group, test);
      this.compare(number, test, "owner", test.owner, placement.owner(key));
      if (test.preference && placement.preference) {
        const list = placement.preference(key).slice(0, test.preference.length);
        this.compare(number, test, "preference", test.preference, list);
      }
      if (test.goes_to) this.compare(number, test, "goes_to", test.goes_to, goesTo[at]);
    });
  }
}

function main(paths) {
  if (paths.length === 0) {
    const folder = join(dirname(fileURLToPath(import.meta.url)), "..", "clockwise", "v1");
    const names = readdirSync(folder).filter((name) => name.endsWith(".json") && name !== "schema.json");
    paths = names.sort().map((name) => join(folder, name));
  }
  let [checked, unknown, differences] = [0, 0, 0];
  for (const path of paths) {
    const checker = new Checker(basename(path));
    try {
      const file = JSON.parse(readFileSync(path, "utf8"));
      if (file.format !== "clockwise-test-vectors" || file.version !== 1) {
        throw new Error("it is no file of test vectors of version 1");
      }
      file.groups.forEach((group, at) => checker.group(at + 1, group));
    } catch (error) {
      console.error(`${path} cannot be used: ${error.message}`);
      return 3;
    }
    const left = [...checker.unknown].map(([what, tests]) => `${what} (${tests})`);
    const rest = left.length > 0 ? `; not known here: ${left.join(", ")}` : "";
    console.log(`${basename(path, ".json")}: ${checker.tests} tests, ${checker.differences} differences${rest}`);
    checked += checker.tests;
    unknown += [...checker.unknown.values()].reduce((sum, tests) => sum + tests, 0);
    differences += checker.differences;
  }
  console.log(`all: ${checked} tests, ${differences} differences; ${unknown} tests not known here`);
  return differences > 0 ? 1 : 0;
}

process.exitCode = main(process.argv.slice(2));
