package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/check/isolate"
	"github.com/macemc/macemc/internal/check/outfolder"
	"github.com/macemc/macemc/internal/child"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/internal/version"
	"github.com/macemc/macemc/search"
)

// listedCheck is a check that was listed.
type listedCheck struct {
	task.Listed
	goTest string // Test without the number of the check
}

// command runs tests of the binary whose names fit a pattern.
func (b *binary) command(pattern, variable, value string, more ...string) *exec.Cmd {
	cmd := exec.Command(b.file(), "-test.run="+pattern, "-test.count=1", "-test.timeout=0")
	cmd.Dir = b.Dir
	cmd.Env = append(slices.Concat(os.Environ(), b.env, more), variable+"="+value)
	return cmd
}

// instantOf returns the variable of the environment by which a process begins at the instant of the stored search that a task continues.
func instantOf(t task.Task) []string {
	if s, ok := t.(*task.Search); ok && s.Instant() != 0 {
		return []string{testsched.VariableInstant + "=" + strconv.FormatUint(s.Instant(), 10)}
	}
	return nil
}

// list returns the checks in a test, or in all if none is named.
func (b *binary) list(ctx context.Context, test string) ([]listedCheck, error) {
	files := slices.Concat(b.TestGoFiles, b.XTestGoFiles)
	pattern := candidates(b.Dir, files)
	if test != "" {
		pattern = task.RunPattern(test)
		if plain := plainTest(test); plain != test { // go test itself calls the second subtest of a name #01
			pattern += "|" + task.RunPattern(plain)
		}
	}
	file := filepath.Join(b.temp.Path, "list")
	cmd := b.command(pattern, task.ListVar, file)
	o, err := child.Run(ctx, cmd, 0)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var all []listedCheck
	count := map[string]int{}
	for dec := json.NewDecoder(bytes.NewReader(text)); ; {
		var l task.Announcement
		if err := dec.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if !l.Understood() {
			same := "of the same checkout, by go install ./cmd/macemc there"
			if strings.HasPrefix(l.Version, "v") {
				same = "of the same version, by go install github.com/macemc/macemc/cmd/macemc@" + l.Version
			}
			return nil, fmt.Errorf("%s is built with another macemc (%s) than this program (%s), which does not understand it; use a program %s",
				b.ImportPath, l.Version, version.Current().Version, same)
		}
		f := listedCheck{l.Listed, l.Test}
		if count[l.Test]++; count[l.Test] > 1 {
			f.Test = fmt.Sprintf("%s#%d", l.Test, count[l.Test])
		}
		all = append(all, f)
	}
	switch {
	case len(all) > 0:
		return all, nil
	case o.Status != 0:
		return nil, fmt.Errorf("the tests of %s end (%v) before one calls mctest.Check: %s", b.ImportPath, cmd.ProcessState,
			strings.TrimSpace(o.Stdout+o.Stderr))
	case test != "":
		function, _, _ := strings.Cut(plainTest(test), "/")
		if _, others := testFunctions(b.Dir, files); slices.Contains(others, function) {
			return nil, fmt.Errorf("%s: %s", b.ImportPath, exploreHint(function, b.ImportPath))
		}
		return nil, fmt.Errorf("%s: no test %s calls mctest.Check; \"macemc systems %s\" lists those that do (--tags TAG adds files with a build tag)", b.ImportPath, test, b.ImportPath)
	}
	return nil, &noCheckError{b.ImportPath}
}

// noCheckError is the error for a package whose tests do not call mctest.Check.
type noCheckError struct{ pkg string }

func (e *noCheckError) Error() string {
	return fmt.Sprintf("no test of %s calls mctest.Check, so there is no system to check; macemc test explores other tests", e.pkg)
}

// plainTest removes the number that distinguishes several checks of one test.
func plainTest(name string) string {
	plain, _, _ := strings.Cut(name, "#")
	return plain
}

// do lets a test do a task. The streams, and the terminal with them, are those of this process.
func (b *binary) do(ctx context.Context, c listedCheck, t task.Task) error {
	order, err := b.a.Order(t, c.Listed)
	if err != nil {
		return err
	}
	order.Listed.Test, order.OtherVersions, order.Printed = c.goTest, b.others, filepath.Join(b.temp.Path, "printed")
	if err := os.Remove(order.Printed); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text, err := json.Marshal(order)
	if err != nil {
		return err
	}
	cmd := b.command(task.RunPattern(c.goTest), task.DriveVar, string(text), instantOf(t)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = b.a.Stdin, b.a.Stdout, b.a.Stderr
	theirIn, orders, err := os.Pipe()
	if err != nil {
		return err
	}
	defer orders.Close()
	answers, theirOut, err := os.Pipe()
	if err != nil {
		return errors.Join(err, theirIn.Close())
	}
	defer answers.Close()
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	forward, stop := child.Forward(child.Stops()...)
	defer stop()
	began := time.Now()
	err = cmd.Start()
	if err = errors.Join(err, theirIn.Close(), theirOut.Close()); err != nil {
		return err
	}
	forward(cmd.Process)
	ended := make(chan struct{})
	var hung atomic.Bool
	go func() {
		defer close(ended)
		err = cmd.Wait()
		// Its own answers are still read, but not for long if processes of the checked code have inherited the pipe.
		_ = answers.SetReadDeadline(time.Now().Add(answerWait))
	}()
	go func() {
		hangs := hangs(cmd.Process.Pid, t)
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if hangs() {
					hung.Store(true)
					_ = cmd.Process.Kill()
				}
			case <-ended:
				return
			}
		}
	}()
	reached, status := b.serve(ctx, c, t, answers, orders)
	<-ended
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		return err
	}
	if code := cmd.ProcessState.ExitCode(); !reached && (code == 0 || code == 1) { // the tests ended, and nothing ended their process
		return fmt.Errorf("%s: %s did not reach the system that it listed (%v); does the system depend on when or where it is built?",
			b.ImportPath, c.goTest, cmd.ProcessState)
	}
	if by, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && by.Signaled() && by.Signal() == syscall.SIGPIPE {
		return Exit(128 + int(syscall.SIGPIPE)) // head, or a pager that was left, has seen enough
	}
	if status == nil {
		if status, ok := order.PrintedStatus(); ok { // only the process that waited for the search was cut short
			return b.a.StatusError(ctx, status, nil)
		}
		return b.cutShort(ctx, c, t, ending(cmd.ProcessState, hung.Load()), began)
	}
	return b.a.StatusError(ctx, *status, nil)
}

