package agents

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"unsafe"

	"github.com/macemc/macemc/internal/stacks"
	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/internal/testsched/program"
)

// RecordSwitches makes a new file for the switches that runs record, unless it cannot be created. remove removes it.
func (r *Runner) RecordSwitches() (remove func()) {
	f, err := os.CreateTemp("", "macemc-switches-")
	if err != nil {
		return func() {}
	}
	f.Close()
	r.Record = f.Name()
	return func() { os.Remove(r.Record) }
}

// Unrecorded reports whether the process could not write the record of a run. It has then removed the file.
func (r *Runner) Unrecorded() bool {
	_, err := os.Stat(r.Record)
	return err != nil
}

// recorded returns the switches that the process has recorded.
func (r *Runner) recorded() (list []testsched.Switch) {
	text, _ := os.ReadFile(r.Record)
	if n := len(text) / int(unsafe.Sizeof(testsched.Switch{})); n > 0 {
		list = make([]testsched.Switch, n)
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&list[0])), len(text)), text)
	}
	if end := slices.IndexFunc(list, func(s testsched.Switch) bool { return s.Who == 0 }); end >= 0 {
		list = list[:end]
	}
	return list
}

// Death returns the outcome of a run in which the process died, given its last output. nil means that it was too slow.
func (r *Runner) Death(state *os.ProcessState, output string) *testsched.Outcome {
	return death(state, output, r.recorded())
}

// death returns the outcome of a run in which the process died, given its last output and the recorded switches. nil means that it was too
// slow.
func death(state *os.ProcessState, output string, switches []testsched.Switch) *testsched.Outcome {
	message, disconnected := "", ""
	rest := output
	for line := range strings.Lines(output) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "fatal error: ") {
			message = line
			break
		} else if line == "panic:" || strings.HasPrefix(line, "panic: ") {
			_, text, _ := strings.Cut(rest, "panic:")
			text, _, _ = strings.Cut(text, "\n\n") // lines of the value begin with a tab
			message = "panic: " + program.OneLine(text)
			break
		}
		rest = rest[strings.IndexByte(rest, '\n')+1:]
		if strings.HasPrefix(line, testsched.Disconnected) {
			disconnected = strings.TrimPrefix(line, "macemc: ")
		}
	}
	if strings.HasPrefix(message, "panic: test timed out") {
		return nil
	}
	stack := traceback(output)
	o := &testsched.Outcome{Kind: testsched.Panic, Message: strings.TrimPrefix(message, "panic: "), Details: stack.Lines(),
		Switches: switches}
	switch code := state.ExitCode(); {
	case message != "":
	case disconnected != "":
		o.Kind, o.Message = testsched.Exit, disconnected
	case code < 0:
		o.Kind, o.Message = testsched.Exit, fmt.Sprintf("the process ended (%v)", state)
	default:
		o.Kind, o.Message = testsched.Exit, fmt.Sprintf("os.Exit(%d) was called", code)
	}
	if len(stack) > 0 {
		o.Where = stack.Where()
	}
	o.Show(strings.ToLower(string(o.Kind)), o.Message, stack)
	o.Identify()
	return o
}

// traceback returns the stack of the first goroutine in the output of a process that has died.
func traceback(output string) (stack testsched.Stack) {
	all := stacks.Read(output)
	if len(all) == 0 {
		return nil
	}
	for _, f := range all[0].Frames {
		file, line := f.Position()
		stack = append(stack, testsched.Frame{Function: testsched.InPackage(f.Function), File: file, Line: line})
	}
	return stack
}
