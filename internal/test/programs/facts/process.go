package facts

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"os/user"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
)

var ofProcess = map[string]fact{
	"arguments":            func() any { return os.Args[1:] },
	"name":                 func() any { return filepath.Base(os.Args[0]) },
	"environment":          func() any { return os.Environ() },
	"variable":             func() any { v, ok := os.LookupEnv("FACTS"); return []any{v, ok} },
	"no variable":          func() any { v, ok := os.LookupEnv("MISSING"); return []any{v, ok} },
	"set variable":         func() any { os.Setenv("SET", "1"); defer os.Unsetenv("SET"); return os.ExpandEnv("$SET ${FACTS}") },
	"bad variable":         func() any { return os.Setenv("A=B", "1") },
	"user's home":          func() any { return must(os.UserHomeDir()) == os.Getenv("HOME") },
	"user's cache":         func() any { return must(os.UserCacheDir()) == home(".cache") },
	"user's configuration": func() any { return must(os.UserConfigDir()) == home(".config") },
	"user":                 func() any { u := must(user.Current()); return []any{u.Uid, u.Username, u.HomeDir} },
	"ids":                  func() any { return []any{os.Getuid() == os.Geteuid(), os.Getgid() == os.Getegid()} },
	"own id":               func() any { return []any{os.Getpid() > 1, os.Getpid() == syscall.Getpid(), os.Getppid() > 0} },
	"host":                 func() any { name, err := os.Hostname(); return []any{name != "", err} },
	"page size":            func() any { return os.Getpagesize() },
	"executable": func() any {
		name := must(os.Executable())
		return []any{filepath.IsAbs(name), filepath.Base(name) == filepath.Base(os.Args[0])}
	},
	"input: empty":    func() any { text, err := io.ReadAll(os.Stdin); return []any{string(text), err} },
	"input: read":     func() any { n, err := os.Stdin.Read(make([]byte, 1)); return []any{n, err} },
	"output":          func() any { n, err := os.Stdout.WriteString("a line\n"); return []any{n, err} },
	"descriptors":     func() any { return []any{os.Stdin.Fd(), os.Stdout.Fd(), os.Stderr.Fd(), os.Stdout.Name()} },
	"no program":      func() any { _, err := exec.LookPath("missing-program"); return err },
	"no program: run": func() any { return exec.Command("missing-program").Run() },
	"signal: notify": func() any {
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGUSR1)
		defer signal.Stop(c)
		must(0, must(os.FindProcess(os.Getpid())).Signal(syscall.SIGUSR1))
		return <-c
	},
	"signal: by a system call": func() any {
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGUSR2)
		defer signal.Stop(c)
		must(0, syscall.Kill(syscall.Getpid(), syscall.SIGUSR2))
		return <-c
	},
	"signal: ignored": func() any {
		signal.Ignore(syscall.SIGUSR1)
		defer signal.Reset(syscall.SIGUSR1)
		return []any{signal.Ignored(syscall.SIGUSR1), must(os.FindProcess(os.Getpid())).Signal(syscall.SIGUSR1)}
	},
	"signal: another process": func() any {
		p := must(os.FindProcess(1 << 22)) // above the largest number
		return []any{p.Signal(syscall.SIGTERM), p.Kill(), syscall.Kill(1<<22, 0)}
	},
	"wait: no child": func() any { _, err := must(os.FindProcess(os.Getpid())).Wait(); return errors.Is(err, syscall.ECHILD) },
	"processors":     func() any { return []any{runtime.NumCPU() > 0, runtime.GOMAXPROCS(0) > 0} },
	"set processors": func() any {
		old := runtime.GOMAXPROCS(3)
		defer runtime.GOMAXPROCS(old)
		return runtime.GOMAXPROCS(0)
	},
	"goroutines": func() any {
		before, block := runtime.NumGoroutine(), make(chan bool)
		go func() { <-block }()
		defer close(block)
		return runtime.NumGoroutine() - before
	},
	"version": func() any { return []any{runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.Compiler} },
	"caller":  func() any { _, file, _, ok := runtime.Caller(0); return []any{filepath.Base(file), ok} },
	"stack": func() any {
		head, _, _ := strings.Cut(string(debug.Stack()), "\n")
		return strings.TrimLeft(strings.TrimPrefix(head, "goroutine "), "0123456789")
	},
	"memory":    func() any { var m runtime.MemStats; runtime.ReadMemStats(&m); runtime.GC(); return m.HeapAlloc > 0 },
	"build":     func() any { info, ok := debug.ReadBuildInfo(); return []any{info != nil, ok} },
	"collector": func() any { old := debug.SetGCPercent(100); return debug.SetGCPercent(old) },
	"panic: nil map": func() any {
		m := map[bool]map[string]int{}
		m[true]["a"] = 1
		return nil
	},
	"panic: index":       func() any { var s []int; return s[len(s)] },
	"panic: nil pointer": func() any { var f *flag.Flag; return f.Name },
	"log": func() any {
		var b bytes.Buffer
		l := log.New(&b, "p ", log.Lshortfile)
		l.Print("text")
		return b.String()[:len("p process.go")]
	},
	"log: time":  func() any { var b bytes.Buffer; log.New(&b, "", log.LstdFlags).Print("text"); return len(b.String()) },
	"log: panic": func() any { log.SetOutput(io.Discard); log.Panicf("a %s", "text"); return nil },
}
