package bubble

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"unsafe"

	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/internal/testsched/program"
	"github.com/macemc/macemc/sim"
)

// Command returns a service that runs an ordinary main function as a process of its own: with os.Args, an environment and package variables
// that other nodes do not share. args and env have the formats of os.Args, which begins with the name of the program, and os.Environ. Without
// args, os.Args has the name of main's package.
//
// The process ends when main returns or calls os.Exit, as log.Fatal does. Its connections are closed, and the node stays up without it
// until a crash. [Program].Ended describes how it ended. A panic that is not recovered is a violation. Lines of os.Stdout and os.Stderr are
// part of traces. [Signal] sends a signal to the process. A client that is written for a test may also take a [Host].
func Command[M func() | func(context.Context) error | func(context.Context, *Host) error](main M, args, env []string,
	options ...Option) sim.Service {
	if len(args) > 0 && strings.HasPrefix(args[0], "-") {
		panic("bubble.Command: args[0] must be the name of the program, as in os.Args, and is the flag " + args[0])
	}
	p := service(func(ctx context.Context, h *Host) error {
		switch main := any(main).(type) {
		case func():
			main()
			h.exit("exit status 0")
		case func(context.Context) error:
			h.exit(fmt.Sprint("returned ", main(ctx)))
		case func(context.Context, *Host) error:
			h.exit(fmt.Sprint("returned ", main(ctx, h)))
		}
		return nil
	}, options)
	_, simple := any(main).(func())
	name := runtime.FuncForPC(reflect.ValueOf(main).Pointer()).Name()
	slash := strings.LastIndexByte(name, '/') + 1
	last, _, _ := strings.Cut(name[slash:], ".")
	if len(args) == 0 {
		args = []string{last} // packages that are initialized again read the name of the program
	}
	p.goroutines.command = &command{main: main, args: args, env: env, takesContext: !simple, pkg: name[:slash] + last + ".",
		packages: map[string]bool{}}
	return p
}

// command describes the process that a node starts.
type command struct {
	main         any // the function that was passed to Command
	args, env    []string
	takesContext bool
	pkg          string          // prefix of the names in the package of main
	packages     map[string]bool // see [command.again]
}

// process is the state of a node's process outside its [Host].
type process struct {
	args, env   []string
	index       map[string]int // index of env by name; nil means unknown
	variables   unsafe.Pointer // values of package variables while the process does not run; nil means the initial values
	initializes bool           // see [command.initializes]
}

// variable is a package variable in the runtime's format: macemcVariable of the overlay.
type variable struct{ from, to, kind uintptr }

var errVariables = errors.New("the package variables of a process cannot be found: that takes a binary with symbols in ELF format, as on Linux, " +
	"and not more than 64 MB of what they lead to at first")

// initialVariables is the result of recording the package variables before the first process of a checked system.
var initialVariables struct {
	done   bool
	err    error
	others []string // variables that all nodes share
}

// saveInitial records the values of package variables, once per process of the checker. It covers the package of the main function, modules
// other than the checker, and standard library packages that programs register things with. The lock stepping must be held.
func (c *command) saveInitial() error {
	if initialVariables.done {
		if c.shares(initialVariables.others) {
			return fmt.Errorf("package variables of %s would be shared by all nodes: pass a function of the package of the first main function, which calls this one", strings.TrimSuffix(c.pkg, "."))
		}
		return initialVariables.err
	}
	initialVariables.done = true
	var all []variable
	restored := false
	for _, v := range program.Variables(dataStart()) {
		kind := v.Kind
		switch {
		case strings.HasPrefix(v.Name, c.pkg):
			kind = program.RestoreVariable
		case kind == program.WatchVariable:
			kind = program.LeaveVariable
		}
		if kind == program.RestoreVariable {
			restored = true
		} else {
			initialVariables.others = append(initialVariables.others, v.Name)
		}
		all = append(all, variable{v.From, v.To, uintptr(kind)})
	}
	if !restored || saveInitial(all) == 0 {
		initialVariables.err = errVariables
	}
	return initialVariables.err
}