// serve answers the requests of the process of the tests, see [task.Serve].
func (b *binary) serve(ctx context.Context, c listedCheck, t task.Task, answers, orders *os.File) (reached bool, status *int) {
	debugger := &inspection{binary: b, check: c, task: t}
	defer debugger.close()
	return task.Serve(ctx, lateReader{answers}, orders, b.a.Screen, debugger.inspect)
}

// lateReader reads a pipe until its deadline, and then the rest of its data. A read of os.File after the deadline fails at once,
// although data may be there if this process got no processor time before.
type lateReader struct{ *os.File }

func (r lateReader) Read(b []byte) (int, error) {
	n, err := r.File.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		if err = r.SetReadDeadline(time.Now().Add(answerWait)); err == nil {
			n, err = r.File.Read(b)
		}
	}
	return n, err
}

// ending describes from its state how a process ended that did not finish its work.
func ending(state *os.ProcessState, hung bool) string {
	by := isolate.SignalOf(state, "")
	switch {
	case hung:
		return "a signal such as SIGSTOP had stopped it, and it was killed after the time limit"
	case by != "":
		return by + " ended it, sent by the checked code or from outside"
	case state.ExitCode() == crashed:
		return fmt.Sprintf("the checked code ended it (%v), or a signal such as SIGSEGV, which may come from outside; its last output says more",
			state)
	}
	return fmt.Sprintf("the checked code ended it (%v)", state)
}

// crashed is the exit status with which the Go runtime ends a process after a panic, a fatal error or a fatal signal.
const crashed = 2

// cutShort reports that the process of the tests ended before its work was done. Checked code in it may have ended it,
// with any exit status, so the verdict is that of the files that it wrote after began.
func (b *binary) cutShort(ctx context.Context, c listedCheck, t task.Task, how string, began time.Time) error {
	err := fmt.Errorf("%s: the process of the tests ended before its work was done: %s", b.ImportPath, how)
	if s, ok := t.(*task.Search); ok {
		dir := cmp.Or(s.Out, outfolder.Root)
		own := func(h *pathfile.Header) bool {
			return h.Package == b.ImportPath && h.Test == c.goTest && h.System == c.System
		}
		if files := writtenSince(began, dir, outfolder.ErrorPath, own); files != nil {
			return s.ShowCutShort(ctx, &b.a.Process, files, true, fmt.Errorf("%w; what was found before is in %s", err, strings.Join(files, ", ")))
		}
		if files := writtenSince(began, dir, check.SuspectPath, own); files != nil {
			return s.ShowCutShort(ctx, &b.a.Process, files, false, fmt.Errorf("%w; the suspect that was examined is in %s", err, files[0]))
		}
	}
	if ctx.Err() != nil {
		return b.a.StatusError(ctx, exitcode.Of(search.Interrupted, context.Cause(ctx)), err)
	}
	return b.a.StatusError(ctx, exitcode.Inconclusive, err)
}

// answerWait is the time after the end of the process of the tests in which its next answer arrives.
const answerWait = time.Second

// lookEvery is the interval at which the process of the tests is watched.
const lookEvery = 100 * time.Millisecond

// hangs returns a function that reports, each time, whether a signal has stopped a process beyond the time of its task.
func hangs(pid int, t task.Task) func() bool {
	s, ok := t.(*task.Search)
	if !ok || s.Limit() == 0 {
		return func() bool { return false }
	}
	clock, before := isolate.NewClock(pid), false
	return func() bool {
		late := clock.Spent() >= isolate.KillAfter(s.Limit()) && isolate.Stopped(pid)
		again := late && before // two processes that were suspended together may not continue at the same moment
		before = late
		return again
	}
}

// writtenSince returns the path files of that name in an output folder, and in folders of it, that were written after began
// and are of the same check, because searches of other checks may use the same folder.
func writtenSince(began time.Time, dir, name string, own func(*pathfile.Header) bool) (files []string) {
	for _, pattern := range []string{name, "*/" + name} {
		names, _ := fs.Glob(os.DirFS(dir), pattern)
		for _, name := range names {
			name = filepath.Join(dir, name)
			info, err := os.Stat(name)
			if err != nil || !info.ModTime().After(began) {
				continue
			}
			if f, err := pathfile.Read(name); err == nil && own(&f.Header) {
				files = append(files, name)
			}
		}
	}
	return files
}
