// Writes to pages are tracked by asynchronous write protection (userfaultfd, and the ioctl PAGEMAP_SCAN of Linux 6.7). A system that lacks
// it, or refuses it, makes restores compare all. mprotect is no alternative: system calls would fail that write to protected memory.

package runtime

import (
	"internal/runtime/syscall/linux"
	"unsafe"
)

// macemcTracker has the descriptor of /proc/self/pagemap.
type macemcTracker struct {
	pagemap uintptr
	vec     [128][3]uint64
}

// Numbers of the system's interface, of linux/userfaultfd.h and linux/fs.h.
const (
	macemcSysIoctl       = 16
	macemcSysUserfaultfd = 323
	macemcUserModeOnly   = 1
	macemcUffdAPI        = 0xc018aa3f
	macemcUffdRegister   = 0xc020aa00
	macemcUffdFeatures   = 1<<15 | 1<<13 | 1 // UFFD_FEATURE_WP_ASYNC, WP_UNPOPULATED, PAGEFAULT_FLAG_WP
	macemcRegisterWP     = 2
	macemcPagemapScan    = 0xc0606610
	macemcScanProtects   = 1 | 2 // PM_SCAN_WP_MATCHING, PM_SCAN_CHECK_WPASYNC
	macemcPageWritten    = 1 << 1
	macemcFirstFree      = 101 // above the descriptors that tests get
)

// macemcScan is struct pm_scan_arg.
type macemcScan struct {
	size, flags, from, to, end, vec, room, most, inverted, all, any, result uint64
}

// begin begins to track ranges, and reports whether the system does.
func (t *macemcTracker) begin(list []macemcPageRange) bool {
	if GOARCH != "amd64" || physPageSize != 4096 {
		return false
	}
	fd, _, e := linux.Syscall6(macemcSysUserfaultfd, macemcUserModeOnly|_O_CLOEXEC, 0, 0, 0, 0, 0)
	if e != 0 {
		return false
	}
	fd = macemcDescriptor(fd)
	api := [3]uint64{0xaa, macemcUffdFeatures, 0}
	if _, _, e = linux.Syscall6(macemcSysIoctl, fd, macemcUffdAPI, uintptr(unsafe.Pointer(&api)), 0, 0, 0); e != 0 {
		return false
	}
	path := [...]byte{'/', 'p', 'r', 'o', 'c', '/', 's', 'e', 'l', 'f', '/', 'p', 'a', 'g', 'e', 'm', 'a', 'p', 0}
	pagemap := open(&path[0], _O_RDONLY|_O_CLOEXEC, 0)
	if pagemap < 0 {
		return false
	}
	t.pagemap = macemcDescriptor(uintptr(pagemap))
	for i := range list {
		r := &list[i]
		if !r.tracked {
			continue
		}
		register := [4]uint64{uint64(r.from), uint64(r.to - r.from), macemcRegisterWP, 0}
		if _, _, e = linux.Syscall6(macemcSysIoctl, fd, macemcUffdRegister, uintptr(unsafe.Pointer(&register)), 0, 0, 0); e != 0 {
			return false
		}
		if !t.written(r.from, r.to, func(_, _ uintptr) {}) {
			return false
		}
	}
	return true
}

// macemcDescriptor replaces a descriptor by one above those that tests get.
func macemcDescriptor(fd uintptr) uintptr {
	high, _, e := linux.Syscall6(linux.SYS_FCNTL, fd, 1030, macemcFirstFree, 0, 0, 0) // F_DUPFD_CLOEXEC
	if e != 0 {
		return fd
	}
	closefd(int32(fd))
	return high
}

// written calls f for the ranges of pages that were written since the last call. It returns false if they are not known.
func (t *macemcTracker) written(from, to uintptr, f func(from, to uintptr)) bool {
	for from < to {
		a := macemcScan{size: uint64(unsafe.Sizeof(macemcScan{})), flags: macemcScanProtects, from: uint64(from), to: uint64(to),
			vec: uint64(uintptr(unsafe.Pointer(&t.vec))), room: uint64(len(t.vec)), all: macemcPageWritten, result: macemcPageWritten}
		n, _, e := linux.Syscall6(macemcSysIoctl, t.pagemap, macemcPagemapScan, uintptr(unsafe.Pointer(&a)), 0, 0, 0)
		if e != 0 || uintptr(a.end) <= from {
			return false
		}
		for i := range n {
			f(uintptr(t.vec[i][0]), uintptr(t.vec[i][1]))
		}
		from = uintptr(a.end)
	}
	return true
}
