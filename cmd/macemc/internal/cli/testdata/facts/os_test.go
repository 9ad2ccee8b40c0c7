package facts

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestNotExist(t *testing.T) {
	_, err := os.Open(filepath.Join(t.TempDir(), "missing"))
	same(t, errors.Is(err, fs.ErrNotExist), true)
	same(t, errors.Is(err, syscall.ENOENT), true)
	var path *fs.PathError
	same(t, errors.As(err, &path), true)
	same(t, path.Op, "open")
}

func TestExist(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	must(t, os.WriteFile(name, nil, 0o600))
	_, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL, 0o600)
	same(t, errors.Is(err, fs.ErrExist), true)
}

func TestModes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	must(t, os.WriteFile(name, []byte("text"), 0o640))
	info, err := os.Stat(name)
	must(t, err)
	same(t, info.Mode(), fs.FileMode(0o640))
	same(t, info.Size(), int64(4))
	same(t, info.Name(), "a")
	must(t, os.Chmod(name, 0o400))
	info, err = os.Stat(name)
	must(t, err)
	same(t, info.Mode().Perm(), fs.FileMode(0o400))
}

func TestReadWrite(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "a"))
	must(t, err)
	defer f.Close()
	_, err = io.WriteString(f, "some text")
	must(t, err)
	_, err = f.Seek(5, io.SeekStart)
	must(t, err)
	rest, err := io.ReadAll(f)
	must(t, err)
	same(t, string(rest), "text")
	_, err = f.WriteAt([]byte("x"), 100)
	must(t, err)
	info, err := f.Stat()
	must(t, err)
	same(t, info.Size(), int64(101))
	must(t, f.Sync())
	must(t, f.Close())
	same(t, errors.Is(f.Close(), os.ErrClosed), true)
}

func TestTempFiles(t *testing.T) {
	dir := t.TempDir()
	a, err := os.CreateTemp(dir, "x-*.txt")
	must(t, err)
	b, err := os.CreateTemp(dir, "x-*.txt")
	must(t, err)
	same(t, a.Name() != b.Name(), true)
	must(t, errors.Join(a.Close(), b.Close()))
	found, err := filepath.Glob(filepath.Join(dir, "x-*.txt"))
	must(t, err)
	same(t, len(found), 2)
	same(t, os.TempDir() != "", true)
}

func TestWalk(t *testing.T) {
	dir := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, "b", "c"), 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "a"), nil, 0o600))
	var seen []string
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		seen = append(seen, rel)
		return err
	}))
	same(t, seen, []string{".", "a", "b", "b/c"})
}

func TestLinks(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a")
	must(t, os.WriteFile(name, nil, 0o600))
	must(t, os.Symlink("a", filepath.Join(dir, "s")))
	must(t, os.Link(name, filepath.Join(dir, "l")))
	to, err := os.Readlink(filepath.Join(dir, "s"))
	must(t, err)
	same(t, to, "a")
	a, err := os.Stat(name)
	must(t, err)
	l, err := os.Stat(filepath.Join(dir, "l"))
	must(t, err)
	same(t, os.SameFile(a, l), true)
}

func TestRoot(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	must(t, err)
	defer root.Close()
	must(t, root.WriteFile("a", []byte("text"), 0o600))
	text, err := root.ReadFile("a")
	must(t, err)
	same(t, string(text), "text")
	_, err = root.Open("../a")
	same(t, err != nil, true)
}

func TestCopyFS(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "to")
	must(t, os.WriteFile(filepath.Join(from, "a"), []byte("text"), 0o600))
	must(t, os.CopyFS(to, os.DirFS(from)))
	text, err := fs.ReadFile(os.DirFS(to), "a")
	must(t, err)
	same(t, string(text), "text")
}

func TestPipe(t *testing.T) {
	r, w, err := os.Pipe()
	must(t, err)
	go func() {
		io.WriteString(w, "text")
		w.Close()
	}()
	text, err := io.ReadAll(r)
	must(t, err)
	same(t, string(text), "text")
	must(t, r.Close())
}

