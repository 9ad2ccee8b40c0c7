// Changes of files that other processes of a test may use.

package syscall

import "unsafe"

// macemcAffected means that the process has changed such a file.
var macemcAffected bool

func macemc_testAffected() bool { return macemcAffected }

func macemc_testUnaffected(affected bool) { macemcAffected = affected }

// macemcAffects notes a system call that changes a file by a name that another process may use, too.
//
//go:nosplit
//go:norace
//go:nocheckptr
func macemcAffects(trap, a1, a2, a3, a4 uintptr) {
	const (
		renameat  = SYS_LINKAT - 1    // where package syscall uses it
		renameat2 = SYS_MKDIRAT + 242 // on the other processors
	)
	switch {
	case trap == SYS_OPENAT:
		if a3&(O_WRONLY|O_RDWR|O_CREAT|O_TRUNC) == 0 {
			return
		}
	case trap == SYS_UNLINKAT:
		if int(int32(a1)) != _AT_FDCWD { // os.RemoveAll tries to remove the folder first
			return
		}
	case trap == SYS_MKDIRAT, trap == SYS_MKNODAT:
	case trap == SYS_SYMLINKAT:
		a2 = a3
	case trap == SYS_LINKAT, trap == SYS_LINKAT+1, trap == renameat, trap == renameat2: // the number after that of linkat is renameat on some
		a2 = a4
	default:
		return
	}
	macemcAffected = macemcAffected || a2 != 0 && !macemcUnique(*(**[1 << 20]byte)(unsafe.Pointer(&a2)))
}

// macemcTemporary are the latest numbers in names of temporary files of this process, which package os creates only if they do not exist.
var macemcTemporary [1024]uint32

//go:linkname macemcNotesTemporary os.macemcTemporaryNumber
//go:norace
func macemcNotesTemporary(n uint32) { macemcTemporary[n%uint32(len(macemcTemporary))] = n }

// macemcUnique reports whether a path has such a number, or is that of a device. Other numbers, such as times, may be those of other
// processes.
//
//go:nosplit
//go:norace
func macemcUnique(path *[1 << 20]byte) bool {
	const least, most, devices = 7, 10, "/dev/"
	digits, device := 0, true
	for i := 0; path[i] != 0; i++ {
		if digits++; path[i] < '0' || path[i] > '9' {
			digits = 0
		}
		if device = device && (i >= len(devices) || path[i] == devices[i]); device && i >= len(devices) {
			return true
		}
		number, power := uint64(0), uint64(1)
		for k := 0; k < digits && k < most; k++ {
			number += uint64(path[i-k]-'0') * power
			power *= 10
			if k+1 >= least && number == uint64(macemcTemporary[number%uint64(len(macemcTemporary))]) {
				return true
			}
		}
	}
	return false
}
