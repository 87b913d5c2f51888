<?php
ini_set('memcache.hash_strategy', 'consistent');
ini_set('memcache.hash_function', 'fnv');
$memcache = new Memcache;
$memcache->addServer('10.0.1.1', 11211, true, 1);
$memcache->addServer('10.0.1.2', 11212, true, 2, 1, 15);
$memcache->addServer('10.0.1.3', 21213, true, 5);
