//! The system calls that a command in the room may not make.
//!
//! A list of what is refused rather than of what is allowed: agents bring
//! whole language runtimes, and the walls are the namespaces. The filter takes
//! away what reaches around them (`AF_VSOCK`), what attacks init (`ptrace`),
//! and the parts of the kernel with the longest record of holes.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, sock_filter,
};

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Never needed by an honest agent; answered with `EPERM`.
const REFUSED: &[i64] = &[
    // Other processes' memory and descriptors.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // Mounts and namespaces.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_setns,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_mount_setattr,
    // Files by handle, past every path.
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    // Kernel interfaces with a long record of holes.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_memfd_secret,
    // The machine itself.
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_acct,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_syslog,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_vhangup,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_kexec_file_load,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
];

/// The first number after the calls of Linux 6.18. Since 5.1 all architectures
/// number new calls alike (`scripts/syscall.tbl` of the kernel).
const FIRST_UNKNOWN: u32 = 470;

/// `open_tree_attr(2)`, which the C library's table lacks.
const NEWEST: [i64; 1] = [467];

/// Every kind of namespace. `CLONE_NEWTIME` shares its bit with the exit
/// signal of `clone` and is refused for `unshare` only.
const NAMESPACES: [libc::c_int; 7] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];
const CLONE_NEWTIME: u64 = 0x80;

/// Calls that name a process, and which argument does. Init belongs to the
/// same user as the command, so the kernel alone would let them through.
const ABOUT_INIT: [(i64, u8); 7] = [
    (libc::SYS_prlimit64, 0),
    (libc::SYS_sched_setaffinity, 0),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setattr, 0),
    (libc::SYS_setpriority, 1),
    (libc::SYS_ioprio_set, 1),
];

const FAMILIES: [libc::c_int; 4] = [
    libc::AF_UNIX,
    libc::AF_INET,
    libc::AF_INET6,
    libc::AF_NETLINK,
];
/// Address lists and socket statistics; what is left reaches parts of the
/// kernel that no ordinary program asks.
const NETLINK_PROTOCOLS: [libc::c_int; 2] = [libc::NETLINK_ROUTE, libc::NETLINK_SOCK_DIAG];

/// The programs to load, in order.
pub(super) fn programs() -> Result<Vec<BpfProgram>, seccompiler::Error> {
    let mut programs = vec![
        compile(refused()?, libc::EPERM)?,
        compile(addresses()?, libc::EAFNOSUPPORT)?,
        // Its flags are in memory, where no filter can look. Libraries fall
        // back to `clone` on this answer, and only on this one.
        compile(Rules::from([(libc::SYS_clone3, vec![])]), libc::ENOSYS)?,
    ];
    programs.push(without_unknown_calls());
    Ok(programs)
}

fn compile(rules: Rules, errno: libc::c_int) -> Result<BpfProgram, seccompiler::Error> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let answer = SeccompAction::Errno(errno.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, answer, arch)?;
    Ok(filter.try_into()?)
}

fn refused() -> Result<Rules, seccompiler::Error> {
    let mut rules: Rules = REFUSED
        .iter()
        .chain(&NEWEST)
        .map(|&call| (call, vec![]))
        .collect();
    let namespaces = NAMESPACES
        .iter()
        .map(|&flag| has_bits(0, u64::from(flag.unsigned_abs())))
        .collect::<Result<Vec<_>, _>>()?;
    let mut unshare = namespaces.clone();
    unshare.push(has_bits(0, CLONE_NEWTIME)?);
    rules.insert(libc::SYS_clone, namespaces);
    rules.insert(libc::SYS_unshare, unshare);
    // Both push bytes into a terminal's input, as if someone had typed them.
    rules.insert(
        libc::SYS_ioctl,
        vec![
            all([equals(1, libc::TIOCSTI)?])?,
            all([equals(1, libc::TIOCLINUX)?])?,
        ],
    );
    for (call, argument) in ABOUT_INIT {
        rules.insert(call, vec![all([equals(argument, 1u64)?])?]);
    }
    Ok(rules)
}

