<?php
// The web tier's cache.
$m = new Memcached('pool');
$m->setOption(Memcached::OPT_LIBKETAMA_COMPATIBLE, true);
$m->setOption(Memcached::OPT_BINARY_PROTOCOL, true);
if (!count($m->getServerList())) {
    $m->addServers([
        ['10.0.1.1', 11211, 1],
        ['10.0.1.2', 11212, 2], # twice the memory
        ['10.0.1.3', 21213, 5],
    ]);
}
$value = $m->get("key");
