import pylibmc
servers = ["127.0.0.1", "[2001:db8::1]:11300:2",
	"/run/memcached.sock"]
mc = pylibmc.Client(servers, behaviors=dict(ketama=True, hash="fnv1a_32"))
