<?php
// Asks one of PHP's two clients which server owns a key: `php php.php memcached < QUESTION`, or `memcache`.
// Question and answer are those of python.py. No server is asked.

function memcached(array $pool): callable
{
    $client = new Memcached();
    $options = $pool['options'];
    $distribution = [Memcached::OPT_DISTRIBUTION => constant('Memcached::DISTRIBUTION_' . $options['distribution'])];
    $before = $options['set_after_servers'] ? [] : $distribution;
    if ($options['libketama_compatible']) {
        $before[Memcached::OPT_LIBKETAMA_COMPATIBLE] = true;
    }
    if ($options['hash'] !== null) {
        $before[Memcached::OPT_HASH] = constant('Memcached::HASH_' . $options['hash']);
    }
    if ($options['prefix_key'] !== null) {
        $before[Memcached::OPT_PREFIX_KEY] = $options['prefix_key'];
    }
    $before[Memcached::OPT_HASH_WITH_PREFIX_KEY] = $options['hash_with_prefix_key'];
    $client->setOptions($before);
    // A list gives a socket the port 0, which the question has behind its path.
    $path = fn (string $host) => $host[0] === '/' ? preg_replace('/:0$/', '', $host) : $host;
    $servers = array_map(
        fn (array $server) => [$path($server['host']), $server['port'] ?? 0, $server['weight']],
        $pool['servers'],
    );
    if ($options['add_servers']) {
        $client->addServers($servers);
    } else {
        foreach ($servers as $server) {
            $client->addServer(...$server);
        }
    }
    if ($options['set_after_servers']) {
        $client->setOptions($distribution);
    }
    $written = array_combine(array_column($servers, 0), array_column($pool['servers'], 'host'));
    return function (string $key) use ($client, $written) {
        $server = $client->getServerByKey($key);
        // It tells a port of a socket too, which the question has not.
        return $written[$server['host']] . ':' . ($server['host'][0] === '/' ? '' : $server['port']);
    };
}

function memcache(array $pool): callable
{
    ini_set('memcache.allow_failover', '0');
    foreach (['hash_strategy', 'hash_function'] as $name) {
        ini_set("memcache.$name", $pool['options'][$name]);
    }
    $client = new MemcachePool();
    foreach ($pool['servers'] as $server) {
        $client->addServer($server['host'], $server['port'], 0, false, $server['weight']);
    }
    return fn (string $key) => $client->findServer($key);
}

$library = $argv[1];
$pools = json_decode(stream_get_contents(STDIN), true)['pools'];
if (!extension_loaded($library)) {
    echo json_encode(['missing' => "PHP has no extension $library"]);
    exit;
}
$owners = [];
foreach ($pools as $pool) {
    $at = [];
    foreach ($pool['servers'] as $index => $server) {
        $at[$server['host'] . ':' . $server['port']] = $index;
    }
    $owner = $library($pool);
    $owners[] = array_map(fn ($key) => $at[$owner($key)], $pool['keys']);
}
echo json_encode(['version' => phpversion($library), 'owners' => $owners]);
