package explorer

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/agents"
	"github.com/macemc/macemc/internal/child"
	"github.com/macemc/macemc/internal/testsched"
)

// Execute executes a test binary, explores its tests, and returns the exit status. The file follows so many words of a command that starts
// it, and its arguments follow the file. The settings are variables of the environment.
func Execute(words int, command []string) int {
	words = min(words+1, len(command))
	s := FromEnvironment(command[words:])
	s.binary = binary{Binary: agents.Binary{Start: command[:words], Args: command[words:], Environ: ofBinary(os.Environ()),
		Stage: os.Getenv(testsched.VariableStage), Running: agents.NewProcesses()}, cores: agents.NewCores(s.Summaries, s.Cores)}
	defer s.binary.cores.Wait()
	s.fresh = s.process
	h := host{Settings: s, log: s.binary.logged(), long: map[string]func() string{}, begun: map[string]bool{}}
	parent := os.Getppid()
	go func() {
		for os.Getppid() == parent {
			time.Sleep(parentInterval)
		}
		os.Exit(2) // nothing receives the verdict
	}()
	for rejected := false; ; {
		status, next := h.executeStage()
		if h.Debugged && status == testsched.DebugAgain {
			continue
		}
		if next == nil {
			if rejected && status == 0 {
				h.summarize(testsched.Unit{Package: h.pkg, Test: "TestMain"}, &Result{},
					"not explored: it fails after the exploration, although all tests pass, and not without exploration")
			}
			h.completeLog()
			return status
		}
		rejected = next.All && !next.Quiet
		if !next.Quiet { // the log lacks the files of the next stage
			h.dropLog()
		}
		s.binary.Next(s.flags, next)
	}
}

// parentInterval is the time after which a process may find that its parent has ended.
const parentInterval = 200 * time.Millisecond

// host executes a test binary.
type host struct {
	*Settings
	log  string                   // file that names what the tests read; an empty string means that it would be incomplete
	long map[string]func() string // Report.TimedOut, by test

	begun map[string]bool // the tests that the binary has begun
	pkg   string          // of the latest one
}

// ofBinary returns the environment of a test binary.
func ofBinary(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return name == variable || name == testsched.VariableStage
	})
}

// executeStage executes a stage of the binary. next is the call that asks for the next one, after this one has ended; nil means none.
func (h *host) executeStage() (status int, next *testsched.Call) {
	env := h.binary.Variables(h.flags.Timeout)
	if h.Outcome != "" {
		env = passing(h.Settings)
	} else if h.Options.Schedule != "" {
		env = append(env, testsched.VariableAlone+"=shown")
	}
	streams := agents.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	if h.binary.Quiet {
		file, show, err := hiddenOutput()
		if err != nil {
			fmt.Fprintln(os.Stderr, "macemc:", err)
			return 2, nil
		}
		streams.Out, streams.Err = file, file
		defer func() { show(status) }()
	}
	x, err := h.binary.Open(h.binary.Args, env, streams)
	if err != nil {
		fmt.Fprintln(os.Stderr, "macemc:", err)
		return 2, nil
	}
	forward, stop := child.Forward(agents.Forwarded...)
	forward(x.Process())
	alive := x.Serve(func(call *testsched.Call) testsched.Verdict {
		switch call.What {
		case testsched.Continues:
			next = call
		case testsched.TimesOut:
			if text := h.long[call.Test]; text != nil {
				return testsched.Verdict{Finding: text()}
			}
		default:
			return h.judge(call, &agents.Runner{Session: x, Runs: &h.runs.Runs})
		}
		return testsched.Verdict{}
	})
	state := x.Wait()
	if !x.Connected {
		h.reportUnconnected()
	}
	switch c := h.runs.config; {
	case alive, h.Debugged:
	case h.Outcome != "":
		os.WriteFile(h.Outcome, nil, 0o600) // for the command, which says so
	case c != nil:
		h.examineDeath(c, state.String())
	}
	stop()
	agents.EndLike(state)
	return state.ExitCode(), next
}

