<?php
$mc = memcache_connect('cache01.example.com', 11211);
memcache_add_server($mc, 'cache02.example.com');
memcache_add_server($mc, "unix:///run/memcached.sock", 0);
