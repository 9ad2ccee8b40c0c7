package testsched

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// processes executes schedules in new processes until one fails, and repeats the failing schedule.
func (s *Settings) processes(c *Config, r *Result) (found *Schedule, finding *Outcome, tried int) {
	limit := 200
	if c.Schedules > 0 {
		limit = min(limit, c.Schedules)
	}
	deadline := time.Now().Add(max(10*time.Second, 2*c.Time))
	for n := 0; n < limit && time.Now().Before(deadline); n++ {
		o := s.process(c, variableOnly+"="+strconv.Itoa(n), VariableSchedules+"="+strconv.FormatUint(r.First.Points, 10))
		tried++
		if o == nil || o.Kind == Passed {
			continue
		}
		d := draw(c.Seed, n, r.First.Points, c.Race)
		sch := &Schedule{Seed: d.Seed, Memory: d.Memory, Switches: o.Switches}
		if again := s.replay(c, sch); again != nil && again.Same(o) {
			return sch, again, tried
		}
	}
	return nil, nil, tried
}

// replay executes a schedule in a new process; nil means that the process wrote no outcome.
func (s *Settings) replay(c *Config, sch *Schedule) *Outcome {
	file, err := os.CreateTemp("", "macemc-schedule-")
	if err != nil {
		return nil
	}
	defer os.Remove(file.Name())
	f := &Stored{Package: c.Package, Test: c.Test, Schedule: *sch}
	_, err = f.WriteTo(file)
	if e := file.Close(); err != nil || e != nil {
		return nil
	}
	return s.process(c, VariableSchedule+"="+file.Name())
}

// processTime is the time limit of a new process.
const processTime = 60 * time.Second

// process executes the test once in a new process of this program.
func (s *Settings) process(c *Config, env ...string) *Outcome {
	file, err := os.CreateTemp("", "macemc-outcome-")
	if err != nil {
		return nil
	}
	file.Close()
	defer os.Remove(file.Name())
	if !s.start(c, append(env, VariableOutcome+"="+file.Name())...) {
		return nil
	}
	text, err := os.ReadFile(file.Name())
	if err != nil || len(text) == 0 {
		return nil
	}
	return Decode(string(text))
}

// start executes the test in a new process of this program, with some environment variables changed, and waits for its end. It reports
// whether the process could be started.
func (s *Settings) start(c *Config, env ...string) bool {
	exe, err := os.Executable()
	if err != nil {
		return false
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer null.Close()
	args := []string{exe, "-test.run=" + Pattern(c.Test), "-test.count=1", "-test.timeout=" + processTime.String()}
	for _, arg := range os.Args[1:] {
		if !strings.HasPrefix(arg, "-test.") {
			args = append(args, arg)
		}
	}
	p, err := os.StartProcess(exe, args, &os.ProcAttr{Env: s.environment(env), Files: []*os.File{null, null, null}})
	if err != nil {
		return false
	}
	timer := time.AfterFunc(processTime+10*time.Second, func() { p.Kill() })
	defer timer.Stop()
	p.Wait()
	return true
}

// environment returns the original environment of this process with some variables changed.
func (s *Settings) environment(changed []string) []string {
	return append(slices.DeleteFunc(slices.Clone(s.environ), func(old string) bool {
		return slices.ContainsFunc(changed, func(e string) bool {
			name, _, _ := strings.Cut(e, "=")
			return strings.HasPrefix(old, name+"=")
		})
	}), changed...)
}
