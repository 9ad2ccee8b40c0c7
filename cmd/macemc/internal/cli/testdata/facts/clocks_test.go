//go:build linux

package facts

import (
	"errors"
	"io"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

//go:linkname nanotime runtime.nanotime
func nanotime() int64

//go:linkname now time.now
func now() (sec int64, nsec int32, mono int64)

// linkedNow returns the clock that modules read without package time.
func linkedNow() (wall, mono int64) {
	sec, nsec, mono := now()
	return sec*1e9 + int64(nsec), mono
}

func clockGettime(t *testing.T, clock uintptr) int64 {
	var ts syscall.Timespec
	if _, _, err := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&ts)), 0); err != 0 {
		t.Fatal(err)
	}
	return ts.Nano()
}

var (
	initialNanotime          = nanotime()
	initialWall, initialMono = linkedNow()
)

// Clocks that a program reads without package time show the same time.
func TestClocks(t *testing.T) {
	const pause = 30 * time.Millisecond
	clocks := map[string]func() int64{
		"nanotime":  nanotime,
		"wall":      func() int64 { wall, _ := linkedNow(); return wall },
		"monotonic": func() int64 { _, mono := linkedNow(); return mono },
		"time of day": func() int64 {
			var tv syscall.Timeval
			if err := syscall.Gettimeofday(&tv); err != nil {
				t.Fatal(err)
			}
			return tv.Nano()
		},
		"time of day, with zone": func() int64 {
			var tv syscall.Timeval
			var zone [2]int32
			syscall.Syscall(syscall.SYS_GETTIMEOFDAY, uintptr(unsafe.Pointer(&tv)), uintptr(unsafe.Pointer(&zone)), 0)
			return tv.Nano()
		},
		"CLOCK_REALTIME":  func() int64 { return clockGettime(t, 0) },
		"CLOCK_MONOTONIC": func() int64 { return clockGettime(t, 1) },
		"CLOCK_BOOTTIME":  func() int64 { return clockGettime(t, 7) },
		"CLOCK_TAI":       func() int64 { return clockGettime(t, 11) },
		"raw CLOCK_MONOTONIC": func() int64 {
			var ts syscall.Timespec
			syscall.RawSyscall6(syscall.SYS_CLOCK_GETTIME, 1, uintptr(unsafe.Pointer(&ts)), 0, 0, 0, 0)
			return ts.Nano()
		},
	}
	for name, read := range clocks {
		before := read()
		time.Sleep(pause)
		if d := time.Duration(read() - before); d < pause-time.Microsecond || d > time.Minute {
			t.Errorf("%s: %v have passed", name, d)
		}
	}
	for _, name := range []string{"wall", "time of day", "CLOCK_REALTIME"} {
		if d := time.Since(time.Unix(0, clocks[name]())); d < -time.Millisecond || d > time.Minute {
			t.Errorf("%s: %v before package time", name, d)
		}
	}
	wall, mono := linkedNow()
	for _, d := range []int64{nanotime() - initialNanotime, wall - initialWall, mono - initialMono} {
		if d < int64(pause) || d > int64(time.Hour) {
			t.Error("since the initialization:", time.Duration(d))
		}
	}
}

// The clock that counts seconds shows the same time.
func TestSeconds(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("there is no such system call")
	}
	const call = 201 // SYS_TIME
	var stored int64
	before, _, _ := syscall.RawSyscall(call, uintptr(unsafe.Pointer(&stored)), 0, 0)
	if d := time.Since(time.Unix(stored, 0)); int64(before) != stored || d < 0 || d > time.Minute {
		t.Errorf("%d and %d: %v before package time", before, stored, d)
	}
}

// The time since the machine has started is counted by the same clock.
func TestUptime(t *testing.T) {
	var before, after syscall.Sysinfo_t
	syscall.Sysinfo(&before)
	time.Sleep(1100 * time.Millisecond)
	syscall.Sysinfo(&after)
	if d := after.Uptime - before.Uptime; d < 1 || after.Totalram == 0 {
		t.Errorf("%d s have passed, %d bytes", d, after.Totalram)
	}
}

// The deadline of a file is an instant of the same clock, before or after timers.
func TestFileDeadline(t *testing.T) {
	const pause = 30 * time.Millisecond
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var b [1]byte
	before := time.Now()
	r.SetReadDeadline(before.Add(pause))
	late := time.AfterFunc(time.Minute, func() { w.Close() })
	if _, err := r.Read(b[:]); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(before) < pause || !late.Stop() {
		t.Errorf("%v after %v", err, time.Since(before))
	}
	r.SetReadDeadline(time.Now().Add(time.Minute))
	time.AfterFunc(pause, func() { w.Close() })
	if _, err := r.Read(b[:]); err != io.EOF {
		t.Error(err)
	}
}

// The time of the processor is none of these clocks, at any depth of the stack.
func TestProcessorTime(t *testing.T) {
	var read func(depth int)
	read = func(depth int) {
		if depth > 0 {
			read(depth - 1)
		}
		if d := clockGettime(t, 2); d <= 0 || d > int64(time.Hour) {
			t.Error(time.Duration(d))
		}
	}
	read(100)
}

// A sleep to an instant ends then.
func TestClockSleep(t *testing.T) {
	const pause, absolute = 30 * time.Millisecond, 1 // TIMER_ABSTIME
	for clock := range uintptr(2) {
		before := time.Now()
		to := syscall.NsecToTimespec(clockGettime(t, clock) + int64(pause))
		if _, _, err := syscall.Syscall6(syscall.SYS_CLOCK_NANOSLEEP, clock, absolute, uintptr(unsafe.Pointer(&to)), 0, 0, 0); err != 0 {
			t.Fatal(err)
		}
		if d := time.Since(before); d < pause-time.Microsecond || d > time.Minute {
			t.Errorf("clock %d: %v have passed", clock, d)
		}
	}
}

// A goroutine that waits for a time without package time does not wait forever.
func TestClockLoop(t *testing.T) {
	for end := nanotime() + 2e6; nanotime() < end; {
	}
	for end := clockGettime(t, 1) + 2e6; clockGettime(t, 1) < end; {
	}
}

// Operations on atomic variables of one goroutine allocate nothing.
func TestOutside_AllocsOfAtomics(t *testing.T) {
	if n := testing.AllocsPerRun(10, func() {
		var a atomic.Uint32
		var b int64
		a.Store(1)
		a.CompareAndSwap(1, 2)
		atomic.AddInt64(&b, int64(a.Load()))
	}); n != 0 {
		t.Error(n)
	}
}
