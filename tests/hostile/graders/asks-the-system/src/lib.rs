//! A grader that tries what the standard library offers: files, programs, the
//! network, the environment. It says how each attempt ended.

use std::io::Read as _;
use std::{env, fs, io, net, process, thread};

use proctor_grader::{Error, Evidence, Verdict};

fn grade(_: &Evidence) -> Result<Verdict, Error> {
    let mut said = Vec::new();
    let mut tried = |what: &str, got: Result<String, io::Error>| {
        said.push(match got {
            Ok(got) => format!("{what}: got {got:?}"),
            Err(error) => format!("{what}: {:?}", error.kind()),
        });
    };
    tried("read", fs::read_to_string("/etc/passwd"));
    tried(
        "list",
        fs::read_dir("/").map(|list| list.count().to_string()),
    );
    tried("write", fs::write("/tmp/a", "a").map(|()| String::new()));
    tried(
        "link",
        fs::canonicalize(".").map(|path| path.display().to_string()),
    );
    tried(
        "run",
        process::Command::new("/bin/sh")
            .spawn()
            .map(|child| child.id().to_string()),
    );
    tried(
        "connect",
        net::TcpStream::connect("127.0.0.1:80").map(|to| format!("{to:?}")),
    );
    tried(
        "listen",
        net::UdpSocket::bind("0.0.0.0:0").map(|at| format!("{at:?}")),
    );
    tried(
        "thread",
        thread::Builder::new().spawn(|| ()).map(|_| String::new()),
    );
    let mut input = String::new();
    tried(
        "input",
        io::stdin()
            .read_to_string(&mut input)
            .map(|count| count.to_string()),
    );
    let home = env::var("HOME").ok();
    tried("home", home.ok_or_else(|| io::ErrorKind::NotFound.into()));
    tried("arguments", Ok(env::args().count().to_string()));
    for _ in 0..100_000 {
        println!("a line that nobody sees");
    }
    Err(Error::unfit(said.join(", ")))
}

proctor_grader::export!(grade);
