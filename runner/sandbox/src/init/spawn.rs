//! Starting one command: what happens between fork and exec.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use nix::unistd::ForkResult;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::Pid;
use seccompiler::BpfProgram;

use super::seccomp;
use crate::error::ExecStep;
use crate::launch::identity;
use crate::wire::{Setup, SpawnPlan};

/// What is the same for every command of a room, made once.
pub(super) struct Preparation {
    setup: Setup,
    filter: Vec<BpfProgram>,
}

impl Preparation {
    pub(super) fn new(setup: Setup) -> Result<Self, String> {
        let filter = if setup.filtered {
            seccomp::programs().map_err(|error| error.to_string())?
        } else {
            Vec::new()
        };
        Ok(Self { setup, filter })
    }
}

/// One command with everything in the form that exec takes.
struct Image {
    candidates: Vec<CString>,
    argv: Vec<CString>,
    env: Vec<CString>,
    cwd: CString,
}

impl Image {
    fn new(plan: &SpawnPlan) -> Result<Self, (ExecStep, i32)> {
        let text = |bytes: &Vec<u8>| {
            CString::new(bytes.as_slice()).map_err(|_| (ExecStep::Exec, libc::EINVAL))
        };
        let texts = |list: &[Vec<u8>]| list.iter().map(text).collect::<Result<Vec<_>, _>>();
        let argv = texts(&plan.argv)?;
        let program = plan.argv.first().ok_or((ExecStep::Exec, libc::EINVAL))?;
        let candidates = if program.contains(&b'/') {
            vec![text(program)?]
        } else {
            let joined: Vec<_> = plan
                .search
                .iter()
                .map(|dir| [dir, program.as_slice()].join(&b'/'))
                .collect();
            texts(&joined)?
        };
        Ok(Self {
            candidates,
            argv,
            env: texts(&plan.env)?,
            cwd: text(&plan.cwd)?,
        })
    }
}

/// A process on its way to become a command.
///
/// Init must not wait for it: it can be stopped by any process of the same
/// user, the agent's included.
pub(super) struct Starting {
    pub(super) pid: Pid,
    told: File,
}

impl Starting {
    /// Whether it became the command. Call when its descriptor is readable or
    /// its process has ended; either way this does not wait.
    pub(super) fn outcome(mut self) -> Result<(), (ExecStep, i32)> {
        let mut message = [0; 8];
        if self.told.read_exact(&mut message).is_err() {
            // Closed without a word, by exec (or by the end of the process,
            // which is reported as such).
            return Ok(());
        }
        let [a, b, c, d, errno @ ..] = message;
        let step = u32::from_ne_bytes([a, b, c, d]) as usize;
        let step = ExecStep::ALL.get(step).copied().unwrap_or(ExecStep::Exec);
        Err((step, i32::from_ne_bytes(errno)))
    }
}

impl AsFd for Starting {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.told.as_fd()
    }
}

/// What a command reads and writes.
pub(super) struct Stdio<'a> {
    /// `/dev/null` if `None`.
    pub(super) stdin: Option<&'a OwnedFd>,
    pub(super) stdout: &'a OwnedFd,
    pub(super) stderr: &'a OwnedFd,
}

/// Forks and lets the child become `plan`.
pub(super) fn spawn(
    preparation: &Preparation,
    plan: &SpawnPlan,
    stdio: &Stdio<'_>,
) -> Result<Starting, (ExecStep, i32)> {
    let image = Image::new(plan)?;
    let failed = |step| move |errno: Errno| (step, errno.raw_os_error());
    let null = OFlags::RDONLY | OFlags::CLOEXEC;
    let null =
        rustix::fs::open("/dev/null", null, Mode::empty()).map_err(failed(ExecStep::Session))?;
    let stdio = [stdio.stdin.unwrap_or(&null), stdio.stdout, stdio.stderr];
    let (told, tell) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)
        .map_err(failed(ExecStep::Fork))?;
    #[expect(unsafe_code, reason = "init is the one that makes processes")]
    // SAFETY: init has one thread, so the child may do whatever it could.
    let forked = unsafe { nix::unistd::fork() };
    match forked {
        Err(errno) => Err((ExecStep::Fork, errno as i32)),
        Ok(ForkResult::Child) => {
            let (step, errno) = become_command(preparation, &image, stdio);
            let mut message = [0; 8];
            message[..4].copy_from_slice(&(step as u32).to_ne_bytes());
            message[4..].copy_from_slice(&errno.to_ne_bytes());
            // Nobody is left to tell if this fails; init sees an exit code.
            let _ = File::from(tell).write_all(&message);
            exit_now(127);
        }
        Ok(ForkResult::Parent { child }) => {
            let pid = Pid::from_raw(child.as_raw()).ok_or((ExecStep::Fork, libc::ESRCH))?;
            Ok(Starting {
                pid,
                told: File::from(told),
            })
        }
    }
}

/// Ends the child without running what the parent registered for its exit.
fn exit_now(code: i32) -> ! {
    #[expect(
        unsafe_code,
        reason = "a forked child must not unwind into its parent's code"
    )]
    // SAFETY: always allowed.
    unsafe {
        libc::_exit(code)
    }
}

