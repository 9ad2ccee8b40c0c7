//go:build macemc_overlay

package bubble_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// fileCalls makes calls of package os below a directory and returns their results.
func fileCalls(dir string) (log []string) {
	p := func(name string) string { return filepath.Join(dir, name) }
	note := func(what string, results ...any) {
		for i, r := range results {
			if err, ok := r.(error); ok {
				for _, known := range []error{fs.ErrNotExist, fs.ErrExist, fs.ErrClosed, io.EOF, io.ErrUnexpectedEOF} {
					if errors.Is(err, known) {
						r = known
					}
				}
				results[i] = strings.ReplaceAll(fmt.Sprint(r), dir, "DIR")
			}
		}
		log = append(log, what+": "+fmt.Sprint(results...))
	}
	f, err := os.Create(p("a"))
	note("create", f.Name() == p("a"), err)
	n, err := f.WriteString("hello, world")
	note("write", n, err)
	at, err := f.Seek(-5, io.SeekEnd)
	note("seek", at, err)
	b := make([]byte, 10)
	n, err = f.Read(b)
	note("read", n, err, string(b[:n]))
	n, err = f.Read(b)
	note("read at the end", n, err)
	n, err = f.WriteAt([]byte("H"), 0)
	note("write at", n, err)
	n, err = f.WriteAt([]byte("!"), 20)
	note("write behind the end", n, err)
	n, err = f.ReadAt(b, 15)
	note("read at", n, err, b[:n])
	note("truncate", f.Truncate(5), f.Sync())
	info, err := f.Stat()
	note("stat", info.Name(), info.Size(), info.IsDir(), info.Mode().IsRegular(), err)
	note("close", f.Close(), f.Close())
	_, err = f.Write(nil)
	note("write to a closed file", err)
	text, err := os.ReadFile(p("a"))
	note("read file", string(text), err)
	_, err = os.ReadFile(p("none"))
	note("read no file", err)
	_, err = os.Open(p("a/b"))
	note("open below a file", err)
	_, err = os.OpenFile(p("a"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	note("create exclusively", err)
	f, err = os.OpenFile(p("a"), os.O_APPEND|os.O_WRONLY, 0)
	note("open to append", err)
	n, err = f.Write([]byte("++"))
	note("append", n, err)
	_, err = f.WriteAt([]byte("x"), 0)
	note("write at in append mode", err)
	_, err = f.Read(b)
	note("read what is open to write", err)
	f.Close()
	f, _ = os.Open(p("a"))
	_, err = f.Write([]byte("x"))
	note("write what is open to read", err)
	all, err := io.ReadAll(f)
	note("read all", string(all), err)
	g, _ := os.Create(p("copy"))
	f.Seek(0, io.SeekStart)
	copied, err := io.Copy(g, f)
	note("copy", copied, err)
	f.Close()
	g.Close()
	note("mkdir", os.Mkdir(p("d"), 0o755), os.Mkdir(p("d"), 0o755), os.Mkdir(p("x/y"), 0o755))
	note("mkdirall", os.MkdirAll(p("d/e/f"), 0o755), os.MkdirAll(p("d/e/f"), 0o755), os.MkdirAll(p("a/e"), 0o755))
	note("write file", os.WriteFile(p("d/e/1"), []byte("1"), 0o644), os.WriteFile(p("d/e/2"), []byte("22"), 0o644),
		os.WriteFile(p("d"), nil, 0o644))
	entries, err := os.ReadDir(p("d/e"))
	for _, e := range entries {
		i, err := e.Info()
		note("entry", e.Name(), e.IsDir(), e.Type(), i.IsDir() || i.Size() > 0, err)
	}
	note("read dir", err)
	_, err = os.ReadDir(p("a"))
	note("read a file as a directory", err)
	d, _ := os.Open(p("d/e"))
	one, err := d.Readdirnames(2)
	rest, err2 := d.Readdirnames(-1)
	none, err3 := d.Readdirnames(1)
	slices.Sort(one)
	note("names", len(one), err, len(rest), err2, none, err3, d.Sync(), d.Close())
	note("rename", os.Rename(p("d/e/1"), p("d/e/2")), os.Rename(p("none"), p("b")), os.Rename(p("a"), p("d")), os.Rename(p("d"), p("moved")))
	note("rename a directory into itself", os.Rename(p("moved"), p("moved/e/g")))
	text, err = os.ReadFile(p("moved/e/2"))
	note("renamed", string(text), err)
	note("remove", os.Remove(p("moved")), os.Remove(p("none")), os.Remove(p("copy")))
	note("truncate by name", os.Truncate(p("a"), 2), os.Truncate(p("none"), 2))
	info, err = os.Lstat(p("a"))
	note("lstat", info.Size(), err)
	_, err = os.Stat(p("none"))
	note("stat", err)
	temp, err := os.CreateTemp(dir, "t-*")
	note("temporary", strings.HasPrefix(temp.Name(), p("t-")), err, temp.Close(), os.Remove(temp.Name()))
	f, _ = os.Open(p("a"))
	note("remove an open file", os.Remove(p("a")))
	all, err = io.ReadAll(f)
	note("read it", string(all), err)
	filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		note("walk", strings.TrimPrefix(path, dir), e.IsDir(), err)
		return nil
	})
	note("remove all", os.RemoveAll(p("moved")), os.RemoveAll(p("none")))
	entries, err = os.ReadDir(dir)
	note("what is left", len(entries), err)
	return log
}

