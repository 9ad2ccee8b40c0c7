// System calls that send a signal to a run, let time pass in it, read its clock, or map memory that later runs would see.

package syscall

import (
	"runtime"
	"unsafe"
)

//go:linkname macemcRaise runtime.macemcRaise
func macemcRaise(sig uint32) bool

//go:linkname macemcSleep runtime.macemcSleep
func macemcSleep(ns int64)

//go:linkname macemcClocks runtime.macemcClocks
func macemcClocks() (wall, mono int64)

//go:linkname macemcMap runtime.macemcMap
func macemcMap(from, size uintptr, prot, flags uint32)

//go:linkname macemcUnmap runtime.macemcUnmap
func macemcUnmap(from, size uintptr) bool

//go:linkname macemcProtect runtime.macemcProtect
func macemcProtect(from, size uintptr, prot uint32)

//go:linkname macemcMapped runtime.macemcMapped
func macemcMapped(from, size uintptr) (flags uint32, before bool)

// macemcPidfdSendSignal is the number of a system call that this package lacks. Mips has other numbers.
const macemcPidfdSendSignal = 424

// macemcMaps means that the arguments of SYS_MMAP are those of mmap. On other processors they are an address.
const macemcMaps = unsafe.Sizeof(uintptr(0)) == 8 && runtime.GOARCH != "s390x"

// macemcIntercepts reports whether macemcIntercept executes a system call. Neither of them grows the stack before arguments are used that
// may point to it.
//
//go:nosplit
//go:norace
func macemcIntercepts(trap uintptr) bool {
	if macemcInNode() {
		return false
	}
	switch trap {
	case SYS_KILL, SYS_TKILL, SYS_TGKILL, SYS_RT_SIGQUEUEINFO, macemcPidfdSendSignal, SYS_EXECVE, SYS_SETITIMER, SYS_TIMER_CREATE,
		SYS_RT_SIGACTION, SYS_SIGNALFD4, SYS_NANOSLEEP, SYS_CLOCK_NANOSLEEP, SYS_SCHED_YIELD,
		SYS_CLOCK_GETTIME, SYS_GETTIMEOFDAY:
		return true
	case SYS_MMAP, SYS_MUNMAP, SYS_MPROTECT, SYS_MREMAP:
		return macemcMaps
	}
	return false
}

// macemcIntercept executes a system call, or ends the run.
//
//go:nosplit
//go:norace
func macemcIntercept(trap, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2 uintptr, err Errno) {
	switch trap {
	case SYS_MMAP, SYS_MUNMAP, SYS_MPROTECT, SYS_MREMAP: // their arguments are addresses outside of stacks
		return macemcMemory(trap, a1, a2, a3, a4, a5, a6)
	case SYS_CLOCK_GETTIME:
		if macemcGetsTime(a1, *(*unsafe.Pointer)(unsafe.Pointer(&a2))) {
			return 0, 0, 0
		}
	case SYS_GETTIMEOFDAY:
		if a2 == 0 && macemcGetsTimeOfDay(*(**Timeval)(unsafe.Pointer(&a1))) {
			return 0, 0, 0
		}
	}
	if macemcTested() {
		switch trap {
		case SYS_KILL, SYS_TKILL, SYS_TGKILL, SYS_RT_SIGQUEUEINFO, macemcPidfdSendSignal:
			if macemcSends(trap, a1, a2, a3) {
				return 0, 0, 0
			}
		case SYS_NANOSLEEP:
			if macemcSleeps(a1, 0) {
				return 0, 0, 0
			}
		case SYS_CLOCK_NANOSLEEP:
			from, ok := int64(0), a2 == 0
			if a2 == 1 { // an instant, not a duration
				from, ok = macemcTimeOf(a1)
			}
			if ok && macemcSleeps(a3, from) {
				return 0, 0, 0
			}
		case SYS_SCHED_YIELD:
			runtime.Gosched()
			return 0, 0, 0
		case SYS_EXECVE:
			macemcRefuse("it starts a process")
		case SYS_SETITIMER, SYS_TIMER_CREATE:
			macemcRefuse("it sets a timer of the system")
		case SYS_RT_SIGACTION, SYS_SIGNALFD4:
			macemcRefuse("it receives signals without package os/signal")
		}
	}
	return RawSyscall6(trap, a1, a2, a3, a4, a5, a6)
}

