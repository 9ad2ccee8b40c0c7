package testsched

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"
)

// VariableDied, if not empty, means that a process has died while it explored the test. Each schedule is executed in a process of its own.
const VariableDied = "MACEMC_TEST_DIED"

// Begun is the text of the file of VariableOutcome during the run of its process. It remains if the process dies.
const Begun = "begun\n"

// begins records that the run of a process of its own begins.
func begins(s *Settings) { os.WriteFile(s.outcome, []byte(Begun), 0o600) }

// recordSuffix is added to the name of that file, for the file of the switches that the run records.
const recordSuffix = ".switches"

// Record returns memory for n switches that a run records. The process that waits for the run can read it if this one dies.
func Record(s *Settings, n int) []Switch {
	if s != nil && s.only >= 0 {
		if list := shared(s.outcome+recordSuffix, n); list != nil {
			return list
		}
	}
	return make([]Switch, n)
}

// recorded returns the switches that a process has recorded, whose outcome is in a file.
func recorded(outcome string) (list []Switch) {
	text, _ := os.ReadFile(outcome + recordSuffix)
	if n := len(text) / int(unsafe.Sizeof(Switch{})); n > 0 {
		list = make([]Switch, n)
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&list[0])), len(text)), text)
	}
	if end := slices.IndexFunc(list, func(s Switch) bool { return s.Who == 0 }); end >= 0 {
		list = list[:end]
	}
	return list
}

// death returns the outcome of a run in which the process died, given its last output and the recorded switches. nil means that it was too
// slow.
func death(state *os.ProcessState, output string, switches []Switch) *Outcome {
	message := ""
	for line := range strings.Lines(output) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			message = line
			break
		}
	}
	if strings.HasPrefix(message, "panic: test timed out") {
		return nil
	}
	stack := traceback(output)
	o := &Outcome{Kind: Panic, Message: strings.TrimPrefix(message, "panic: "), Details: stack.Lines(), Switches: switches}
	switch code := state.ExitCode(); {
	case message != "":
	case code < 0:
		o.Kind, o.Message = Exit, fmt.Sprintf("the process ended (%v)", state)
	default:
		o.Kind, o.Message = Exit, fmt.Sprintf("os.Exit(%d) was called", code)
	}
	if len(stack) > 0 {
		o.Where = stack.Where()
	}
	o.Show(strings.ToLower(string(o.Kind)), o.Message, stack)
	o.Identify()
	return o
}

// traceback returns the stack of the first goroutine in the output of a process that has died.
func traceback(output string) (stack Stack) {
	lines := strings.Split(output, "\n")
	first := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "goroutine ") && strings.HasSuffix(line, ":") })
	if first < 0 {
		return nil
	}
	for i := first + 1; i+1 < len(lines) && strings.HasPrefix(lines[i+1], "\t") && !strings.HasPrefix(lines[i], "created by "); i += 2 {
		position, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), " +0x")
		end := strings.LastIndexByte(position, ':')
		f := frame{Function: inPackage(lines[i]), File: position[:max(end, 0)]}
		if open := strings.LastIndexByte(f.Function, '('); open > 0 {
			f.Function = f.Function[:open]
		}
		f.Line, _ = strconv.Atoi(position[end+1:])
		stack = append(stack, f)
	}
	return stack
}

// firstFailure executes schedules in processes of their own until one fails, and reports the failure; nil means that none did. points is
// the number of points of a run, and limit the maximum number; 0 means unknown. It also returns the number of schedules that passed.
func firstFailure(s *Settings, c *Config, points, limit uint64, known func(*Outcome) bool) (report *Report, passed int) {
	most := 200
	if c.Schedules > 0 {
		most = min(most, c.Schedules)
	}
	deadline := s.within(max(10*time.Second, 2*c.Time))
	for n := 0; n < most && s.temporary == nil && time.Now().Before(deadline); n++ {
		env := []string{variableOnly + "=" + strconv.Itoa(n), VariableSchedules + "=" + strconv.FormatUint(points, 10),
			variableLimit + "=" + strconv.FormatUint(limit, 10)}
		drawn := c.draw(n, points)
		run := func() *Outcome { return s.fresh(c, env...) }
		o := run()
		if o != nil && o.Kind == Passed {
			passed++
			if points == 0 {
				points = o.Points
			}
		}
		if o.long() {
			limit = cmp.Or(limit, longer*o.Points)
			continue
		}
		if o.fails() && !known(o) {
			found := &Schedule{Seed: drawn.Seed, Memory: drawn.Memory, Delay: c.Delay, Switches: o.Switches, Limit: limit}
			return s.confirm(c, found, o, fmt.Sprintf("found by schedule %d in a new process", n+1), run), passed
		}
	}
	return nil, passed
}

// separately explores a test in whose exploration a process has died.
func separately(s *Settings, c *Config) *Report {
	begun, r := time.Now(), &Result{}
	report, passed := firstFailure(s, c, 0, 0, func(*Outcome) bool { return false })
	if r.Schedules = passed; report == nil {
		report = &Report{Note: fmt.Sprintf("macemc: a process ended during the exploration, for a reason that does not recur: %d schedules in new processes passed", passed)}
	} else {
		r.Schedules, r.Finding = passed+1, &Outcome{}
	}
	r.Elapsed = time.Since(begun)
	return s.conclude(c.Unit, r, report, strings.TrimPrefix(report.Note, "macemc: "))
}

// outputFile creates a file for the output of a process.
func outputFile(outcome string) (*os.File, error) {
	return os.OpenFile(filepath.Clean(outcome)+".output", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
}
