package sandbox

import (
	"fmt"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// deniedCalls are the calls of the kernel that no tool needs and that have been the way out of many a sandbox.
var deniedCalls = []uint32{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_FSOPEN,
	unix.SYS_FSMOUNT, unix.SYS_FSCONFIG, unix.SYS_MOUNT_SETATTR, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT,
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_REBOOT,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_SYSLOG, unix.SYS_VHANGUP,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
	unix.SYS_TRUNCATE, // by name; Landlock restricts it from version 3 on only
	unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR,
}

// deniedByName change modes, owners and times of any file that the user owns. Landlock leaves them alone; where there is no
// read-only view of the machine they are refused.
var deniedByName = append([]uint32{unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWNAT}, archByName...)

const (
	allow   = unix.SECCOMP_RET_ALLOW
	refuse  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	unknown = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	kill    = unix.SECCOMP_RET_KILL_PROCESS

	offCall = 0  // of the number of the call, in struct seccomp_data
	offArch = 4  // of the architecture
	offArg0 = 16 // of the low half of the first argument
	offArg1 = 24 // of the second argument, both halves
)

// filterCalls puts a seccomp filter on this thread: the calls above are refused, and so is every socket but those that
// the job may have, so that without a network namespace there is no network either. Landlock does not look at who connects
// to a socket in the file system: without this a program could have any service of the machine act for it.
func filterCalls(s spec) error {
	denied := deniedCalls
	if !s.Namespaces {
		denied = slices.Concat(deniedCalls, deniedByName)
	}
	prog := filter(denied, !s.Namespaces, s.families())
	f := unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]} //nolint:gosec // a handful of instructions
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&f)))
	if errno != 0 {
		return fmt.Errorf("filter the calls of the kernel: %w", errno)
	}
	return nil
}

// families are the kinds of sockets that the job may have.
func (s spec) families() (all []uint32) {
	if s.Services {
		all = append(all, unix.AF_UNIX)
	}
	if s.Machine {
		all = append(all, unix.AF_NETLINK) // how the kernel tells of its network
	}
	return all
}

func filter(denied []uint32, noTimes bool, families []uint32) []unix.SockFilter {
	p := []unix.SockFilter{
		load(offArch), ifNot(auditArch), answer(kill), // numbers mean something else on another architecture
		load(offCall),
		{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, K: 0x40000000, Jf: 1},
		answer(refuse),                          // the x32 numbers
		ifNot(unix.SYS_CLONE3), answer(unknown), // its flags cannot be looked at; libc falls back to clone
	}
	p[1].Jt, p[1].Jf = 1, 0
	p[6].Jt, p[6].Jf = 0, 1
	for _, n := range denied {
		p = append(p, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: n, Jf: 1}, answer(refuse))
	}
	if noTimes { // utimensat: only of an open file, that is with no name
		p = append(p,
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_UTIMENSAT, Jf: 6},
			load(offArg1),
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: 0, Jf: 2},
			load(offArg1+4),
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: 0, Jt: 1}, answer(refuse), answer(allow))
	}
	p = append(p, // clone: no new user namespace
		unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_CLONE, Jf: 4},
		load(offArg0),
		unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: unix.CLONE_NEWUSER, Jf: 1}, answer(refuse), answer(allow))
	left := uint8(len(families)) //nolint:gosec // two at most
	p = append(p, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_SOCKET, Jf: left + 2}, load(offArg0))
	for _, f := range families {
		p = append(p, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: f, Jt: left})
		left--
	}
	return append(p, answer(refuse), answer(allow))
}

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func ifNot(k uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: k}
}

func answer(k uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k}
}
