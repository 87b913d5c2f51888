from pymemcache.client.hash import HashClient

client = HashClient([
    ('10.0.1.1', 11211),
    '10.0.1.2:11211',
    ("10.0.1.3", 11211),
], use_pooling=True, timeout=0.5)
