<?php
$m = new Memcached();
foreach ($config['servers'] as $server) {
    $m->addServer($server['host'], 11211);
}
if (getenv('STAGING')) {
    $m->setOption(Memcached::OPT_LIBKETAMA_COMPATIBLE, true);
}
