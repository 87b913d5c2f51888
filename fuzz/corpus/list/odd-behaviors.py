import pylibmc
mc = pylibmc.Client(["a:11211", "2001:db8::1", "udp:b:11211"], behaviors={
    "ketama_weight": True,
    "hash": "sha1",
    "distribution": "random",
    "ketama": maybe,
})