// shares reports whether variables of the main function's package are among variables that all nodes share. The compiler has generated
// those with two dots.
func (c *command) shares(others []string) bool {
	return slices.ContainsFunc(others, func(name string) bool { return strings.HasPrefix(name, c.pkg) && !strings.Contains(name, "..") })
}

// enter installs the package variables, the arguments and the environment of the node's process.
func (n *node) enter() {
	if p := n.process; p != nil {
		stepping.variables = swapVariables(stepping.variables, p.variables, 0, true)
		p.swap()
	}
}

// leave restores those of the checker.
func (n *node) leave() {
	if p := n.process; p != nil {
		p.swap()
		p.variables = swapVariables(p.variables, stepping.variables, n.bubble, false)
	}
}

func (p *process) swap() {
	p.args, os.Args = os.Args, p.args
	p.env, p.index = environment(p.env, p.index)
}

// exit ends the process and blocks the calling goroutine forever. Other goroutines may still change the process in this step, so exit calls
// Observe itself. If Observe waits for a lock, the process continues until the lock is free, as if exit had been called later.
func (h *Host) exit(how string) {
	if h.exiting == "" && !h.halted {
		if h.exiting = how; h.observe != nil {
			unscheduled(1)
			h.final = h.observe()
			unscheduled(-1)
		}
		h.halt(how)
	}
	select {}
}

// unobserved is a line of the trace.
const unobserved = "the program ends while a lock that Observe needs is held, so it shows its state of an earlier step"

// finishExit ends a node's process whose call of exit waits for a lock at the end of a step.
func finishExit(n *node) {
	h := n.host
	if h.exiting == "" || h.halted {
		return
	}
	n.ctl.mode = modeFIFO
	resumeStopped()
	if n.wait(); !h.halted {
		h.effect(effect{kind: logEffect, text: unobserved})
		h.halt(h.exiting)
		n.ctl.nlocks = 0 // Observe may wait for a lock of its own goroutine
	}
}

// halt ends the process and closes its connections and sockets. Later effects of other goroutines in the step are discarded.
func (h *Host) halt(how string) {
	if h.halted {
		return
	}
	h.flush()
	h.finish()
	h.ended, h.returned, h.halted = steady(how), true, true
}

// signal sends the process a signal. It reports whether the process handles or ignores it.
func (h *Host) signal(sig os.Signal) (handled bool) {
	if sig == os.Interrupt || sig == syscall.SIGTERM {
		h.stop()
		handled = h.command == nil || h.command.takesContext
	}
	for _, s := range h.signals {
		if s.takes(sig) {
			handled = true
			select {
			case s.c <- sig: // never if they are ignored
			default:
			}
		}
	}
	return handled
}

// signalled is a channel that a process has passed to signal.Notify; nil means that the signals are ignored.
type signalled struct {
	c       chan<- os.Signal
	signals []os.Signal // empty means all
	except  []os.Signal
}

func (s *signalled) takes(sig os.Signal) bool {
	return (len(s.signals) == 0 || slices.Contains(s.signals, sig)) && !slices.Contains(s.except, sig)
}

// unset cancels earlier calls of signal.Ignore for signals, and of signal.Notify if channels is set. An empty list means all signals.
func (h *Host) unset(signals []os.Signal, channels bool) {
	var left []signalled
	for _, s := range h.signals {
		if channels || s.c == nil {
			if len(signals) == 0 {
				continue
			}
			s.except = append(s.except, signals...)
		}
		left = append(left, s)
	}
	h.signals = left
}

// flush logs incomplete lines that the process has printed.
func (h *Host) flush() {
	for i, text := range h.printed {
		if len(text) > 0 {
			h.printed[i] = nil
			h.effect(effect{kind: logEffect, text: outputs[i] + string(text)})
		}
	}
}

var outputs = [...]string{"stdout: ", "stderr: "}

