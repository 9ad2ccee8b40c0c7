// Writes to pages are tracked by asynchronous write protection (userfaultfd, and the ioctl PAGEMAP_SCAN of Linux 6.7). A system that lacks
// it, or refuses it, makes restores compare all. mprotect is no alternative: system calls would fail that write to protected memory.

package runtime

import (
	"internal/runtime/syscall/linux"
	"unsafe"
)

// macemcTracker has descriptors: of the userfaultfd, and of /proc/self/pagemap.
type macemcTracker struct {
	faults, pagemap uintptr
	vec             [128][3]uint64
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
	macemcScanProtects   = 1 // PM_SCAN_WP_MATCHING
	macemcScanChecks     = 2 // PM_SCAN_CHECK_WPASYNC: refuses pages that are not registered
	macemcPageWritten    = 1 << 1
	macemcFirstFree      = 101 // above the descriptors that tests get
)

// macemcScan is struct pm_scan_arg, and the number of elements of vec that are set.
type macemcScan struct {
	size, flags, from, to, end, vec, room, most, inverted, all, any, result uint64

	found uintptr
}

// open prepares the tracking of writes, and reports whether the system supports it.
func (t *macemcTracker) open() bool {
	if GOARCH != "amd64" || physPageSize != 4096 {
		return false
	}
	fd, _, e := linux.Syscall6(macemcSysUserfaultfd, macemcUserModeOnly|_O_CLOEXEC, 0, 0, 0, 0, 0)
	if e != 0 {
		return false
	}
	t.faults = macemcDescriptor(fd)
	api := [3]uint64{0xaa, macemcUffdFeatures, 0}
	if _, _, e = linux.Syscall6(macemcSysIoctl, t.faults, macemcUffdAPI, uintptr(unsafe.Pointer(&api)), 0, 0, 0); e != 0 {
		return false
	}
	path := [...]byte{'/', 'p', 'r', 'o', 'c', '/', 's', 'e', 'l', 'f', '/', 'p', 'a', 'g', 'e', 'm', 'a', 'p', 0}
	pagemap := open(&path[0], _O_RDONLY|_O_CLOEXEC, 0)
	if pagemap < 0 {
		return false
	}
	t.pagemap = macemcDescriptor(uintptr(pagemap))
	return true
}

// register makes it possible to protect pages.
func (t *macemcTracker) register(from, to uintptr) bool {
	arg := [4]uint64{uint64(from), uint64(to - from), macemcRegisterWP, 0}
	_, _, e := linux.Syscall6(macemcSysIoctl, t.faults, macemcUffdRegister, uintptr(unsafe.Pointer(&arg)), 0, 0, 0)
	return e == 0
}

// protect makes pages count as unwritten until the next write.
func (t *macemcTracker) protect(from, to uintptr) bool {
	a := macemcScan{flags: macemcScanProtects | macemcScanChecks, from: uint64(from), to: uint64(to), all: macemcPageWritten}
	return t.scan(&a) && a.end == a.to
}

// written calls f for the ranges of written pages until it returns false. It returns false if it has not called f for all.
func (t *macemcTracker) written(from, to uintptr, f func(from, to uintptr) bool) bool {
	for from < to {
		a := macemcScan{flags: macemcScanChecks, from: uint64(from), to: uint64(to), vec: uint64(uintptr(unsafe.Pointer(&t.vec))),
			room: uint64(len(t.vec)), all: macemcPageWritten, result: macemcPageWritten}
		if !t.scan(&a) || uintptr(a.end) <= from {
			return false
		}
		for i := range a.found {
			if !f(uintptr(t.vec[i][0]), uintptr(t.vec[i][1])) {
				return false
			}
		}
		from = uintptr(a.end)
	}
	return true
}

func (t *macemcTracker) scan(a *macemcScan) bool {
	a.size = uint64(unsafe.Offsetof(a.found))
	n, _, e := linux.Syscall6(macemcSysIoctl, t.pagemap, macemcPagemapScan, uintptr(unsafe.Pointer(a)), 0, 0, 0)
	a.found = n
	return e == 0
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