fn addresses() -> Result<Rules, seccompiler::Error> {
    let differs = |argument, value: libc::c_int| condition(argument, SeccompCmpOp::Ne, value);
    let others = FAMILIES
        .iter()
        .map(|&family| differs(0, family))
        .collect::<Result<_, _>>()?;
    let mut netlink = vec![equals(0, libc::AF_NETLINK)?];
    for protocol in NETLINK_PROTOCOLS {
        netlink.push(differs(2, protocol)?);
    }
    Ok(Rules::from([
        (
            libc::SYS_socket,
            vec![SeccompRule::new(others)?, SeccompRule::new(netlink)?],
        ),
        (
            libc::SYS_socketpair,
            vec![all([differs(0, libc::AF_UNIX)?])?],
        ),
    ]))
}

/// Calls that are newer than this list do not exist in a room, whatever kernel
/// it is on. Nor does the second number that every call has on `x86_64`, for
/// the x32 ABI, which a list by number would miss and nobody builds for.
fn without_unknown_calls() -> BpfProgram {
    let statement = |code: u32, k: u32| instruction(code, 0, 0, k);
    vec![
        // Offset 0 of `struct seccomp_data` is the number of the call.
        statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0),
        instruction(
            libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K,
            0,
            1,
            FIRST_UNKNOWN,
        ),
        statement(
            libc::BPF_RET | libc::BPF_K,
            libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs(),
        ),
        statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW),
    ]
}

fn instruction(code: u32, jt: u8, jf: u8, k: u32) -> sock_filter {
    // Codes are below 256 by the definition of classic BPF.
    sock_filter {
        code: u16::try_from(code).unwrap_or(u16::MAX),
        jt,
        jf,
        k,
    }
}

/// A value that a system call takes as an `int` or `unsigned int`.
trait Word {
    fn word(self) -> u64;
}

impl Word for libc::c_int {
    fn word(self) -> u64 {
        u64::from(self.cast_unsigned())
    }
}

impl Word for u64 {
    fn word(self) -> u64 {
        self
    }
}

fn condition(
    argument: u8,
    op: SeccompCmpOp,
    value: impl Word,
) -> Result<SeccompCondition, seccompiler::Error> {
    // The kernel reads these arguments as 32 bits; comparing 64 would let a
    // caller through that sets the upper half.
    Ok(SeccompCondition::new(
        argument,
        SeccompCmpArgLen::Dword,
        op,
        value.word(),
    )?)
}

fn equals(argument: u8, value: impl Word) -> Result<SeccompCondition, seccompiler::Error> {
    condition(argument, SeccompCmpOp::Eq, value)
}

fn has_bits(argument: u8, bits: u64) -> Result<SeccompRule, seccompiler::Error> {
    all([condition(argument, SeccompCmpOp::MaskedEq(bits), bits)?])
}

fn all<const N: usize>(
    conditions: [SeccompCondition; N],
) -> Result<SeccompRule, seccompiler::Error> {
    Ok(SeccompRule::new(conditions.into())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_compile_and_are_short_enough_for_the_kernel() {
        for program in programs().unwrap() {
            assert!(!program.is_empty() && program.len() < 4096);
        }
    }

    /// Runs a program of the three kinds of instruction that it is made of.
    fn answer(program: &[sock_filter], call: u32) -> u32 {
        let mut at = 0;
        loop {
            let instruction = &program[at];
            at += 1;
            match u32::from(instruction.code) {
                code if code == libc::BPF_RET | libc::BPF_K => return instruction.k,
                code if code == libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K => {
                    let taken = call >= instruction.k;
                    at += usize::from(if taken {
                        instruction.jt
                    } else {
                        instruction.jf
                    });
                }
                code => {
                    assert_eq!(code, libc::BPF_LD | libc::BPF_W | libc::BPF_ABS);
                    assert_eq!(instruction.k, 0);
                }
            }
        }
    }

    #[test]
    fn calls_of_other_tables_and_newer_kernels_do_not_exist() {
        let refused = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs();
        let program = without_unknown_calls();
        for (call, expected) in [
            (0, libc::SECCOMP_RET_ALLOW),
            (469, libc::SECCOMP_RET_ALLOW),
            (470, refused),
            (0x4000_0000, refused),
            (0x4000_0209, refused),
            (u32::MAX, refused),
        ] {
            assert_eq!(answer(&program, call), expected, "{call:#x}");
        }
    }
}
