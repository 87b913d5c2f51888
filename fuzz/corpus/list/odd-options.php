<?php
$m = new Memcached();
$m->setOption(Memcached::OPT_LIBKETAMA_COMPATABLE, true);
$m->setOption(Memcached::OPT_DISTRIBUTION, Memcached::DISTRIBUTION_KETAMA);
$m->setOption(Memcached::OPT_HASH, 'md5');
$m->setOption(Memcached::OPT_LIBKETAMA_COMPATIBLE, $ketama);
$m->addServer("cache-$n.example.com", 11211);
$m->addServer('10.0.0.1', 70000);
$m->addServer('10.0.0.1:11211', 11211);
$m->addServers($hosts);
$m->addServer('10.0.0.2', 11211);
