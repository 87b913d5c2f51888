import memcache

def connect():
    return memcache.Client([
        ("10.0.1.1:11211", 1),
        ("10.0.1.2:11212", 2),
        ("10.0.1.3:21213", 5),
    ], debug=0)
