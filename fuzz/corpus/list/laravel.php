<?php

return [
    'default' => 'memcached',
    'stores' => [
        'file' => ['driver' => 'file', 'path' => storage_path('framework/cache')],
        'memcached' => [
            'driver' => 'memcached',
            'persistent_id' => env('MEMCACHED_PERSISTENT_ID'),
            'options' => [
                Memcached::OPT_CONNECT_TIMEOUT => 2000,
                Memcached::OPT_LIBKETAMA_COMPATIBLE => true,
            ],
            'servers' => [
                ['host' => '10.0.1.1', 'port' => 11211, 'weight' => 100],
                ['host' => '10.0.1.2', 'port' => 11211, 'weight' => 100],
            ],
        ],
    ],
];
