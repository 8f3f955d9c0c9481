//go:build amd64 || arm64 || riscv64

package script

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"slices"

	"golang.org/x/sys/unix"
)

// denied are the system calls that no script needs and that lead out of a
// sandbox, or past its limits, where the kernel has a hole. They fail with
// EPERM, and socket with EACCES: there is nobody to talk to, and a socket in
// the project's folder would be reached even though that is read-only.
var denied = []uint32{
	// other processes' memory and descriptors
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
	// the kernel's larger interfaces
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER,
	unix.SYS_IO_URING_REGISTER, unix.SYS_FANOTIFY_INIT, unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	// namespaces and mounts
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT,
	unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK,
	unix.SYS_MOUNT_SETATTR, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT,
	// the machine
	unix.SYS_REBOOT, unix.SYS_KEXEC_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_SYSLOG, unix.SYS_VHANGUP,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME,
	unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
	// memory that no limit of a process counts
	unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET, unix.SYS_SHMGET, unix.SYS_MSGGET, unix.SYS_SEMGET,
}

// newNamespaces are the flags of clone that make namespaces.
const newNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// architectures are the kernel's names of the processors of this file, all of
// them little-endian.
var architectures = map[string]uint32{
	"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64, "riscv64": unix.AUDIT_ARCH_RISCV64,
}

// Offsets in what a filter sees, struct seccomp_data.
const (
	offsetNumber       = 0
	offsetArchitecture = 4
	offsetFirstArg     = 16
)

// filter is the program for bwrap --seccomp.
func filter() []byte {
	arch := architectures[runtime.GOARCH]
	var program []unix.SockFilter
	add := func(code uint16, k uint32, jt, jf uint8) {
		program = append(program, unix.SockFilter{Code: code, Jt: jt, Jf: jf, K: k})
	}
	const load, equal, set, atLeast, give = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K,
		unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, unix.BPF_RET | unix.BPF_K
	refuse := func(number uint32, errno unix.Errno) {
		add(equal, number, 0, 1)
		add(give, unix.SECCOMP_RET_ERRNO|uint32(errno), 0, 0)
	}
	// Calls in another architecture's way have other numbers.
	add(load, offsetArchitecture, 0, 0)
	add(equal, arch, 1, 0)
	add(give, unix.SECCOMP_RET_KILL_PROCESS, 0, 0)
	add(load, offsetNumber, 0, 0)
	if runtime.GOARCH == "amd64" {
		const x32 = 0x40000000 // set in the numbers of the third way
		add(atLeast, x32, 0, 1)
		add(give, unix.SECCOMP_RET_ERRNO|uint32(unix.EPERM), 0, 0)
	}
	for _, number := range slices.Sorted(slices.Values(denied)) {
		refuse(number, unix.EPERM)
	}
	refuse(unix.SYS_SOCKET, unix.EACCES)
	// The flags of clone3 lie in memory: who is told that it is not there takes
	// clone.
	refuse(unix.SYS_CLONE3, unix.ENOSYS)
	add(equal, unix.SYS_CLONE, 0, 3)
	add(load, offsetFirstArg, 0, 0)
	add(set, newNamespaces, 0, 1)
	add(give, unix.SECCOMP_RET_ERRNO|uint32(unix.EPERM), 0, 0)
	add(give, unix.SECCOMP_RET_ALLOW, 0, 0)
	var out bytes.Buffer
	_ = binary.Write(&out, binary.LittleEndian, program) // a buffer takes everything
	return out.Bytes()
}
