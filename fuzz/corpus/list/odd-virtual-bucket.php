$m = new Memcached();
$m->setOption(Memcached::OPT_DISTRIBUTION, Memcached::DISTRIBUTION_VIRTUAL_BUCKET);
$m->addServers([['aaa', 11211], ['bbb', 11211]]);