// macemcTimeOf reads a clock of the run, and reports whether it is one. Others measure the time of the processor.
func macemcTimeOf(clock uintptr) (now int64, ok bool) {
	const realtime, monotonic, raw, realtimeCoarse, monotonicCoarse, boottime = 0, 1, 4, 5, 6, 7
	wall, mono := macemcClocks()
	switch clock {
	case realtime, realtimeCoarse:
		return wall, wall != 0
	case monotonic, raw, monotonicCoarse, boottime:
		return mono, wall != 0
	}
	return 0, false
}

// macemcGetsTime writes a reading of a clock of the run, and reports whether it did.
func macemcGetsTime(clock uintptr, to unsafe.Pointer) bool {
	now, ok := macemcTimeOf(clock)
	if !ok || to == nil {
		return false
	}
	*(*Timespec)(to) = NsecToTimespec(now)
	return true
}

// macemcTimeOfDay is gettimeofday where that is in assembly.
func macemcTimeOfDay(tv *Timeval) Errno {
	_, _, err := RawSyscall(SYS_GETTIMEOFDAY, uintptr(unsafe.Pointer(tv)), 0, 0)
	return err
}

func macemcGetsTimeOfDay(to *Timeval) bool {
	now, _ := macemcClocks()
	if now == 0 || to == nil {
		return false
	}
	*to = NsecToTimeval(now)
	return true
}

// macemcSleeps lets the time of the run pass, from an instant to the one at an address, and reports whether that is valid.
//
//go:nosplit
//go:norace
//go:nocheckptr
func macemcSleeps(at uintptr, from int64) bool {
	if at == 0 {
		return false
	}
	t := **(**Timespec)(unsafe.Pointer(&at))
	if t.Sec < 0 || t.Nsec < 0 || t.Nsec >= 1e9 {
		return false
	}
	macemcSleep(max(int64(t.Sec)*1e9+int64(t.Nsec)-from, 0))
	return true
}

// macemcSends simulates a system call that sends a signal, and reports whether it did. The system checks invalid ones, and those that only
// test whether a process exists.
//
//go:norace
func macemcSends(trap, to, sig, third uintptr) bool {
	if trap == SYS_TGKILL {
		sig = third
	}
	switch {
	case sig == 0 || sig > 64:
		return false
	case (trap == SYS_KILL || trap == SYS_TGKILL) && int(to) == Getpid():
		return macemcRaise(uint32(sig))
	}
	macemcRefuse("it sends a signal to another process")
	return false
}

// macemcMemory executes a system call that maps, unmaps, protects or moves memory, and registers the memory.
func macemcMemory(trap, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2 uintptr, err Errno) {
	flags, before := uint32(a4), false
	switch trap {
	case SYS_MMAP:
		if flags&MAP_FIXED != 0 {
			_, before = macemcMapped(a1, a2)
		}
	case SYS_MUNMAP:
		if macemcUnmap(a1, a2) {
			return 0, 0, 0
		}
	case SYS_MREMAP:
		flags, before = macemcMapped(a1, a2)
	}
	if before && macemcTested() {
		macemcRefuse("it moves memory that was mapped before the test")
	}
	if r1, r2, err = RawSyscall6(trap, a1, a2, a3, a4, a5, a6); err != 0 {
		return r1, r2, err
	}
	switch trap {
	case SYS_MMAP:
		macemcMap(r1, a2, uint32(a3), flags)
	case SYS_MPROTECT:
		macemcProtect(a1, a2, uint32(a3))
	case SYS_MREMAP:
		macemcUnmap(a1, a2)
		macemcMap(r1, a3, PROT_READ|PROT_WRITE, flags)
	}
	return r1, r2, err
}
