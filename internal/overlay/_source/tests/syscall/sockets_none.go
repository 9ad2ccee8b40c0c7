//go:build linux && (386 || s390x)

// These systems have one system call for all operations on sockets, which the simulation does not execute.

package syscall

func macemcIsSocket(trap, s, a2, a3 uintptr) bool { return false }

func macemcCallSocket(trap uintptr, p macemcArguments) (r1, r2 uintptr, err Errno) {
	return 0, 0, ENOSYS
}