/// Runs in the child; returns only what went wrong.
fn become_command(
    preparation: &Preparation,
    image: &Image,
    stdio: [&OwnedFd; 3],
) -> (ExecStep, i32) {
    let setup = &preparation.setup;
    let steps = || -> Result<(), (ExecStep, i32)> {
        session(stdio).map_err(|errno| (ExecStep::Session, errno.raw_os_error()))?;
        limits(setup).map_err(|errno| (ExecStep::Limits, errno))?;
        close_at_exec().map_err(|errno| (ExecStep::Descriptors, errno))?;
        privileges(setup).map_err(|errno| (ExecStep::Privileges, errno))?;
        rustix::process::chdir(&*image.cwd)
            .map_err(|errno| (ExecStep::Directory, errno.raw_os_error()))?;
        for program in &preparation.filter {
            seccompiler::apply_filter(program).map_err(|_| (ExecStep::Filter, libc::EINVAL))?;
        }
        Ok(())
    };
    match steps() {
        Err(failure) => failure,
        Ok(()) => (ExecStep::Exec, exec(image)),
    }
}

fn session(stdio: [&OwnedFd; 3]) -> Result<(), Errno> {
    rustix::process::setsid()?;
    // Copied out of the way first: one of them may sit where another belongs.
    let lifted = stdio.map(|fd| rustix::io::fcntl_dupfd_cloexec(fd.as_fd(), 10));
    for (target, fd) in (0..).zip(lifted) {
        if nix::errno::Errno::result(dup_to(&fd?, target)).is_err() {
            return Err(Errno::BADF);
        }
    }
    default_signals();
    // The runner's would otherwise show in the modes of what the agent makes.
    rustix::process::umask(Mode::from_raw_mode(0o022));
    Ok(())
}

fn dup_to(fd: &OwnedFd, target: i32) -> i32 {
    #[expect(unsafe_code, reason = "replaces a descriptor by number")]
    // SAFETY: 0 to 2 belong to nobody in the child, who is about to exec.
    unsafe {
        libc::dup2(fd.as_raw_fd(), target)
    }
}

/// Undoes what Rust's runtime and whoever started the runner ignore, and what
/// init blocks: both survive exec.
fn default_signals() {
    // `struct sigaction` as the kernel has it, on every architecture at most
    // four words and one of mask: all zero is the default action.
    let action = [0_u64; 5];
    for signal in 1..=64 {
        #[expect(
            unsafe_code,
            reason = "libraries keep two real-time signals to themselves"
        )]
        // SAFETY: the kernel reads the live array, and the default action runs
        // no code of this process. The two signals that cannot be set are
        // refused, which changes nothing.
        unsafe {
            let none = std::ptr::null_mut::<u64>();
            libc::syscall(libc::SYS_rt_sigaction, signal, action.as_ptr(), none, 8);
        }
    }
    // Fails only on an invalid argument.
    let _ = nix::sys::signal::SigSet::empty().thread_set_mask();
}

/// Sets both limits of every resource, as far as init's own hard limit goes.
fn limits(setup: &Setup) -> Result<(), i32> {
    for &(resource, value) in &setup.limits {
        let mut limit = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        #[expect(
            unsafe_code,
            reason = "gets and sets limits by the number that the runner sent"
        )]
        // SAFETY: both pointers are to a live, initialised value.
        let set = unsafe {
            nix::errno::Errno::result(libc::getrlimit(resource as _, &raw mut limit)).and_then(
                |_| {
                    let value = value.min(limit.rlim_max);
                    limit = libc::rlimit {
                        rlim_cur: value,
                        rlim_max: value,
                    };
                    nix::errno::Errno::result(libc::setrlimit(resource as _, &raw const limit))
                },
            )
        };
        set.map_err(|errno| errno as i32)?;
    }
    Ok(())
}

/// Marks everything above standard error to close at exec. It stays open until
/// then, so that a failure can still be told.
fn close_at_exec() -> Result<(), i32> {
    #[expect(unsafe_code, reason = "close_range has no safe wrapper")]
    // SAFETY: sets a flag and closes nothing.
    let done = unsafe {
        libc::syscall(
            libc::SYS_close_range,
            3,
            libc::c_uint::MAX,
            libc::CLOSE_RANGE_CLOEXEC,
        )
    };
    nix::errno::Errno::result(done)
        .map(drop)
        .map_err(|errno| errno as i32)
}

fn privileges(setup: &Setup) -> Result<(), i32> {
    if let Some((uid, gid)) = setup.identity {
        identity::assume(uid, gid).map_err(|errno| errno as i32)?;
    }
    let errno = |errno: Errno| errno.raw_os_error();
    rustix::thread::clear_ambient_capability_set().map_err(errno)?;
    let none = rustix::thread::CapabilitySet::empty();
    let sets = rustix::thread::CapabilitySets {
        effective: none,
        permitted: none,
        inheritable: none,
    };
    rustix::thread::set_capabilities(None, sets).map_err(errno)?;
    // From here on no set-user-id program gives any of it back.
    rustix::thread::set_no_new_privs(true).map_err(errno)
}

/// Tries every place where the program may be, as a shell does.
fn exec(image: &Image) -> i32 {
    let mut worst = libc::ENOENT;
    for candidate in &image.candidates {
        let Err(errno) =
            nix::unistd::execve(candidate.as_c_str(), &refs(&image.argv), &refs(&image.env));
        match errno as i32 {
            libc::ENOENT | libc::ENOTDIR => {}
            libc::EACCES => worst = libc::EACCES,
            other => return other,
        }
    }
    worst
}

fn refs(list: &[CString]) -> Vec<&CStr> {
    list.iter().map(CString::as_c_str).collect()
}
