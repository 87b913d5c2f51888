$m = new Memcached();
$m->setOption(Memcached::OPT_DISTRIBUTION, Memcached::DISTRIBUTION_CONSISTENT);
$m->addServers([['aaa', 11211], ['bbb', 11211]]);
$m->setOption(Memcached::OPT_HASH, Memcached::HASH_MD5);
