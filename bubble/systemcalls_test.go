//go:build macemc_overlay && linux

package bubble_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// inNode executes a function as the program of a node with the data directory /data.
func inNode(t *testing.T, f func(dir string)) *sim.Finding {
	t.Helper()
	s := sim.System{Name: "calls", Nodes: 1, State: bubble.Rules, New: func(sim.NodeID) sim.Service {
		return bubble.Service(func(ctx context.Context, _ *bubble.Host) error { f("/data"); <-ctx.Done(); return nil }, bubble.DataDir("/data"))
	}}
	r, err := searched(t, search.Config{System: s, Workers: 1, MaxPaths: 1, MaxDepth: 3})
	if err != nil {
		t.Fatal(err)
	}
	if r.Finding == nil {
		return nil
	}
	return &sim.Finding{Kind: r.Finding.Kind, Message: r.Finding.Message}
}

// rawCalls makes system calls on paths and descriptors below a directory and returns their results. Buffers are on the stack.
func rawCalls(dir string) (log []string) {
	note := func(what string, results ...any) {
		log = append(log, strings.ReplaceAll(what+": "+fmt.Sprintln(results...), dir, "DIR"))
	}
	name := dir + "/f"
	fd, err := unix.Open(name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL, 0o644)
	note("open", fd > 2, err)
	_, err = unix.Open(name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL, 0o644)
	note("open again", err)
	text := [12]byte{'h', 'e', 'l', 'l', 'o'}
	n, _, errno := syscall.Syscall(syscall.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(&text)), 5)
	note("write", n, errno)
	n2, err := unix.Pwrite(fd, []byte("J"), 0)
	note("pwrite", n2, err)
	var back [8]byte
	n, _, errno = syscall.RawSyscall6(syscall.SYS_PREAD64, uintptr(fd), uintptr(unsafe.Pointer(&back)), 8, 1, 0, 0)
	note("pread", n, errno, string(back[:4]))
	n, r2, errno := syscall.Syscall6(syscall.SYS_PREAD64, uintptr(fd), uintptr(unsafe.Pointer(&back)), 3, 0, 0, 0)
	note("second result", n, errno, runtime.GOARCH != "amd64" || r2 == 3)
	at, err := unix.Seek(fd, -2, unix.SEEK_END)
	note("seek", at, err)
	n2, err = unix.Read(fd, back[:])
	note("read", n2, err, string(back[:2]))
	n2, err = unix.Read(fd, back[:])
	note("read at the end", n2, err)
	var st unix.Stat_t
	note("fstat", unix.Fstat(fd, &st), st.Size, st.Mode&unix.S_IFMT == unix.S_IFREG, st.Nlink, st.Blksize > 0)
	ino := st.Ino
	note("stat", unix.Stat(name, &st), st.Ino == ino, unix.Stat(dir+"/none", &st))
	note("mkdir", unix.Mkdir(dir+"/d", 0o755), unix.Mkdir(dir+"/d", 0o755))
	d, err := unix.Open(dir+"/d", unix.O_RDONLY|unix.O_DIRECTORY, 0)
	note("open directory", err)
	_, err = unix.Open(name, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	note("file as a directory", err)
	sub, err := unix.Openat(d, "g", unix.O_WRONLY|unix.O_CREAT, 0o644)
	note("openat", err, unix.Close(sub), unix.Fsync(d))
	note("rename", unix.Rename(name, dir+"/d/h"), unix.Renameat(d, "h", d, "i"))
	var list [512]byte
	n2, err = unix.Getdents(d, list[:])
	_, _, names := unix.ParseDirent(list[:n2], 10, nil)
	slices.Sort(names)
	note("entries", err, names)
	note("unlink", unix.Unlink(dir+"/d"), unix.Rmdir(dir+"/d"), unix.Unlinkat(d, "g", 0), unix.Unlink(dir+"/d/i"), unix.Rmdir(dir+"/d"))
	note("access", unix.Access(dir, unix.R_OK), unix.Access(name, unix.R_OK))
	lock := unix.Flock_t{Type: unix.F_WRLCK}
	note("lock", unix.FcntlFlock(uintptr(fd), unix.F_SETLK, &lock), unix.FcntlFlock(uintptr(fd), unix.F_GETLK, &lock), lock.Type == unix.F_UNLCK)
	other, err := unix.Open(name, unix.O_RDWR, 0)
	none := unix.Flock_t{Type: unix.F_UNLCK}
	lock = unix.Flock_t{Type: unix.F_WRLCK}
	note("lock of a description", err, unix.FcntlFlock(uintptr(fd), unix.F_SETLK, &none),
		unix.FcntlFlock(uintptr(fd), unix.F_OFD_SETLK, &lock), unix.FcntlFlock(uintptr(fd), unix.F_OFD_SETLKW, &lock),
		unix.FcntlFlock(uintptr(other), unix.F_OFD_SETLK, &lock), unix.Flock(other, unix.LOCK_EX|unix.LOCK_NB), unix.Close(other))
	note("truncate", unix.Ftruncate(fd, 3), unix.Fdatasync(fd), unix.Close(fd))
	null, err := unix.Open("/dev/null", unix.O_WRONLY, 0)
	n2, err2 := unix.Write(null, []byte("x"))
	note("null", err, n2, err2, unix.Close(null))
	return log
}

