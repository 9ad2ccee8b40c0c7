//go:build linux && (386 || s390x)

// These systems have one system call for all operations on sockets, which the simulation does not execute.

package syscall

type macemcArguments struct{}

func macemcIsSocket(trap, s, a2, a3 uintptr) bool { return false }

func macemcHold(a2, a3, a4, a5, a6 uintptr) (p macemcArguments) { return p }

func macemcCallSocket(trap, s uintptr, p macemcArguments) (r1, r2 uintptr, err Errno) {
	return 0, 0, ENOSYS
}