// hiddenOutput returns a file for the output of a stage that checks what TestMain does after m.Run, and a function that shows it if
// the stage fails.
func hiddenOutput() (file *os.File, show func(status int), err error) {
	if file, err = os.CreateTemp("", "macemc-test-output-*"); err != nil {
		return nil, nil, err
	}
	os.Remove(file.Name())
	return file, func(status int) {
		if status != 0 {
			fmt.Fprintf(os.Stderr, "macemc: TestMain ends with status %d when the tests are executed without exploration, after which it finds what they leave:\n", status)
			io.Copy(os.Stdout, io.NewSectionReader(file, 0, 1<<40))
		}
		file.Close()
	}, nil
}

// reportUnconnected reports that no test was explored, and that for each result: the go command does not cache it.
func (h *host) reportUnconnected() {
	dir, _ := os.Getwd()
	text := fmt.Sprintf("the tests in %s are not explored: %s", dir, agents.Unconnected)
	fmt.Fprintln(os.Stderr, "macemc:", text)
	h.announce(text)
	h.dropLog()
}

// dropLog removes the log of the binary, without which the go command does not cache the result.
func (h *host) dropLog() {
	os.Remove(h.log)
	h.log = ""
}

// examineDeath explores a test again, with each schedule in a process of its own, after a process has died that explored it.
func (h *host) examineDeath(c *Config, state string) {
	fmt.Fprintf(os.Stderr, "macemc: a process died (%s) while it explored %v of %s; each schedule is executed in a process of its own\n",
		state, c.Unit, c.Package)
	begun := time.Now()
	if text := separately(h.Settings, c, state).Finding; text != "" {
		text = "    " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n    ")
		fmt.Printf("%s--- FAIL: %s (%.2fs)\n%s\n", h.marker(), c.Test, time.Since(begun).Seconds(), text)
	}
	h.reportUnexecuted(c)
}

// marker precedes lines about tests. With -json, the go command ignores others.
func (h *host) marker() string {
	if slices.Contains(h.binary.Args, "-test.v=test2json") {
		return "\x16"
	}
	return ""
}

// reportUnexecuted names the tests behind one whose process has died.
func (h *host) reportUnexecuted(c *Config) {
	names := h.binary.Tests()
	first, _, _ := strings.Cut(c.Test, "/")
	names = slices.DeleteFunc(names[slices.Index(names, first)+1:], func(name string) bool { return h.begun[name] || !h.flags.Selects(name) })
	for _, name := range names {
		u := testsched.Unit{Package: c.Package, Test: name}
		h.summarize(u, &Result{}, "not explored: it is not executed, because the process died before")
	}
	if marker := h.marker(); marker != "" {
		for _, name := range names {
			fmt.Printf("%[1]s=== RUN   %[2]s\n    not executed, because the process died\n%[1]s--- SKIP: %[2]s (0.00s)\n", marker, name)
		}
	}
}

// judge explores a test.
func (h *host) judge(call *testsched.Call, runner testsched.Runner) testsched.Verdict {
	test, _, _ := strings.Cut(call.Test, "/")
	h.begun[test], h.pkg = true, call.Package
	deadline := time.Time{}
	if call.Deadline != 0 {
		deadline = time.Unix(0, call.Deadline)
	}
	report := h.Test(call.Unit, call.Race, deadline, runner)
	if !report.unexplored() {
		return report.Verdict
	}
	if report != nil {
		h.long[call.Test] = report.TimedOut
	}
	return testsched.Verdict{Unexplored: true, Long: report != nil}
}

// logged makes the binary log the files and variables that its tests read, for the go command, which caches the result. It returns the file
// of the log.
func (b *binary) logged() string {
	const flag = "-test.testlogfile="
	for _, arg := range b.Args {
		if file, ok := strings.CutPrefix(arg, flag); ok {
			return file
		}
	}
	file := filepath.Join(filepath.Dir(b.Start[len(b.Start)-1]), "testlog.txt")
	b.Args = append([]string{flag + file}, b.Args...)
	return file
}

// completeLog adds the files that were read here to the log of the binary, if it has one.
func (h *host) completeLog() {
	if h.limits.cut { // the same command goes on
		h.dropLog()
	}
	if h.log == "" {
		return
	}
	f, err := os.OpenFile(h.log, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return
	}
	defer f.Close()
	for _, name := range h.binary.read {
		fmt.Fprintf(f, "open %s\n", name)
	}
}