func TestReadDeadline(t *testing.T) {
	r, w, err := os.Pipe()
	must(t, err)
	defer r.Close()
	defer w.Close()
	must(t, r.SetReadDeadline(time.Now().Add(10*time.Millisecond)))
	_, err = r.Read(make([]byte, 1))
	same(t, errors.Is(err, os.ErrDeadlineExceeded), true)
}

func TestStdout(t *testing.T) {
	stdout := os.Stdout
	defer func() { os.Stdout = stdout }()
	r, w, err := os.Pipe()
	must(t, err)
	os.Stdout = w
	os.Stdout.WriteString("text\n")
	w.Close()
	line, err := bufio.NewReader(r).ReadString('\n')
	must(t, err)
	same(t, line, "text\n")
}

func TestStdin(t *testing.T) {
	text, err := io.ReadAll(os.Stdin)
	must(t, err)
	same(t, len(text), 0)
}

func TestVariables(t *testing.T) {
	must(t, os.Setenv("FACTS_A", "1"))
	defer os.Unsetenv("FACTS_A")
	same(t, os.ExpandEnv("$FACTS_A${FACTS_A}"), "11")
	same(t, slices.Contains(os.Environ(), "FACTS_A=1"), true)
	dir, err := os.Getwd()
	must(t, err)
	same(t, os.Getenv("PWD"), dir)
}

func TestProcess(t *testing.T) {
	same(t, os.Getpid() > 1 && os.Getppid() > 0, true)
	same(t, os.Getuid(), syscall.Getuid())
	host, err := os.Hostname()
	must(t, err)
	same(t, host != "", true)
	p, err := os.FindProcess(os.Getpid())
	must(t, err)
	must(t, p.Signal(syscall.Signal(0)))
}

func TestUser(t *testing.T) {
	u, err := user.Current()
	must(t, err)
	same(t, u.Uid != "", true)
	dir, err := os.UserHomeDir()
	if err == nil {
		same(t, filepath.IsAbs(dir), true)
	}
}

func TestExecutable(t *testing.T) {
	exe, err := os.Executable()
	must(t, err)
	same(t, strings.HasSuffix(exe, "facts.test"), true)
	info, err := os.Stat(exe)
	must(t, err)
	same(t, info.Mode().IsRegular(), true)
}

func TestWorkingDirectory(t *testing.T) {
	_, err := os.Stat("os_test.go")
	must(t, err)
}

func TestAbs(t *testing.T) {
	dir, err := os.Getwd()
	must(t, err)
	abs, err := filepath.Abs("x")
	must(t, err)
	same(t, abs, filepath.Join(dir, "x"))
}

func TestLocked(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "lock"))
	must(t, err)
	defer f.Close()
	must(t, syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB))
	g, err := os.Open(f.Name())
	must(t, err)
	defer g.Close()
	same(t, syscall.Flock(int(g.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

func TestSyscallConn(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "a"))
	must(t, err)
	defer f.Close()
	c, err := f.SyscallConn()
	must(t, err)
	must(t, c.Control(func(fd uintptr) { same(t, fd > 2, true) }))
}

func TestSections(t *testing.T) {
	r := io.NewSectionReader(strings.NewReader("some text"), 5, 4)
	text, err := io.ReadAll(io.TeeReader(r, io.Discard))
	must(t, err)
	same(t, string(text), "text")
}

func TestIOPipe(t *testing.T) {
	r, w := io.Pipe()
	go func() { w.CloseWithError(context.Canceled) }()
	_, err := io.Copy(io.Discard, r)
	same(t, err, context.Canceled)
}

func TestScanner(t *testing.T) {
	s := bufio.NewScanner(bytes.NewReader(bytes.Repeat([]byte("x"), bufio.MaxScanTokenSize+1)))
	same(t, s.Scan(), false)
	same(t, s.Err(), bufio.ErrTooLong)
}
