// System calls on files of a node.

package syscall

import "runtime"

// macemcOfNode executes a system call of a goroutine of a node, with arguments as in macemcArguments. Package bubble provides it.
var macemcOfNode func(trap uintptr, args [6]uintptr, onStack uint8) (uintptr, Errno)

// macemcAlways is the set of system calls that macemcOfNode executes whatever their arguments are.
var macemcAlways [8]uint64

// macemcPassing means that macemcOfNode makes a system call of the machine.
var macemcPassing bool

// macemcOwns reports whether macemcOfNode executes a system call. The first argument may be a descriptor of a file on the simulated disk of
// the calling goroutine's node. macemcOwns must not grow the stack, to which arguments may point.
//
//go:nosplit
//go:norace
func macemcOwns(trap, fd uintptr) bool {
	if !macemcInNode() || macemcPassing {
		return false
	}
	if trap < 512 && macemcAlways[trap/64]>>(trap%64)&1 == 1 {
		return true
	}
	if fd>>20 != 1<<10 {
		return false
	}
	switch trap {
	case SYS_MMAP, SYS_MUNMAP, SYS_MPROTECT, SYS_MADVISE, SYS_MSYNC, SYS_MINCORE, SYS_MLOCK, SYS_MUNLOCK: // it is an address
		return false
	}
	return true
}

//go:nosplit
//go:norace
func macemcCall(trap, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2 uintptr, err Errno) {
	p := macemcHold(a1, a2, a3, a4, a5, a6)
	if r1, err = macemcOfNode(trap, p.a, p.onStack); err != 0 {
		return r1, 0, err
	}
	switch runtime.GOARCH { // the register of the second result keeps an argument, which some programs read
	case "amd64":
		r2 = a3
	case "arm64":
		r2 = a2
	}
	return r1, r2, err
}

// macemc_systemCall makes a system call of the machine with arguments of macemcOfNode.
//
//go:nosplit
//go:norace
func macemc_systemCall(trap uintptr, args [6]uintptr, onStack uint8) (uintptr, Errno) {
	_, to := macemcStackBounds()
	for i := range args {
		if onStack>>i&1 == 1 {
			args[i] = to - args[i]
		}
	}
	macemcPassing = true
	r1, _, err := RawSyscall6(trap, args[0], args[1], args[2], args[3], args[4], args[5])
	macemcPassing = false
	return r1, err
}

func macemc_intercept(always [8]uint64, call func(trap uintptr, args [6]uintptr, onStack uint8) (uintptr, Errno)) {
	macemcAlways, macemcOfNode = always, call
}
