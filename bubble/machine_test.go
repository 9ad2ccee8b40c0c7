//go:build macemc_overlay

package bubble_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// machines are programs for the rows of the table "What is simulated" in docs/goroutines.md. An error that a program returns is a bug.
var machines = map[string]func() error{
	"processors": func() error {
		if n, old := runtime.NumCPU(), runtime.GOMAXPROCS(4); n != 1 || old != 1 || runtime.GOMAXPROCS(0) != 4 {
			return fmt.Errorf("%d processors, %d, %d", n, old, runtime.GOMAXPROCS(0))
		}
		return nil
	},
	"goroutines": func() error {
		before, block := runtime.NumGoroutine(), make(chan bool)
		go func() { <-block }()
		if n := runtime.NumGoroutine(); before < 1 || n != before+1 { // packages may have started some
			return fmt.Errorf("%d goroutines, and %d", before, n)
		}
		runtime.LockOSThread() // takes effect, and harms nothing
		close(block)
		time.Sleep(time.Second)
		runtime.UnlockOSThread()
		if n := runtime.NumGoroutine(); n != before {
			return fmt.Errorf("%d goroutines in the end", n)
		}
		return nil
	},
	"signal to itself": func() error {
		self, err := os.FindProcess(os.Getpid())
		if err != nil {
			return err
		}
		c, all := make(chan os.Signal, 9), make(chan os.Signal, 9)
		signal.Notify(c, syscall.SIGTERM, syscall.SIGHUP)
		signal.Notify(all)
		signal.Reset(syscall.SIGHUP)
		signal.Ignore(os.Interrupt)
		for _, sig := range []os.Signal{syscall.Signal(0), os.Interrupt, syscall.SIGTERM, syscall.SIGUSR1} {
			if err := self.Signal(sig); err != nil {
				return fmt.Errorf("%v: %w", sig, err)
			}
		}
		if len(c) != 1 || <-c != syscall.SIGTERM || len(all) != 2 || <-all != syscall.SIGTERM || !signal.Ignored(os.Interrupt) || signal.Ignored(syscall.SIGTERM) {
			return fmt.Errorf("%d signals, and %d", len(c), len(all))
		}
		signal.Notify(c, os.Interrupt)
		if self.Signal(os.Interrupt); len(c) != 1 || signal.Ignored(os.Interrupt) {
			return errors.New("an interrupt is ignored")
		}
		return nil
	},
	"signal to another": func() error {
		p, err := os.FindProcess(os.Getpid() + 1)
		if err != nil || p.Signal(syscall.Signal(0)) == nil || p.Kill() == nil {
			return errors.New("another process exists")
		}
		if err := syscall.Kill(os.Getpid()+1, syscall.SIGTERM); err != syscall.ESRCH {
			return err
		}
		return nil
	},
	"terminated": func() error {
		p, _ := os.FindProcess(os.Getpid())
		return fmt.Errorf("a signal returns: %w", p.Signal(syscall.SIGTERM))
	},
	"kernel": func() error {
		if _, err := os.ReadFile("/proc/self/stat"); !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if _, err := os.Stat("/sys"); !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	},
	"sockets": func() error {
		if _, err := net.Dial("unix", "/tmp/macemc-socket"); !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if _, err := net.Dial("unix", "@macemc-socket"); !errors.Is(err, syscall.ECONNREFUSED) {
			return err
		}
		l, err := net.Listen("tcp6", "[::1]:80")
		if err != nil || l.Addr().String() != "[::1]:80" {
			return fmt.Errorf("%v %w", l, err)
		}
		c, err := net.Dial("tcp6", "[::1]:80")
		if err != nil {
			return err
		}
		return c.Close()
	},
	"names": func() error {
		if a, err := net.LookupHost("n0"); err != nil || a[0] != "10.0.0.1" {
			return fmt.Errorf("%v %w", a, err)
		}
		if a, err := net.LookupHost("localhost"); err != nil || a[0] != "127.0.0.1" {
			return fmt.Errorf("%v %w", a, err)
		}
		if _, err := net.LookupHost("example.com"); err == nil {
			return errors.New("a name of the machine's network")
		}
		if all, err := net.Interfaces(); err != nil || len(all) != 2 || all[0].Name != "lo" || all[1].Name != "eth0" {
			return fmt.Errorf("%v %w", all, err)
		}
		return nil
	},
	"clock": func() error {
		if now := time.Now(); now.Year() < 2026 || now.Nanosecond()%1_000_000 == 0 {
			return errors.New(now.String())
		}
		began := time.Now()
		time.Sleep(time.Hour)
		if d := time.Since(began); d < time.Hour || d > time.Hour+time.Second {
			return errors.New(d.String())
		}
		return nil
	},
	"temporary files": func() error {
		f, err := os.CreateTemp("", "x-*")
		if err != nil || path.Dir(f.Name()) != "/tmp" {
			return fmt.Errorf("%w in %s", err, os.TempDir())
		}
		if _, err := f.WriteString("text"); err != nil {
			return err
		}
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
			return err
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return err
		}
		dir, err := os.MkdirTemp("", "d-*")
		if err != nil {
			return err
		}
		if err := os.Rename(f.Name(), path.Join(dir, "a")); err != nil {
			return err
		}
		text, err := os.ReadFile(path.Join(dir, "a"))
		if err != nil || string(text) != "text" {
			return fmt.Errorf("%q %w", text, err)
		}
		if list, err := os.ReadDir("/tmp"); err != nil || len(list) != 1 {
			return fmt.Errorf("%v %w", list, err)
		}
		if text, err := os.ReadFile(os.Args[1]); err != nil || string(text) != "text" {
			return fmt.Errorf("a file of the test has %q, %w", text, err)
		}
		return os.RemoveAll(dir)
	},
	"surroundings": func() error {
		if text, err := io.ReadAll(os.Stdin); len(text) > 0 || err != nil {
			return fmt.Errorf("standard input has %q, %w", text, err)
		}
		if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != io.EOF {
			return err
		}
		if exe, err := os.Executable(); exe != "/bin/main" {
			return fmt.Errorf("executable %s, %w", exe, err)
		}
		return nil
	},
	"files": func() error {
		if _, err := os.ReadDir("/"); err != nil { // of the machine
			return err
		}
		if host, err := os.Hostname(); err != nil || host != "n0" || os.Getppid() != 1 || len(os.Environ()) != 0 {
			return fmt.Errorf("%s %d %w", host, os.Getppid(), err)
		}
		return nil
	},
}

