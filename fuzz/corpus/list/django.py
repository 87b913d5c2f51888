"""Settings of the site."""
import os

DEBUG = False
CACHES = {
    'default': {
        'BACKEND': 'django.core.cache.backends.memcached.PyMemcacheCache',
        'LOCATION': ['10.0.1.1:11211', '10.0.1.2:11211', '10.0.1.3:11211'],
        'TIMEOUT': 60 * 60,
    },
    'old': {
        'BACKEND': 'django.core.cache.backends.memcached.PyLibMCCache',
        'LOCATION': '10.0.1.1:11211;10.0.1.2:11211',
        'OPTIONS': {
            'binary': True,
            'behaviors': {'ketama': True},
        },
    },
    'local': {'BACKEND': 'django.core.cache.backends.locmem.LocMemCache', 'LOCATION': 'x'},
}
