//go:build linux && (amd64 || arm64)

package bubble

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"runtime"
	"syscall"
	"time"

	"github.com/macemc/macemc/bubble/internal/filesystem"
)

// interceptCalls makes system calls of programs reach their nodes.
func interceptCalls() {
	filesystem.Machine.Copy, filesystem.Machine.Call = copyMemory, systemCall
	always := filesystem.Always()
	for trap := range surroundings {
		always[trap/64] |= 1 << (trap % 64)
	}
	intercept(always, onCall)
}

// onCall executes a system call of a program.
func onCall(trap uintptr, args [6]uintptr, onStack uint8) (uintptr, syscall.Errno) {
	c := &filesystem.Call{Trap: trap, Args: args, OnStack: onStack}
	if stepping.now == nil || stepping.now.host == nil {
		return systemCall(trap, args, onStack)
	}
	h := current()
	if call := surroundings[trap]; call != nil {
		return call(h, c)
	}
	r, err := filesystem.Calls{Paths: nodePaths{h}, Memory: &h.files.memory, Random: draw}.Do(c)
	if err == nil {
		return r, 0
	}
	if unsupported, ok := errors.AsType[filesystem.Unsupported](err); ok {
		h.unsimulated("it uses " + string(unsupported))
	}
	errno, ok := errors.AsType[syscall.Errno](err)
	if !ok {
		errno = syscall.EBADF
	}
	return ^uintptr(0), errno
}

// draw fills b with random numbers of the node.
func draw(b []byte) {
	for i := range b {
		b[i] = byte(rand.Uint32())
	}
}

// nodePaths implements [filesystem.Paths].
type nodePaths struct{ h *Host }

func (p nodePaths) Open(name string, flag int) (*filesystem.File, bool, error) {
	opened, own, err := machines{}.Open(name, flag)
	f, _ := opened.(*filesystem.File)
	return f, own, err
}

func (p nodePaths) Change(op, name, to string, size int64) (bool, error) {
	return machines{}.Change(op, name, to, size)
}

func (p nodePaths) Stat(name string) (os.FileInfo, bool, error) { return machines{}.Stat(name) }

func (p nodePaths) Described(fd uintptr) *filesystem.File {
	return cmp.Or(p.h.files.data.Described(fd), p.h.files.temp.Described(fd))
}

func (p nodePaths) Root() bool { return p.h.files.data != nil }

// surroundings are the system calls whose results depend on the node alone: its clock and its processes.
var surroundings = map[uintptr]func(*Host, *filesystem.Call) (uintptr, syscall.Errno){
	syscall.SYS_GETPID:  func(*Host, *filesystem.Call) (uintptr, syscall.Errno) { return uintptr(os.Getpid()), 0 },
	syscall.SYS_GETTID:  func(*Host, *filesystem.Call) (uintptr, syscall.Errno) { return uintptr(os.Getpid()), 0 },
	syscall.SYS_GETPPID: func(*Host, *filesystem.Call) (uintptr, syscall.Errno) { return uintptr(os.Getppid()), 0 },
	syscall.SYS_SCHED_YIELD: func(*Host, *filesystem.Call) (uintptr, syscall.Errno) {
		runtime.Gosched()
		return 0, 0
	},
	syscall.SYS_CLOCK_GETTIME: func(h *Host, c *filesystem.Call) (uintptr, syscall.Errno) {
		const realtime, coarse, tai = 0, 5, 11
		if id := c.Args[0]; id == realtime || id == coarse || id == tai {
			c.Store(1, timespec(time.Now().UnixNano(), time.Nanosecond))
		} else {
			c.Store(1, timespec(h.files.uptime(), time.Nanosecond))
		}
		return 0, 0
	},
	syscall.SYS_GETTIMEOFDAY: func(_ *Host, c *filesystem.Call) (uintptr, syscall.Errno) {
		c.Store(0, timespec(time.Now().UnixNano(), time.Microsecond))
		return 0, 0
	},
	syscall.SYS_NANOSLEEP: func(_ *Host, c *filesystem.Call) (uintptr, syscall.Errno) {
		time.Sleep(duration(c.Load(0, 16)))
		return 0, 0
	},
	syscall.SYS_CLOCK_NANOSLEEP: func(h *Host, c *filesystem.Call) (uintptr, syscall.Errno) {
		const absolute = 1 // TIMER_ABSTIME
		d := duration(c.Load(2, 16))
		switch {
		case c.Args[1]&absolute == 0:
		case c.Args[0] == 0:
			d -= time.Duration(time.Now().UnixNano())
		default:
			d -= time.Duration(h.files.uptime())
		}
		time.Sleep(d)
		return 0, 0
	},
}

// uptime returns the time in nanoseconds since its first call in the process.
func (f *fileSystems) uptime() int64 {
	if f.started.IsZero() {
		f.started = time.Now()
	}
	return int64(time.Since(f.started))
}

// timespec encodes a time in nanoseconds as seconds and a rest in units.
func timespec(t int64, unit time.Duration) []byte {
	b := binary.NativeEndian.AppendUint64(nil, uint64(t/int64(time.Second)))
	return binary.NativeEndian.AppendUint64(b, uint64(t%int64(time.Second)/int64(unit)))
}

// duration decodes a timespec.
func duration(b []byte) time.Duration {
	return time.Duration(binary.NativeEndian.Uint64(b))*time.Second + time.Duration(binary.NativeEndian.Uint64(b[8:]))
}
