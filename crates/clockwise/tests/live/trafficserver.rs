//! Which parent Traffic Server sends a request to, by `round_robin=consistent_hash`.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{fs, thread};

use clockwise::dialect::trafficserver::{Options, Qstring, Weight};
use clockwise::{Buckets, Server};

use crate::draw::Draw;
use crate::http::{Client, find, new_folder};
use crate::score::{Score, not_asked};

/// Where it keeps what, all in one folder.
const FOLDERS: [&str; 5] = ["etc", "share", "run", "log", "cache"];

/// A running Traffic Server, ended by its process id when dropped. It listens on ports only.
struct TrafficServer {
    child: Child,
    folder: PathBuf,
    port: u16,
}

impl TrafficServer {
    fn version() -> Option<String> {
        let output = Command::new(find("traffic_server")?).arg("-V").stdin(Stdio::null()).output().ok()?;
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        let mut words = said.split([' ', '\n']);
        let version =
            words.find(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'))?;
        Some(version.to_owned())
    }

    /// It is handed a socket that listens already, and connections wait in that until it takes them. A free
    /// port that it had to open by itself might by then be another program's, which would be asked.
    fn start(parents: &str) -> io::Result<TrafficServer> {
        let program = find("traffic_server").ok_or_else(|| io::Error::other("it is not installed"))?;
        let folder = new_folder()?;
        let at = folder.display();
        for name in FOLDERS {
            fs::create_dir(folder.join(name))?;
        }
        let layout = format!(
            "prefix: {at}\nexec_prefix: {at}\nbindir: /usr/bin\nsbindir: /usr/bin\nsysconfdir: {at}/etc\n\
             datadir: {at}/share\nincludedir: {at}/share\nlibdir: /usr/lib/trafficserver\n\
             libexecdir: /usr/lib/trafficserver/modules\nlocalstatedir: {at}\nruntimedir: {at}/run\n\
             logdir: {at}/log\ncachedir: {at}/cache\n"
        );
        fs::write(folder.join("runroot.yaml"), layout)?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        // It stays the user that it is, starts no other program, forwards what it is asked for, and keeps
        // nothing.
        let settings = format!(
            "CONFIG proxy.config.http.server_ports STRING {port}:ip-in=127.0.0.1:fd=0\n\
             CONFIG proxy.config.admin.user_id STRING #-1\n\
             CONFIG proxy.config.url_remap.remap_required INT 0\n\
             CONFIG proxy.config.reverse_proxy.enabled INT 0\n\
             CONFIG proxy.config.http.no_dns_just_forward_to_parent INT 1\n\
             CONFIG proxy.config.http.cache.http INT 0\n\
             CONFIG proxy.config.crash_log_helper STRING NULL\n\
             CONFIG proxy.config.exec_thread.autoconfig INT 0\n\
             CONFIG proxy.config.exec_thread.limit INT 1\n"
        );
        let allowed = "ip_allow:\n- apply: in\n  ip_addrs: 127.0.0.1\n  action: allow\n  methods: ALL\n";
        fs::write(folder.join("etc/records.config"), settings)?;
        fs::write(folder.join("etc/ip_allow.yaml"), allowed)?;
        fs::write(folder.join("etc/storage.config"), format!("{at}/cache 16M\n"))?;
        fs::write(folder.join("etc/parent.config"), parents)?;
        let child = Command::new(program)
            .arg(format!("--run-root={at}/runroot.yaml"))
            .current_dir(&folder)
            .stdin(Stdio::from(OwnedFd::from(listener)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(TrafficServer { child, folder, port })
    }

    fn connect(&self) -> io::Result<TcpStream> {
        let connection = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))?;
        connection.set_read_timeout(Some(Duration::from_secs(60)))?;
        connection.set_nodelay(true)?;
        Ok(connection)
    }
}

impl Drop for TrafficServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Starts a parent on a loopback address of its own; it says its number, for as long as the tests run.
fn parent(number: u8) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::new(127, 0, 1, 1 + number), 0))?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        for client in listener.incoming() {
            thread::spawn(move || client.and_then(|client| serve(client, number)));
        }
    });
    Ok(address)
}

