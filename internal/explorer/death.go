package explorer

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/macemc/macemc/internal/stacks"
	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/internal/testsched/program"
)

// recorded returns the switches that a process has recorded in a file.
func recorded(file string) (list []testsched.Switch) {
	text, _ := os.ReadFile(file)
	if n := len(text) / int(unsafe.Sizeof(testsched.Switch{})); n > 0 {
		list = make([]testsched.Switch, n)
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&list[0])), len(text)), text)
	}
	if end := slices.IndexFunc(list, func(s testsched.Switch) bool { return s.Who == 0 }); end >= 0 {
		list = list[:end]
	}
	return list
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

// firstFailure executes schedules in processes of their own until one fails, and reports the failure; nil means that none did. points is
// the number of points of a run, and limit the maximum number; 0 means unknown. It also returns the number of schedules that passed.
func firstFailure(s *Settings, c *Config, points, limit uint64, known func(*testsched.Outcome) bool) (report *Report, passed int) {
	most := 200
	if c.Schedules > 0 {
		most = min(most, c.Schedules)
	}
	deadline := s.within(max(10*time.Second, 2*c.Time))
	for n := 0; n < most && s.unstarted == nil && time.Now().Before(deadline); n++ {
		drawn := c.draw(n, points)
		drawn.Limit = limit
		run := func() *testsched.Outcome {
			again := *drawn
			return s.fresh(c, execution{drawn: &again})
		}
		o := run()
		if o != nil && o.Kind == testsched.Passed {
			passed++
			if points == 0 {
				points = o.Points
			}
		}
		if o.Lengthy() {
			limit = cmp.Or(limit, longer*o.Points)
			continue
		}
		if o.Fails() && !known(o) {
			found := &testsched.Schedule{Seed: drawn.Seed, Memory: drawn.Memory, Delay: c.Delay, Switches: o.Switches, Limit: limit}
			return s.confirm(c, found, o, fmt.Sprintf("found by schedule %d in a new process", n+1), run), passed
		}
	}
	return nil, passed
}

// separately explores a test in whose exploration a process has died, with a state.
func separately(s *Settings, c *Config, state string) *Report {
	begun, r := time.Now(), &Result{}
	report, passed := firstFailure(s, c, 0, 0, func(*testsched.Outcome) bool { return false })
	switch r.Schedules = passed; {
	case report == nil && (passed == 0 || s.unstarted != nil):
		if s.unstarted == nil {
			s.unstarted = errors.New("no new process executed the test in time")
		}
		report = &Report{Note: fmt.Sprintf("macemc: a process ended during the exploration (%s), for a reason that was not examined: %v",
			state, s.unstarted)}
	case report == nil:
		report = &Report{Note: fmt.Sprintf("macemc: a process ended during the exploration (%s), for a reason that does not recur: "+
			"%d schedules in new processes passed", state, passed)}
	default:
		r.Schedules, r.Finding = passed+1, &testsched.Outcome{}
	}
	r.Elapsed = time.Since(begun)
	return s.conclude(c.Unit, r, report, strings.TrimPrefix(report.Note, "macemc: "))
}

// dying returns the text for a panic of a goroutine outside the test, which ends the process.
func dying(u testsched.Unit) testsched.Dying {
	return testsched.Dying{Before: "macemc: a goroutine that a package has started ends the process during or after a run of " + u.String()}
}
