package testsched

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
)

// A process whose descriptor for the explorer is closed has no agent.
func TestNewAgent_Closed(t *testing.T) {
	t.Setenv(Variable, "1")
	t.Setenv(VariableAgent, "12345")
	agent := NewAgent()
	hidden = nil
	if agent != nil {
		t.Errorf("got %v", agent)
	}
}

// A process whose connection fails ends itself. It says why, unless its explorer has ended.
func TestAgent_Disconnected(t *testing.T) {
	const variable = "MACEMC_TEST_DISCONNECTED"
	if name := os.Getenv(variable); name != "" {
		errs := map[string]error{"EBADF": syscall.EBADF, "EPIPE": syscall.EPIPE, "EOF": io.EOF}
		a := &Agent{connection: Connect(failing{errs[name]})}
		a.Continue(&Call{})
		t.Fatal("the process continues")
	}
	for name, says := range map[string]bool{"EBADF": true, "EPIPE": false, "EOF": false} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestAgent_Disconnected$")
		cmd.Env = append(os.Environ(), variable+"="+name)
		out, _ := cmd.CombinedOutput()
		if strings.HasPrefix(string(out), Disconnected) != says || !says && len(out) > 0 || cmd.ProcessState.ExitCode() != 2 {
			t.Errorf("%s: status %v, %q", name, cmd.ProcessState, out)
		}
	}
}

// Without space for the record of a run there is no file. A hole in it would be a fault of the run.
func TestRecord_Full(t *testing.T) {
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip(err)
	}
	file := filepath.Join(t.TempDir(), "record")
	if err := os.Symlink(full, file); err != nil {
		t.Fatal(err)
	}
	if list := Record(file, 7); len(list) != 7 {
		t.Errorf("got %d switches", len(list))
	}
	if _, err := os.Lstat(file); err == nil {
		t.Error("there is a file")
	}
}

// failing is a stream that fails.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error)  { return 0, f.err }
func (f failing) Write([]byte) (int, error) { return 0, f.err }

// outcomes is a runner with the given outcomes.
type outcomes struct {
	Executor
	of  []*Outcome
	ran int
}

func (r *outcomes) Run(*Schedule, bool) *Outcome {
	r.ran++
	return r.of[r.ran-1]
}

func (r *outcomes) Weights() []Weight { return nil }

func (r *outcomes) Effects() bool { return false }

// The runs of a request end with one after which other schedules may follow.
func TestAgent_Respond(t *testing.T) {
	passes := &Outcome{Points: 5}
	for _, c := range []struct {
		of   []*Outcome
		want int
	}{
		{[]*Outcome{passes, passes, passes, passes}, 4},
		{[]*Outcome{passes, {Kind: Leak}, passes, passes}, 2},
		{[]*Outcome{passes, passes, {Remaining: Remaining{Left: []LeftGoroutine{{Text: "goroutine 2"}}}}, passes}, 3},
		{[]*Outcome{{Points: batchPoints + 1}, passes, passes, passes}, 1},
	} {
		r := &outcomes{of: c.of}
		a := &Agent{}
		got := a.respond(&Request{Schedules: make([]*Schedule, len(c.of)), Executed: 7}, r)
		if !reflect.DeepEqual(got.Outcomes, c.of[:c.want]) || r.ran != c.want || a.executed != 6+c.want {
			t.Errorf("%d outcomes after %d runs, number %d, want %d", len(got.Outcomes), r.ran, a.executed, c.want)
		}
	}
}