// machine replaces the operating system in package os for goroutines of a node.
type machine interface {
	Exit(code int) // returns if the node is not a process
	Print(error bool, text []byte) bool
	Hostname() string
	Pid() int
	Notify(c chan<- os.Signal, signals []os.Signal)
	Stop(c chan<- os.Signal)
	Reset(signals []os.Signal, ignore bool)
	Ignored(sig os.Signal) bool
	Signal(pid int, sig os.Signal) error
	// Open, Change and Stat operate on files. own reports whether a path is below the data directory of the node.
	Open(name string, flag int) (f openFile, own bool, err error)
	Change(op, name, to string, size int64) (own bool, err error)
	Stat(name string) (info os.FileInfo, own bool, err error)
	HasFiles() bool
	Executable() string // empty if the node is not a process
	Refuse(what string) // does not return, see [Host.unsimulated]
}

// machines implements machine on the host of the calling goroutine.
type machines struct{}

func (machines) Exit(code int) {
	if h := current(); h.command != nil {
		h.exit(fmt.Sprint("exit status ", code))
	}
	fmt.Fprintf(os.Stderr, "%s%s", simext.ProgramExits, debug.Stack())
}

func (machines) Print(error bool, text []byte) bool {
	h := current()
	if h.command == nil {
		return false
	}
	i := 0
	if error {
		i = 1
	}
	for line := range strings.Lines(string(text)) {
		h.printed[i] = append(h.printed[i], line...)
		if line, whole := strings.CutSuffix(string(h.printed[i]), "\n"); whole {
			h.printed[i] = nil
			h.effect(effect{kind: logEffect, text: outputs[i] + line})
		}
	}
	return true
}

func (machines) Refuse(what string) { current().unsimulated(what) }

func (machines) Hostname() string { h := current(); return h.name(h.self) }
func (machines) Pid() int         { h := current(); return 1000*(h.boot+1) + int(h.self) }

func (machines) Notify(c chan<- os.Signal, signals []os.Signal) {
	if c == nil {
		panic("os/signal: Notify using nil channel")
	}
	h := current()
	h.unset(signals, false)
	h.signals = append(h.signals, signalled{c: c, signals: slices.Clone(signals)})
}

func (machines) Stop(c chan<- os.Signal) {
	h := current()
	h.signals = slices.DeleteFunc(h.signals, func(s signalled) bool { return s.c == c })
}

// Reset restores the default action for signals or ignores them. An empty list means all signals.
func (machines) Reset(signals []os.Signal, ignore bool) {
	h := current()
	h.unset(signals, true)
	if ignore {
		h.signals = append(h.signals, signalled{signals: slices.Clone(signals)})
	}
}

func (machines) Ignored(sig os.Signal) bool {
	return slices.ContainsFunc(current().signals, func(s signalled) bool { return s.c == nil && s.takes(sig) })
}

// Signal sends the process of the node a signal. The machine has no other processes.
func (m machines) Signal(pid int, sig os.Signal) error {
	h := current()
	switch {
	case pid != m.Pid():
		return os.ErrProcessDone
	case h.command == nil:
		h.unsimulated("it sends its process a signal, but is no bubble.Command")
	case sig == os.Kill || sig != syscall.Signal(0) && !h.signal(sig):
		h.exit(fmt.Sprint("signal: ", sig))
	}
	return nil
}

// systemProcess is the process of a node in package syscall.
type systemProcess = interface {
	Pid() int
	Kill(pid int, sig syscall.Signal) syscall.Errno
	Refuse(what string)
}

// Kill is Signal as a system call. 0 and the negative number of the process denote its group.
func (m machines) Kill(pid int, sig syscall.Signal) syscall.Errno {
	if own := m.Pid(); pid == 0 || pid == -own {
		pid = own
	}
	if m.Signal(pid, sig) != nil {
		return syscall.ESRCH
	}
	return 0
}

// canRun reports why the command cannot be run.
func (c *command) canRun() error {
	stepping.Lock()
	defer stepping.Unlock()
	return c.saveInitial()
}