// Functions of package os behave equally on the simulated disk and on a real one.
func TestFiles_AsOnRealDisk(t *testing.T) {
	want := fileCalls(t.TempDir())
	var got []string
	s := sim.System{
		Name: "files", Nodes: 1, State: bubble.Rules,
		New: func(sim.NodeID) sim.Service {
			return bubble.Service(func(context.Context, *bubble.Host) error {
				got = fileCalls("/data")
				return nil
			}, bubble.DataDir("/data"))
		},
	}
	r, err := searched(t, search.Config{System: s, Workers: 1, MaxPaths: 1, MaxDepth: 1})
	if err != nil || r.Finding != nil {
		t.Fatalf("%v, %+v", err, r.Finding)
	}
	for i := range max(len(got), len(want)) {
		g, w := "", ""
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			t.Errorf("simulated: %s\nreal:      %s", g, w)
		}
	}
}

// System calls on descriptors act on the simulated disk. Both a real file and one of a node get the same results.
func TestFiles_Descriptors(t *testing.T) {
	calls := func(name string, waits bool) (log []string) {
		note := func(results ...any) { log = append(log, fmt.Sprint(results...)) }
		f, err := os.Create(name)
		note(err)
		same, err := os.OpenFile(name, os.O_RDWR, 0)
		note(err)
		fd, other := int(f.Fd()), int(same.Fd())
		note(f.Fd() == uintptr(fd), fd != other)
		note(syscall.Flock(fd, syscall.LOCK_SH), syscall.Flock(other, syscall.LOCK_SH|syscall.LOCK_NB))
		note(syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB), syscall.Flock(other, syscall.LOCK_UN))
		note(syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB), syscall.Flock(other, syscall.LOCK_SH|syscall.LOCK_NB))
		if waits { // a real system call that waits would stop all goroutines
			go func() { time.Sleep(5 * time.Millisecond); f.Close() }()
		} else {
			f.Close()
		}
		note(syscall.Flock(other, syscall.LOCK_EX), syscall.Flock(fd, syscall.LOCK_UN))
		whole := syscall.Flock_t{Type: syscall.F_WRLCK}
		note(syscall.FcntlFlock(same.Fd(), syscall.F_SETLK, &whole))
		note(syscall.Fallocate(other, 0, 2, 5), syscall.Fallocate(other, 1, 0, 100), syscall.Fallocate(other, 0, 0, 3))
		info, err := same.Stat()
		note(info.Size(), err, info.Sys().(*syscall.Stat_t).Size)
		note(syscall.Flock(other, 0), syscall.Flock(other, syscall.LOCK_NB), syscall.Fallocate(other, 0, 0, 0), syscall.Fallocate(other, 1, -1, 1),
			syscall.Fallocate(other, 0, math.MaxInt64, 1))
		read, err := syscall.Open(name, syscall.O_RDONLY, 0)
		note(err, syscall.Fallocate(read, 0, 0, 1), syscall.Ftruncate(read, 3), syscall.Close(read))
		note(syscall.Ftruncate(other, 4), syscall.Fsync(other), syscall.Fdatasync(other))
		same.WriteAt([]byte("ab"), 3)
		b, err := os.ReadFile(name)
		note(b, err, same.Close(), same.Close() != nil, same.Fd() == ^uintptr(0), syscall.Fsync(other))
		return log
	}
	want := calls(filepath.Join(t.TempDir(), "f"), false)
	var got []string
	s := sim.System{Name: "files", Nodes: 1, State: bubble.Rules, New: func(sim.NodeID) sim.Service {
		return bubble.Service(func(context.Context, *bubble.Host) error { got = calls("/data/f", true); return nil }, bubble.DataDir("/data"))
	}}
	r, err := searched(t, search.Config{System: s, Workers: 1, MaxPaths: 1, MaxDepth: 9})
	if err != nil || r.Finding != nil {
		t.Fatal(err, r.Finding)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\n real file: %q", got, want)
	}
}

