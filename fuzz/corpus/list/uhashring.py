from uhashring import HashRing

nodes = {
    'cache-1': 1,
    'cache-2': {'weight': 2},
    'cache-3': {'hostname': 'c3.example.com', 'port': 11211, 'weight': 5},
}
hr = HashRing(nodes, hash_fn='ketama')