fn serve(mut client: TcpStream, number: u8) -> io::Result<()> {
    client.set_nodelay(true)?;
    let mut lines = BufReader::new(client.try_clone()?);
    let mut line = String::new();
    while lines.read_line(&mut line)? > 0 {
        // An empty line ends a request.
        if line.trim_end().is_empty() {
            let answer = format!("HTTP/1.1 200 OK\r\nX-Parent: {number}\r\nContent-Length: 0\r\n\r\n");
            client.write_all(answer.as_bytes())?;
        }
        line.clear();
    }
    Ok(())
}

/// Some of the parents, each called by its number, under settings.
struct Pool {
    list: Buckets,
    options: Options,
}

impl Pool {
    fn drawn(draw: &mut Draw, parents: &[SocketAddr]) -> Pool {
        let mut options = Options { qstring: *draw.pick(Qstring::ALL), ..Options::default() };
        let (weighted, renamed) = (draw.once_in(2), draw.once_in(2));
        let mut servers = Vec::new();
        for (number, address) in parents.iter().enumerate() {
            if number > 0 && draw.once_in(3) {
                continue;
            }
            let server = Server::new(number.to_string()).expect("a server");
            if weighted {
                let weight = Weight::try_from((1 + draw.below(12)) as f64 / 4.0).expect("a weight");
                options.weights.insert(server.name().clone(), weight);
            }
            if renamed {
                options.hash_strings.insert(server.name().clone(), format!("name-{}", draw.bits()));
            }
            servers.push(server.with_address(address.to_string()).expect("an address"));
        }
        Pool { list: Buckets::new(servers).expect("a pool"), options }
    }

    /// Its line of `parent.config`.
    fn line(&self, number: usize) -> String {
        let Options { qstring, weights, hash_strings, .. } = &self.options;
        let parents = self.list.servers().iter().map(|server| {
            let mut text = server.address().to_string();
            if let Some(weight) = weights.get(server.name()) {
                text.push_str(&format!("|{weight}"));
            }
            if let Some(name) = hash_strings.get(server.name()) {
                text.push_str(&format!("&{name}"));
            }
            text
        });
        let parents: Vec<String> = parents.collect();
        format!(
            "dest_domain=pool-{number}.test parent=\"{}\" round_robin=consistent_hash go_direct=false \
             qstring={qstring}\n",
            parents.join(";")
        )
    }
}

#[test]
#[ignore = "starts the real Traffic Server: cargo xtask live"]
fn every_request_goes_to_the_parent_we_name() {
    let Some(version) = TrafficServer::version() else {
        return not_asked("trafficserver", "no package of this system has it");
    };
    let parents: io::Result<Vec<SocketAddr>> = (0..16).map(parent).collect();
    let parents = parents.expect("parents");
    let mut draw = Draw::new(91);
    let pools: Vec<Pool> = (0..40).map(|_| Pool::drawn(&mut draw, &parents)).collect();
    let lines = pools.iter().enumerate().map(|(number, pool)| pool.line(number));
    let server = TrafficServer::start(&lines.collect::<String>()).expect("traffic_server");
    let mut client = Client::new(server.connect().expect("a connection")).expect("a client");
    let mut score = Score::new("trafficserver", version);
    for (number, Pool { list, options }) in pools.iter().enumerate() {
        let place = options.build(list).expect("a ring");
        // What cannot stand in a URL as it is, and what the client would make shorter.
        let plain = |key: &String| key.is_ascii() && !key.starts_with(['/', '.', ':']);
        for key in draw.keys(250).into_iter().filter(plain).take(120) {
            let target = format!("http://pool-{number}.test/{key}");
            let theirs = client.get(&target, "", "x-parent").expect("an answer");
            let ours = place.owner(&key).name().as_str();
            score.answer(theirs.as_str(), ours, || format!("{key} by {}", pools[number].line(number)));
        }
    }
    score.close(4_800);
}
