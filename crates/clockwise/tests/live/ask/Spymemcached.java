// Asks spymemcached which server owns a key: `java -cp spymemcached.jar Spymemcached.java < QUESTION`.
//
// The question, a line each: `pool LOCATOR HASH KEY_FORMAT WEIGHTED`, then its servers, `server HOST PORT
// WEIGHT`, and its keys, `key TEXT`. The answer is JSON: `owners`, for each pool the index of every key's
// server. A locator needs nodes that know their address and nothing else, and so no server is asked.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.spy.memcached.ArrayModNodeLocator;
import net.spy.memcached.DefaultHashAlgorithm;
import net.spy.memcached.KetamaNodeKeyFormatter.Format;
import net.spy.memcached.KetamaNodeLocator;
import net.spy.memcached.MemcachedNode;
import net.spy.memcached.NodeLocator;

public class Spymemcached {
    private final String[] settings;
    private final List<MemcachedNode> nodes = new ArrayList<>();
    private final Map<InetSocketAddress, Integer> weights = new HashMap<>();
    private final List<String> keys = new ArrayList<>();

    Spymemcached(String[] settings) {
        this.settings = settings;
    }

    void add(String host, int port, int weight) throws IOException {
        boolean literal = host.contains(":") || host.matches("[0-9.]+");
        // A name is left unresolved: what it resolves to would be part of where keys go.
        InetSocketAddress address = literal
                ? new InetSocketAddress(InetAddress.getByName(host), port)
                : InetSocketAddress.createUnresolved(host, port);
        weights.put(address, weight);
        nodes.add((MemcachedNode) Proxy.newProxyInstance(
                MemcachedNode.class.getClassLoader(),
                new Class<?>[] {MemcachedNode.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "getSocketAddress" -> address;
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "equals" -> proxy == arguments[0];
                    case "toString" -> address.toString();
                    default -> throw new UnsupportedOperationException(method.getName());
                }));
    }

    String owners() {
        DefaultHashAlgorithm hash = DefaultHashAlgorithm.valueOf(settings[2]);
        NodeLocator locator;
        if (settings[1].equals("ArrayModNodeLocator")) {
            locator = new ArrayModNodeLocator(nodes, hash);
        } else {
            Map<InetSocketAddress, Integer> given = settings[4].equals("true") ? weights : new HashMap<>();
            locator = new KetamaNodeLocator(nodes, hash, Format.valueOf(settings[3]), given);
        }
        List<String> owners = new ArrayList<>();
        for (String key : keys) {
            owners.add(Integer.toString(nodes.indexOf(locator.getPrimary(key))));
        }
        return "[" + String.join(",", owners) + "]";
    }

    public static void main(String[] arguments) throws IOException {
        List<Spymemcached> pools = new ArrayList<>();
        Spymemcached pool = null;
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "pool" -> pools.add(pool = new Spymemcached(words));
                case "server" -> pool.add(words[1], Integer.parseInt(words[2]), Integer.parseInt(words[3]));
                default -> pool.keys.add(line.substring("key ".length()));
            }
        }
        List<String> owners = new ArrayList<>();
        for (Spymemcached each : pools) {
            owners.add(each.owners());
        }
        System.out.println("{\"owners\":[" + String.join(",", owners) + "]}");
    }
}
