$memcached = new \Memcached;
$memcached->addServer('10.0.1.1', 11211, 1);
$memcached->addServer('10.0.1.2', 11212, 2);
$memcached->addServer("10.0.1.3", 21213, 5);
$memcached->setOption(\Memcached::OPT_DISTRIBUTION, \Memcached::DISTRIBUTION_CONSISTENT);