// Another os.File on a descriptor may be collected outside of steps. A file that is closed while a goroutine waits for its lock holds none.
func TestFiles_DescriptorsLeft(t *testing.T) {
	failed := ""
	s := sim.System{Name: "files", Nodes: 2, State: bubble.Rules, New: func(sim.NodeID) sim.Service {
		return bubble.Service(func(context.Context, *bubble.Host) error {
			open := func() *os.File {
				f, err := os.OpenFile("/data/f", os.O_RDWR|os.O_CREATE, 0o644)
				if err != nil {
					failed = err.Error()
				}
				return f
			}
			os.NewFile(open().Fd(), "f")
			a, b := open(), open()
			fd := int(b.Fd())
			syscall.Flock(int(a.Fd()), syscall.LOCK_EX)
			locked := false
			go func() {
				syscall.Flock(fd, syscall.LOCK_EX)
				locked = true
			}()
			time.Sleep(10 * time.Millisecond)
			b.Close()
			time.Sleep(10 * time.Millisecond)
			if locked {
				failed = "the lock was acquired while another file held it"
			}
			a.Close()
			time.Sleep(10 * time.Millisecond)
			if !locked {
				failed = "the lock was not acquired"
			}
			if err := syscall.Flock(int(open().Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
				failed = err.Error()
			}
			return nil
		}, bubble.DataDir("/data"))
	}}
	for range 20 {
		r, err := searched(t, search.Config{System: s, Workers: 1, MaxPaths: 1, MaxDepth: 9})
		if err != nil || r.Finding != nil || failed != "" {
			t.Fatal(err, r.Finding, failed)
		}
		runtime.GC() // finalizers close the descriptor
	}
}

// Goroutines that wait for each other's locks of files are a deadlock, also if one has started the other. Those that take the locks in the
// same order are not.
func TestFiles_FlockDeadlock(t *testing.T) {
	lock := func(name string) *os.File {
		f, err := os.OpenFile("/data/"+name, os.O_RDWR|os.O_CREATE, 0o644)
		if err == nil {
			err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		}
		if err != nil {
			panic(err)
		}
		return f
	}
	both := func(names ...string) {
		first := lock(names[0])
		time.Sleep(time.Second)
		lock(names[1]).Close()
		first.Close()
	}
	for _, c := range []struct {
		name, want string
		program    func()
	}{
		{"opposite order", "deadlock: goroutine", func() { go both("a", "b"); both("b", "a") }},
		{"started while a lock is held", "deadlock: goroutine", func() {
			f := lock("b")
			go both("a", "b")
			time.Sleep(time.Millisecond)
			lock("a").Close()
			f.Close()
		}},
		{"one goroutine", "waits for a lock that it has itself", func() { defer lock("a").Close(); lock("a") }},
		{"same order", "", func() { go both("a", "b"); both("a", "b") }},
	} {
		s := sim.System{Name: "locks", Nodes: 1, State: bubble.Rules, New: func(sim.NodeID) sim.Service {
			return bubble.Service(func(ctx context.Context, _ *bubble.Host) error { c.program(); <-ctx.Done(); return nil }, bubble.DataDir("/data"))
		}}
		r, err := searched(t, search.Config{System: s, Workers: 1, MaxPaths: 20, MaxDepth: 20})
		if err != nil || (r.Finding != nil) != (c.want != "") || r.Finding != nil && !strings.Contains(r.Finding.Message, c.want) {
			t.Errorf("%s: %v, found %+v, want %q", c.name, err, r.Finding, c.want)
		}
	}
}

// Unsupported file operations fail with an error, or panic, with advice.
func TestFiles_Refused(t *testing.T) {
	for _, c := range []struct {
		name string
		call func() error
		want string
	}{
		{"readlink", func() error { _, err := os.Readlink("/data/f"); return err }, "readlink /data/f: invalid argument"},
		{"kernel", func() error { _, err := os.ReadFile("/proc/self/stat"); return err }, "open /proc/self/stat: no such file or directory"},
		{"kernel's folder", func() error { _, err := os.Stat("/sys/../proc/"); return err }, "stat /sys/../proc/: no such file or directory"},
	} {
		for _, process := range []bool{false, true} {
			var refused error
			main := func(context.Context) error {
				if _, err := os.ReadFile("/etc/passwd"); err != nil {
					return err
				}
				if err := os.WriteFile("data/f", []byte("x"), 0o644); err != nil { // relative to /
					return err
				}
				refused = c.call()
				return nil
			}
			s := sim.System{Name: "files", Nodes: 1, State: bubble.Rules, New: func(sim.NodeID) sim.Service {
				if process {
					return bubble.Command(main, nil, nil, bubble.DataDir("/data"))
				}
				return bubble.Service(func(ctx context.Context, h *bubble.Host) error { return main(ctx) }, bubble.DataDir("/data"))
			}}
			r, err := searched(t, search.Config{System: s, Workers: 1, MaxPaths: 1, MaxDepth: 1})
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(refused); r.Finding != nil || !strings.Contains(got, c.want) {
				t.Errorf("%s, process %v: %s, want %s; %+v", c.name, process, got, c.want, r.Finding)
			}
		}
	}
}