func TestMachine(t *testing.T) {
	ofTest := path.Join(t.TempDir(), "certificate")
	if err := os.WriteFile(ofTest, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, program := range machines {
		t.Run(name, func(t *testing.T) {
			main := func() {
				if err := program(); err != nil {
					fmt.Println(err)
					os.Exit(1)
				}
			}
			want := "exit status 0"
			if name == "terminated" {
				want = "signal: terminated"
			}
			r, err := searched(t, search.Config{Workers: 1, Time: time.Minute, MaxPaths: 3, WalkSteps: 20, System: sim.System{
				Name: "machine", Nodes: 1, State: bubble.Rules, Network: netsim.Streams{}, Interleave: sim.FIFO, Clocks: &sim.Clocks{},
				New: func(sim.NodeID) sim.Service { return bubble.Command(main, []string{"main", ofTest}, nil) },
				Properties: []sim.Property{
					{Name: "as documented", Always: func(v *sim.View) bool {
						p, ok := v.Service(0).(*bubble.Program)
						return !ok || p.Ended == "" || strings.HasPrefix(p.Ended, want)
					}},
					{Name: "ends", Sometimes: ended(want)},
				},
			}})
			if err != nil || r.Finding != nil || r.Stats.Sometimes[0].Walks == 0 {
				t.Errorf("%v, %s after %d paths: %+v", err, r.Verdict, r.Stats.Paths, r.Finding)
			}
		})
	}
}
