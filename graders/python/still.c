/* Makes a program see the same machine every time: one fixed clock, one fixed
 * source of randomness, directories in order of name, and files whose times
 * and numbers say nothing. Preloaded while the Python grader is built, because
 * the builder keeps a snapshot of a running interpreter, and all of these leave
 * traces in its memory.
 *
 * Libraries that make their system calls themselves cannot be overridden by
 * name, so a filter hands those calls to a signal handler of this library. The
 * handler's own calls carry a mark in the sixth argument, which none of them
 * uses. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define MARK 0x5052u
#define EPOCH 1577836800 /* 2020-01-01T00:00:00Z */

static long call(long number, long a, long b, long c, long d, long e)
{
	long result;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = MARK;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

/* Randomness and clock --------------------------------------------------- */

static long fill(unsigned char *to, size_t length)
{
	for (size_t i = 0; i < length; i++)
		to[i] = (unsigned char)(i * 73 + 41);
	return (long)length;
}

static int still(struct timespec *to)
{
	to->tv_sec = EPOCH;
	to->tv_nsec = 0;
	return 0;
}

int clock_gettime(clockid_t id, struct timespec *to)
{
	(void)id;
	return still(to);
}

/* Files ------------------------------------------------------------------ */

/* Numbers in the order in which files are first seen: they still tell files
 * apart. */
#define FILES 65536
static struct { uint64_t device, number; } seen[FILES];
static unsigned seen_count;
static int seen_lock;

static uint64_t rename_file(uint64_t device, uint64_t number)
{
	while (__atomic_exchange_n(&seen_lock, 1, __ATOMIC_ACQUIRE))
		;
	unsigned at = 0;
	while (at < seen_count && (seen[at].device != device || seen[at].number != number))
		at++;
	if (at == seen_count && seen_count < FILES) {
		seen[at].device = device;
		seen[at].number = number;
		seen_count++;
	}
	__atomic_store_n(&seen_lock, 0, __ATOMIC_RELEASE);
	return at + 1;
}

static void still_statx(struct statx *s)
{
	struct statx_timestamp never = { .tv_sec = EPOCH };
	s->stx_ino = rename_file((uint64_t)s->stx_dev_major << 32 | s->stx_dev_minor, s->stx_ino);
	s->stx_dev_major = 0;
	s->stx_dev_minor = 1;
	s->stx_uid = s->stx_gid = 0;
	s->stx_blocks = (s->stx_size + 511) / 512;
	s->stx_blksize = 4096;
	s->stx_attributes = s->stx_attributes_mask = 0;
	s->stx_mnt_id = 1;
	s->stx_atime = s->stx_btime = s->stx_ctime = s->stx_mtime = never;
	if (S_ISDIR(s->stx_mode)) {
		s->stx_size = 4096;
		s->stx_nlink = 2;
	}
}

static void still_stat(struct stat *s)
{
	struct timespec never = { .tv_sec = EPOCH };
	s->st_ino = rename_file(s->st_dev, s->st_ino);
	s->st_dev = 1;
	s->st_uid = s->st_gid = 0;
	s->st_blocks = (s->st_size + 511) / 512;
	s->st_blksize = 4096;
	s->st_atim = s->st_mtim = s->st_ctim = never;
	if (S_ISDIR(s->st_mode)) {
		s->st_size = 4096;
		s->st_nlink = 2;
	}
}

/* Directories ------------------------------------------------------------ */

struct entry {
	uint64_t number;
	int64_t offset;
	unsigned short length;
	unsigned char kind;
	char name[];
};

#define LISTING (4 << 20)
#define ENTRIES 65536
static char listing[LISTING];
static struct entry *sorted[ENTRIES];
static int listing_fd = -1;
static long listed, given;

static int by_name(const void *a, const void *b)
{
	return strcmp((*(struct entry *const *)a)->name, (*(struct entry *const *)b)->name);
}

static void sort_entries(void)
{
	/* Insertion by halves: no allocation inside a signal handler. */
	for (long i = 1; i < listed; i++) {
		struct entry *one = sorted[i];
		long low = 0, high = i;
		while (low < high) {
			long middle = (low + high) / 2;
			if (by_name(&one, &sorted[middle]) < 0)
				high = middle;
			else
				low = middle + 1;
		}
		memmove(&sorted[low + 1], &sorted[low], (size_t)(i - low) * sizeof *sorted);
		sorted[low] = one;
	}
}

/* One directory is read at a time, from its beginning to its end. */
static long list(int fd, char *to, unsigned long room)
{
	if (fd != listing_fd) {
		long used = 0, more;
		listed = given = 0;
		while ((more = call(SYS_getdents64, fd, (long)(listing + used), LISTING - used, 0, 0)) > 0) {
			for (long at = used; at < used + more && listed < ENTRIES;) {
				struct entry *one = (struct entry *)(listing + at);
				sorted[listed++] = one;
				at += one->length;
			}
			used += more;
		}
		if (more < 0)
			return more;
		sort_entries();
		listing_fd = fd;
	}
	long filled = 0;
	while (given < listed && (unsigned long)filled + sorted[given]->length <= room) {
		struct entry *one = sorted[given++];
		one->offset = given;
		one->number = (uint64_t)given;
		memcpy(to + filled, one, one->length);
		filled += one->length;
	}
	if (filled == 0)
		listing_fd = -1;
	return filled;
}

/* The filter ------------------------------------------------------------- */

static void answer(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	long number = info->si_syscall, result;
	if (number == SYS_getrandom) {
		result = fill((unsigned char *)r[REG_RDI], (size_t)r[REG_RSI]);
	} else if (number == SYS_clock_gettime) {
		result = still((struct timespec *)r[REG_RSI]);
	} else if (number == SYS_getdents64) {
		result = list((int)r[REG_RDI], (char *)r[REG_RSI], (unsigned long)r[REG_RDX]);
	} else {
		result = call(number, r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8]);
		if (result == 0 && number == SYS_statx)
			still_statx((struct statx *)r[REG_R8]);
		else if (result == 0 && number == SYS_newfstatat)
			still_stat((struct stat *)r[REG_RDX]);
		else if (result == 0)
			still_stat((struct stat *)r[REG_RSI]);
	}
	r[REG_RAX] = result;
}

#define TRAP(n) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (n), 1, 0)

__attribute__((constructor)) static void begin(void)
{
	struct sigaction action = { .sa_sigaction = answer, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK };
	static const int trapped[] = { SYS_statx, SYS_newfstatat, SYS_fstat, SYS_stat, SYS_lstat,
				       SYS_getdents64, SYS_getrandom, SYS_clock_gettime };
	enum { COUNT = sizeof trapped / sizeof *trapped };
	struct sock_filter code[COUNT + 6];
	int at = 0;
	code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[5]));
	code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MARK, COUNT + 1, 0);
	code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (int i = 0; i < COUNT; i++)
		code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)trapped[i],
							  (unsigned char)(COUNT - i), 0);
	code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
	struct sock_fprog program = { .len = (unsigned short)at, .filter = code };
	if (sigaction(SIGSYS, &action, NULL) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		_exit(125);
}
