// System calls that send a signal to a run, let time pass in it, wait, read its clock, or map memory that later runs would see.

package syscall

import (
	"internal/goarch"
	"internal/runtime/syscall/linux"
	"runtime"
	"unsafe"
)

func macemcRaise(sig uint32) bool
func macemcSleep(ns int64)
func macemcClocks() (wall, mono int64)
func macemcMap(from, size uintptr, prot, flags uint32)
func macemcUnmap(from, size uintptr) bool
func macemcProtect(from, size uintptr, prot uint32)
func macemcMapped(from, size uintptr) (flags uint32, before bool)

// Numbers of system calls that this package lacks, or has on some systems only. Mips has other numbers.
const (
	macemcPidfdSendSignal = 424
	macemcEpollPwait2     = 441
	macemcPoll            = 7*goarch.IsAmd64 + (1<<16)*(1-goarch.IsAmd64) // arm64 and others have ppoll only
	macemcSelect          = 23*goarch.IsAmd64 + (1<<16+1)*(1-goarch.IsAmd64)
	macemcTime            = 201*goarch.IsAmd64 + (1<<16+2)*(1-goarch.IsAmd64)
	macemcEpollWait       = 232*goarch.IsAmd64 + (1<<16+3)*(1-goarch.IsAmd64)
)

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
	case SYS_CLOCK_GETTIME, SYS_GETTIMEOFDAY, SYS_SYSINFO, macemcTime:
		return true
	case SYS_MMAP, SYS_MUNMAP, SYS_MPROTECT, SYS_MREMAP:
		return macemcMaps
	case SYS_KILL, SYS_TKILL, SYS_TGKILL, SYS_RT_SIGQUEUEINFO, macemcPidfdSendSignal, SYS_EXECVE, SYS_SETITIMER, SYS_TIMER_CREATE,
		SYS_RT_SIGACTION, SYS_SIGNALFD4, SYS_NANOSLEEP, SYS_CLOCK_NANOSLEEP, SYS_SCHED_YIELD, SYS_TIMERFD_CREATE, SYS_RT_SIGTIMEDWAIT,
		macemcSelect, SYS_PSELECT6, macemcPoll, SYS_PPOLL, macemcEpollWait, SYS_EPOLL_PWAIT, macemcEpollPwait2, SYS_FUTEX:
		return macemcTested()
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
	case SYS_CLOCK_GETTIME, SYS_GETTIMEOFDAY, SYS_SYSINFO, macemcTime:
		return macemcReadsClock(trap, a1, a2)
	case SYS_KILL, SYS_TKILL, SYS_TGKILL, SYS_RT_SIGQUEUEINFO, macemcPidfdSendSignal:
		if macemcSends(trap, a1, a2, a3) {
			return 0, 0, 0
		}
	case SYS_NANOSLEEP:
		if d, ok := macemcTimeAt(a1); ok {
			macemcSleep(d)
			return 0, 0, 0
		}
	case SYS_CLOCK_NANOSLEEP:
		d, ok := macemcTimeAt(a3)
		if from := int64(0); a2 != 0 && ok { // an instant, not a duration
			from, ok = macemcTimeOf(a1)
			d = max(d-from, 0)
		}
		if ok {
			macemcSleep(d)
			return 0, 0, 0
		}
	case SYS_SCHED_YIELD:
		runtime.Gosched()
		return 0, 0, 0
	case SYS_EXECVE:
		macemcRefuse("it starts a process")
	case SYS_SETITIMER, SYS_TIMER_CREATE, SYS_TIMERFD_CREATE:
		macemcRefuse("it sets a timer of the system")
	case SYS_RT_SIGACTION, SYS_SIGNALFD4, SYS_RT_SIGTIMEDWAIT:
		macemcRefuse("it receives signals without package os/signal")
	case macemcSelect, SYS_PSELECT6, macemcPoll, SYS_PPOLL, macemcEpollWait, SYS_EPOLL_PWAIT, macemcEpollPwait2:
		return macemcAwaits(trap, a1, a2, a3, a4, a5, a6)
	case SYS_FUTEX:
		const command, wake = 127, 1
		if a2&command != wake {
			macemcRefuse(macemcWaits)
		}
	}
	return macemcSystem(trap, a1, a2, a3, a4, a5, a6)
}

// macemcSystem makes a system call of the machine.
//
//go:uintptrkeepalive
//go:nosplit
//go:norace
func macemcSystem(trap, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2 uintptr, err Errno) {
	r1, r2, e := linux.Syscall6(trap, a1, a2, a3, a4, a5, a6)
	return r1, r2, Errno(e)
}

const macemcWaits = "it waits by a system call"

