<?php

namespace App\Cache;

class Factory
{
    private $client;

    /* Two caches side by side. */
    public function sessions(): \Memcached
    {
        $this->sessions = new \Memcached();
        $this->sessions->setOptions([
            \Memcached::OPT_HASH => \Memcached::HASH_CRC,
            \Memcached::OPT_PREFIX_KEY => 'app.',
        ]);
        $this->sessions->addServer('2001:db8::1', 11211);
        $this->sessions->addServer('2001:db8::2', 11300);
        return $this->sessions;
    }

    public function pages()
    {
        $servers = array(
            array('cache01.example.com', 11211, 33),
            array('cache02.example.com', 11211, 67),
        );
        $pages = new \Memcached();
        $pages->addServers($servers);
        return $pages;
    }
}
