import hash_ring
memcache_servers = ['192.168.0.246:11212', '192.168.0.247:11212', '192.168.0.249:11212']
weights = {'192.168.0.246:11212': 1, '192.168.0.247:11212': 2, '192.168.0.249:11212': 1}
ring = hash_ring.HashRing(memcache_servers, weights)