// Raw system calls behave equally on the simulated disk and on a real one.
func TestSystemCalls_AsOnRealDisk(t *testing.T) {
	want := rawCalls(t.TempDir())
	var got []string
	if f := inNode(t, func(dir string) { got = rawCalls(dir) }); f != nil {
		t.Fatal(f)
	}
	for i := range max(len(got), len(want)) {
		if g, w := append(got, make([]string, len(want))...)[i], append(want, make([]string, len(got))...)[i]; g != w {
			t.Errorf("simulated: %sreal:      %s", g, w)
		}
	}
}

// mapCalls maps files below a directory and returns what it reads.
func mapCalls(dir string) (log []string) {
	note := func(what string, results ...any) { log = append(log, what+": "+fmt.Sprintln(results...)) }
	f, err := os.OpenFile(filepath.Join(dir, "m"), os.O_RDWR|os.O_CREATE, 0o644)
	note("open", err, f.Truncate(3*4096))
	read, err := unix.Mmap(int(f.Fd()), 0, 3*4096, unix.PROT_READ, unix.MAP_SHARED)
	note("map", err, len(read))
	f.WriteAt([]byte("written"), 4096)
	note("a shared map shows a write", string(read[4096:4103]))
	private, err := unix.Mmap(int(f.Fd()), 4096, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE)
	note("private", err)
	private[0] = 'W'
	note("a private store stays there", string(read[4096:4099]), string(private[:3]))
	shared, err := unix.Mmap(int(f.Fd()), 0, 3*4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	note("writable", err)
	copy(shared[8000:], "stored")
	b := make([]byte, 6)
	f.ReadAt(b, 8000)
	note("a read shows a store", string(b), string(read[8000:8006]), unix.Msync(shared[4096:8192], unix.MS_SYNC))
	note("unmap", unix.Munmap(private), unix.Munmap(shared))
	note("grow", f.Truncate(5*4096))
	more, err := unix.Mmap(int(f.Fd()), 4*4096, 4096, unix.PROT_READ, unix.MAP_SHARED)
	f.WriteAt([]byte("tail"), 4*4096+4)
	note("grown", err, string(more[4:8]), string(read[8000:8006]))
	note("protect", unix.Mprotect(more, unix.PROT_READ|unix.PROT_WRITE))
	more[0] = 'T'
	all, err := os.ReadFile(f.Name())
	note("all", err, len(all), string(bytes.Trim(bytes.ReplaceAll(all, []byte{0}, nil), "\x00")))
	anonymous, err := unix.Mmap(-1, 0, 8192, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	binary.NativeEndian.PutUint64(anonymous[4096:], 7)
	note("anonymous", err, anonymous[4096])
	note("unmap", unix.Munmap(anonymous), unix.Munmap(more), unix.Munmap(read), f.Close())
	only, _ := os.Open(f.Name())
	_, err = unix.Mmap(int(only.Fd()), 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	note("writable map of what is open to read", err)
	return log
}

// Maps behave equally on the simulated disk and on a real one.
func TestMaps_AsOnRealDisk(t *testing.T) {
	want := mapCalls(t.TempDir())
	var got []string
	if f := inNode(t, func(dir string) { got = mapCalls(dir) }); f != nil {
		t.Fatal(f)
	}
	for i := range max(len(got), len(want)) {
		if g, w := append(got, make([]string, len(want))...)[i], append(want, make([]string, len(got))...)[i]; g != w {
			t.Errorf("simulated: %sreal:      %s", g, w)
		}
	}
}

// What a program stores to a map survives a crash after msync, and page by page before.
func TestMaps_Crash(t *testing.T) {
	for _, c := range []struct {
		name string
		sync bool
		want []string
	}{
		{"msync", true, []string{"ab"}},
		{"no msync", false, []string{"\x00\x00", "\x00b", "a\x00", "ab"}},
	} {
		found := map[string]bool{}
		run := func(ctx context.Context, h *bubble.Host) error {
			f, err := os.OpenFile("/data/m", os.O_RDWR|os.O_CREATE, 0o644)
			if info, _ := f.Stat(); info.Size() > 0 {
				b := make([]byte, 2*4096)
				f.ReadAt(b, 0)
				found[string([]byte{b[0], b[4096]})] = true
			}
			d, _ := os.Open("/data")
			f.Truncate(2 * 4096)
			f.Sync()
			d.Sync()
			m, err2 := unix.Mmap(int(f.Fd()), 0, 2*4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
			h.Assert(err == nil && err2 == nil, "%v %v", err, err2)
			m[0], m[4096] = 'a', 'b'
			if c.sync {
				unix.Msync(m, unix.MS_SYNC)
			}
			<-ctx.Done()
			return nil
		}
		s := sim.System{Name: "map", Nodes: 1, Crashes: 1, State: bubble.Rules, CrashCut: sim.CutNone, New: func(sim.NodeID) sim.Service {
			return bubble.Service(run, bubble.DataDir("/data"))
		}}
		r, err := searched(t, search.Config{System: s, Workers: 1, MaxPaths: 100, WalkSteps: 6})
		if err != nil || r.Finding != nil {
			t.Fatal(err, r.Finding)
		}
		var got []string
		for text := range found {
			got = append(got, text)
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: found %q, want %q", c.name, got, c.want)
		}
	}
}

// System calls show the clock and the process of the node, and a sleep lasts on its clock.
func TestSystemCalls_Surroundings(t *testing.T) {
	var log []string
	f := inNode(t, func(string) {
		var wall, begin, end unix.Timespec
		var tv unix.Timeval
		err := errors.Join(unix.ClockGettime(unix.CLOCK_REALTIME, &wall), unix.ClockGettime(unix.CLOCK_MONOTONIC, &begin))
		unix.RawSyscall(unix.SYS_GETTIMEOFDAY, uintptr(unsafe.Pointer(&tv)), 0, 0)
		pid, _, _ := unix.RawSyscall(unix.SYS_GETPID, 0, 0, 0)
		parent, _, _ := unix.Syscall(unix.SYS_GETPPID, 0, 0, 0)
		now := time.Now()
		hour := unix.Timespec{Sec: 3600}
		err = errors.Join(err, unix.Nanosleep(&hour, nil), unix.ClockNanosleep(unix.CLOCK_MONOTONIC, 0, &hour, nil),
			unix.ClockGettime(unix.CLOCK_MONOTONIC, &end))
		later := begin.Nano() + (3 * time.Hour).Nanoseconds()
		until := unix.NsecToTimespec(later)
		err = errors.Join(err, unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &until, nil))
		log = []string{fmt.Sprint(err, now.Sub(time.Unix(wall.Unix())).Abs() < time.Second, now.Sub(time.Unix(tv.Unix())).Abs() < time.Second,
			time.Duration(end.Nano()-begin.Nano()).Round(time.Second), time.Since(now).Round(time.Second),
			int(pid) == os.Getpid(), int(parent) == os.Getppid())}
	})
	if want := []string{"<nil> true true 2h0m0s 3h0m0s true true"}; f != nil || !slices.Equal(log, want) {
		t.Errorf("%v, got %q, want %q", f, log, want)
	}
}