// macemcAwaits executes a system call that waits for descriptors, or ends the run if it has to wait.
//
//go:nosplit
//go:norace
func macemcAwaits(trap, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2 uintptr, err Errno) {
	var zero [2]int64 // a Timespec or a Timeval
	switch trap {
	case macemcSelect, SYS_PSELECT6:
		r1, r2, err = macemcSystem(trap, a1, a2, a3, a4, uintptr(unsafe.Pointer(&zero)), a6)
	case macemcPoll:
		r1, r2, err = macemcSystem(trap, a1, a2, 0, a4, a5, a6)
	case SYS_PPOLL:
		r1, r2, err = macemcSystem(trap, a1, a2, uintptr(unsafe.Pointer(&zero)), a4, a5, a6)
	case macemcEpollPwait2:
		r1, r2, err = macemcSystem(trap, a1, a2, a3, uintptr(unsafe.Pointer(&zero)), a5, a6)
	default:
		r1, r2, err = macemcSystem(trap, a1, a2, a3, 0, a5, a6)
	}
	if r1 == 0 && err == 0 && !macemcIsZero(trap, a3, a4, a5) {
		macemcRefuse(macemcWaits)
	}
	return r1, r2, err
}

// macemcIsZero reports whether a system call that waits for descriptors has the time-out 0.
//
//go:nosplit
//go:norace
//go:nocheckptr
func macemcIsZero(trap, a3, a4, a5 uintptr) bool {
	at := a5
	switch trap {
	case macemcPoll:
		return int32(a3) == 0
	case macemcEpollWait, SYS_EPOLL_PWAIT:
		return int32(a4) == 0
	case SYS_PPOLL:
		at = a3
	case macemcEpollPwait2:
		at = a4
	}
	return at != 0 && **(**Timespec)(unsafe.Pointer(&at)) == Timespec{}
}

// macemcReadsClock executes a system call that reads a clock, and replaces the reading in a run.
//
//go:nosplit
//go:norace
//go:nocheckptr
func macemcReadsClock(trap, a1, a2 uintptr) (r1, r2 uintptr, err Errno) {
	r1, r2, err = macemcSystem(trap, a1, a2, 0, 0, 0, 0)
	if err != 0 {
		return r1, r2, err
	}
	switch trap {
	case SYS_CLOCK_GETTIME:
		macemcShowTime(a1, *(**Timespec)(unsafe.Pointer(&a2)))
	case SYS_GETTIMEOFDAY:
		macemcShowTimeOfDay(*(**Timeval)(unsafe.Pointer(&a1)))
	case SYS_SYSINFO:
		macemcShowUptime(*(**Sysinfo_t)(unsafe.Pointer(&a1)))
	default:
		r1 = macemcShowSeconds(*(**Time_t)(unsafe.Pointer(&a1)), r1)
	}
	return r1, r2, err
}

// macemcTimeOf reads a clock of the run, and reports whether it is one. Others measure the time of the processor.
func macemcTimeOf(clock uintptr) (now int64, ok bool) {
	const realtime, monotonic, raw, realtimeCoarse, monotonicCoarse, boottime, realtimeAlarm, boottimeAlarm, tai = 0, 1, 4, 5, 6, 7, 8, 9, 11
	wall, mono := macemcClocks()
	switch clock {
	case realtime, realtimeCoarse, realtimeAlarm, tai:
		return wall, wall != 0
	case monotonic, raw, monotonicCoarse, boottime, boottimeAlarm:
		return mono, wall != 0
	}
	return 0, false
}

func macemcShowTime(clock uintptr, to *Timespec) {
	if now, ok := macemcTimeOf(clock); ok {
		*to = NsecToTimespec(now)
	}
}

// macemcTimeOfDay is gettimeofday where that is in assembly.
func macemcTimeOfDay(tv *Timeval) Errno {
	_, _, err := RawSyscall(SYS_GETTIMEOFDAY, uintptr(unsafe.Pointer(tv)), 0, 0)
	return err
}

func macemcShowTimeOfDay(to *Timeval) {
	if now, _ := macemcClocks(); now != 0 && to != nil {
		*to = NsecToTimeval(now)
	}
}

func macemcShowUptime(to *Sysinfo_t) {
	if wall, mono := macemcClocks(); wall != 0 {
		macemcSetNumber(&to.Uptime, mono/1e9)
	}
}

func macemcSetNumber[T int32 | int64](to *T, n int64) { *to = T(n) }

// macemcShowSeconds returns the seconds of the clock of the run, and stores them; outside of runs, it returns the present.
func macemcShowSeconds(to *Time_t, present uintptr) uintptr {
	now, _ := macemcClocks()
	if now == 0 {
		return present
	}
	if now /= 1e9; to != nil {
		*to = Time_t(now)
	}
	return uintptr(now)
}

// macemcTimeAt reads a Timespec, and reports whether it is valid.
//
//go:nosplit
//go:norace
//go:nocheckptr
func macemcTimeAt(at uintptr) (ns int64, ok bool) {
	if at == 0 {
		return 0, false
	}
	t := **(**Timespec)(unsafe.Pointer(&at))
	return int64(t.Sec)*1e9 + int64(t.Nsec), t.Sec >= 0 && t.Nsec >= 0 && t.Nsec < 1e9
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
	if r1, r2, err = macemcSystem(trap, a1, a2, a3, a4, a5, a6); err != 0 {
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
